internal import BackendSupport
public import CrashReport
public import Mayday

/// Functions, files and lines for an uploader whose backend cannot look them up.
extension SpooledReport {
    /// The report, read, with the functions, files and lines that the files of this machine know: in the reporter, those of the
    /// binary that crashed.
    ///
    /// Takes up to half of the time that is left until `deadline`; what takes longer stays without. Uploaders that are given
    /// the same report share the work.
    ///
    /// - Throws: `UploadError.rejected` when the file is no report.
    public func withSymbols() async throws(UploadError) -> Report { try await ReadableReport.read(self).report }
}
