package import CrashReport
package import Mayday
internal import Synchronization

#if os(Linux)
    internal import Grouping
#endif

/// A report that was read for a backend that knows nothing of report files: with functions, files and lines, a headline and
/// the key that makes it one issue with others.
package struct ReadableReport: Sendable, Equatable {
    /// The report with symbols on its frames.
    package var report: Report
    /// The message, else the signal with what is known about it.
    package var title: String
    /// Innermost function of the service's own code with its place, `checkout(_:) (Cart.swift:41)`.
    package var culprit: String?
    /// Key of the issue, as the collector would group it; nil where that is not known.
    package var fingerprint: String?

    /// A readable report by its parts.
    package init(report: Report, title: String, culprit: String? = nil, fingerprint: String? = nil) {
        self.report = report
        self.title = title
        self.culprit = culprit
        self.fingerprint = fingerprint
    }

    /// Reads a report, and looks its functions up in the files of this machine: those of the binary that crashed, where the
    /// reporter runs. That may take half of the time that is left; what takes longer is sent with addresses only.
    ///
    /// Adapters that are given the same report share the work.
    ///
    /// - Throws: `UploadError.rejected` when the file is no report.
    package static func read(_ spooled: SpooledReport) async throws(UploadError) -> ReadableReport {
        let task = last.withLock { last in
            if let last, last.gzip == spooled.gzip { return last.task }
            let task = Task { await work(spooled) }
            last = (spooled.gzip, task)
            return task
        }
        return try await task.value.get()
    }

    /// One report is kept: the lanes of several adapters are at the same one, or the sharing is not worth its memory.
    private static let last = Mutex<(gzip: [UInt8], task: Task<Result<ReadableReport, UploadError>, Never>)?>(nil)

    private static func work(_ spooled: SpooledReport) async -> Result<ReadableReport, UploadError> {
        let report: Report
        do throws(ReportDecodingError) { report = try Report.decode(gzip: spooled.gzip).report } catch {
            return .failure(.rejected(reason: "the file cannot be read: \(error)"))
        }
        let limit = (spooled.deadline - .now) / 2
        if let readable = await firstResult(within: limit, { await lookUp(report) }) { return .success(readable) }
        return .success(ReadableReport(report: report, title: report.title))
    }

    private static func lookUp(_ report: Report) async -> ReadableReport {
        #if os(Linux)
            // Files of hundreds of megabytes are read: no work for Swift's pool.
            let result = await onOwnThread { Digester().digest(report) }
            if case .success(let digested) = result {
                return ReadableReport(
                    report: digested.report,
                    title: digested.title,
                    culprit: digested.culprit,
                    fingerprint: digested.fingerprint
                )
            }
        #endif
        return ReadableReport(report: report, title: report.title)
    }
}
