internal import CrashReport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Puts each report file into a directory, which may be on a mounted share: `ID.jsonl.gz`, whole or not at all.
///
/// A file is written beside its place under a hidden name, flushed to the disk and then given its name, so whoever reads
/// the directory never sees half a report. The same report again replaces the file by the same bytes.
/// `mayday show FILE` and `zcat FILE | jq` read it.
public struct DirectoryUploader: ReportUploader {
    /// `directory`, or what was given.
    public let name: String
    let path: String

    /// A directory by its absolute path, which the environment variable `MAYDAY_DIRECTORY` overrides.
    ///
    /// It must exist: one that is made up would hide that a share is not mounted. Until it does, reports stay in the spool.
    ///
    /// - Parameters:
    ///   - path: the directory's path.
    ///   - name: another name for a second directory; only the first, `directory`, is overridden by the variable.
    /// - Throws: `ConfigurationError` for a path that is not absolute.
    public init(path: String, name: String = "directory") throws(ConfigurationError) {
        let variable = "MAYDAY_DIRECTORY"
        let override = name == "directory" ? environmentVariable(variable) : nil
        let path = override ?? path
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
            let remedy = "write an absolute path, for example /mnt/crashes"
            throw ConfigurationError(
                setting: override == nil ? "DirectoryUploader.path" : variable,
                value: path,
                remedy: remedy
            )
        }
        self.path = path
        self.name = name
    }

    /// `directory /mnt/crashes`.
    public var destination: String { "directory \(path.madeVisible(limit: 300))" }

    /// Writes the report; returns once it is durable under its name.
    public func upload(_ report: SpooledReport) async throws(UploadError) {
        // A share whose server is gone blocks for as long as it pleases: that is no matter for Swift's pool.
        switch await onOwnThread({ write(report) }) {
        case .success(nil): return
        case .success(.some(let error)): throw error
        case .failure(let error): throw .retry(after: nil, reason: "no thread could be started to write on: \(error)")
        }
    }

    /// Whether the directory is there and can be written to.
    public func probe(deadline: ContinuousClock.Instant) async throws(UploadError) -> Bool {
        switch await onOwnThread({ access() }) {
        case .success(nil): return true
        case .success(.some(let error)): throw error
        case .failure(let error): throw .retry(after: nil, reason: "no thread could be started to look on: \(error)")
        }
    }

    private func access() -> UploadError? {
        do throws(SystemError) {
            let directory = try FileDescriptor(opening: path, flags: O_RDONLY | O_DIRECTORY)
            guard faccessat(directory.number, ".", W_OK | X_OK, AT_EACCESS) == 0 else { throw SystemError.last }
            return nil
        } catch {
            return .retry(
                after: nil,
                reason: "\(error)\(error.code == ENOENT ? "; create it, or mount the share" : "")"
            )
        }
    }

    private func write(_ report: SpooledReport) -> UploadError? {
        // It becomes the file's name; the spool knows no other.
        guard ReportID.isValid(report.id) else { return .rejected(reason: "its id is not one of a report") }
        var doing = "open the directory"
        do throws(SystemError) {
            let directory = try FileDescriptor(opening: path, flags: O_RDONLY | O_DIRECTORY)
            let name = "\(report.id).jsonl.gz"
            // The same name at each attempt, so that one that was killed leaves nothing behind that the next does not replace.
            let unfinished = ".\(name).part"
            do {
                doing = "create a file in it"
                let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW
                let file = try FileDescriptor(opening: unfinished, in: directory, flags: flags, mode: 0o600)
                doing = "write to it"
                try file.write(report.gzip)
                guard fsync(file.number) == 0 else { throw SystemError.last }
            }
            doing = "give the file its name"
            guard renameat(directory.number, unfinished, directory.number, name) == 0 else { throw SystemError.last }
            // Some shares cannot, and then do what the server does.
            guard fsync(directory.number) == 0 || SystemError.last.code == EINVAL || SystemError.last.code == ENOTSUP
            else { throw SystemError.last }
            return nil
        } catch {
            let remedy = error.code == ENOENT && doing == "open the directory" ? "; create it, or mount the share" : ""
            return .retry(after: nil, reason: "cannot \(doing): \(error)\(remedy)")
        }
    }
}
