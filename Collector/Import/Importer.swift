public import CrashReport
import Foundation

/// What became of reports that were imported.
public struct ImportOutcome: Sendable, Equatable {
    /// Ids that are new.
    public var imported: [String] = []
    /// Ids that were there before.
    public var duplicates: [String] = []
    /// What a person should know of reports that are there: source and text.
    public var remarks: [String] = []
    /// What is there and is no report, or only a part of one: source and reason.
    public var damaged: [String] = []
    /// Reports that were not taken: source and reason.
    public var refused: [String] = []
    /// What could not be opened or read: path and error of the system.
    public var unreadable: [String] = []

    /// How many reports there are that were found.
    public var found: Int { imported.count + duplicates.count }
}

/// What became of one report.
public enum KeptReport: Sendable, Equatable {
    /// It was kept.
    case new
    /// It was there before.
    case known
    /// It was not taken, for the reason said; others may be.
    case refused(String)
}

/// The largest report file, as for a report that comes over HTTP.
private let maximumFile = 8 << 20
private let chunk = 1 << 16
private let zcat = "is it a compressed log? `zcat LOG | mayday import -`"

/// Finds reports, and what Swift's backtracer wrote as JSON, in files and logs, checked as those that come over HTTP.
///
/// `Failure` is why nothing more can be kept.
public struct Importer<Failure: Error> {
    /// Keeps a report: what was read, and the file as it is.
    public typealias Keep = (_ report: Report, _ gzip: [UInt8]) throws(Failure) -> KeptReport

    /// What happened so far.
    public private(set) var outcome = ImportOutcome()
    private let keep: Keep
    private let naming: ReportNaming
    private let onRead: (_ bytes: Int, _ reports: Int) -> Void
    private var bytesRead = 0

    /// An importer.
    ///
    /// - Parameters:
    ///   - naming: for what Swift's backtracer wrote; reports say it themselves.
    ///   - onRead: told, while it reads, how many bytes it has read and how many reports it has found so far.
    ///   - keep: is given each report.
    public init(
        naming: ReportNaming = ReportNaming(),
        onRead: @escaping (_ bytes: Int, _ reports: Int) -> Void = { _, _ in },
        keep: @escaping Keep
    ) {
        self.naming = naming
        self.onRead = onRead
        self.keep = keep
    }

    /// Imports a file, a directory, or standard input when the path is `-`. What cannot be read is noted.
    ///
    /// A directory is searched for files whose names end in `.jsonl.gz` (reports), `.log`, or `.json` (as Swift's backtracer names them).
    public mutating func add(path: String) throws(Failure) {
        if path == "-" { return try add(FileHandle.standardInput, named: "standard input") }
        var status = stat()
        guard stat(path, &status) == 0 else { return leave(path, errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { return try add(file: path) }
        // Else it would look like one that is empty.
        guard access(path, R_OK | X_OK) == 0 else { return leave(path, errno) }
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        for name in names.sorted() where [".jsonl.gz", ".log", ".json"].contains(where: name.hasSuffix) {
            try add(file: "\(path)/\(name)")
        }
    }

    private mutating func add(file path: String) throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return leave(path, errno) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try add(file, named: path)
    }

    private mutating func leave(_ path: String, _ code: Int32) {
        outcome.unreadable.append("\(path): \(String(cString: strerror(code)))")
    }

    /// A report begins as gzip does; all else is a log.
    private mutating func add(_ file: FileHandle, named source: String) throws(Failure) {
        guard var bytes = read(file, chunk, source) else { return }
        if bytes.starts(with: [0x1f, 0x8b]) {
            while let more = read(file, maximumFile, source), !more.isEmpty, bytes.count <= maximumFile {
                bytes += more
            }
            guard bytes.count <= maximumFile else {
                return outcome.damaged.append(
                    "\(source): larger than \(maximumFile) bytes, no report is; \(zcat)"
                )
            }
            return try add(report: bytes, from: source)
        }
        var scanner = LogScanner()
        var backtracer = BacktracerScanner()
        while !bytes.isEmpty {
            for report in scanner.feed(bytes) { try add(report, from: source) }
            for finding in backtracer.feed(bytes) { try add(finding, from: source) }
            guard let more = read(file, chunk, source) else { break }
            bytes = more
        }
        for report in scanner.finish() { try add(report, from: source) }
        for finding in backtracer.finish() { try add(finding, from: source) }
    }

    private mutating func add(_ finding: BacktracerScanner.Finding, from source: String) throws(Failure) {
        let gzip: [UInt8]
        do throws(BacktracerLogError) {
            gzip = try finding.report(naming).encode()
        } catch {
            return outcome.damaged.append("\(source): \(error)")
        }
        try add(report: gzip, from: source)
    }

    /// Empty at the end; nil, and noted, when the reading failed.
    private mutating func read(_ file: FileHandle, _ count: Int, _ source: String) -> [UInt8]? {
        do {
            let bytes = try file.read(upToCount: count).map { [UInt8]($0) } ?? []
            bytesRead += bytes.count
            onRead(bytesRead, outcome.found)
            return bytes
        } catch {
            outcome.unreadable.append("\(source): cannot be read: \(error.localizedDescription)")
            return nil
        }
    }

    private mutating func add(_ logged: LoggedReport, from log: String) throws(Failure) {
        let source = "\(log): report \(logged.id)"
        switch logged.content {
        case .whole(let bytes): try add(report: bytes, from: source, id: logged.id)
        case .cut(let bytes, let reason): try add(report: bytes, from: source, id: logged.id, cut: reason)
        case .damaged(let reason): outcome.damaged.append("\(source): \(reason)")
        }
    }

    private mutating func add(
        report gzip: [UInt8],
        from source: String,
        id: String? = nil,
        cut: String? = nil
    ) throws(Failure) {
        let decoded: DecodedReport
        do throws(ReportDecodingError) {
            decoded = try Report.decode(gzip: gzip)
        } catch {
            let hint = error.kind == .gzip || error.kind == .noReport ? "; \(zcat)" : ""
            return outcome.damaged.append(
                "\(source): \([cut, "\(error)"].compactMap(\.self).joined(separator: "; "))\(id == nil ? hint : "")"
            )
        }
        let found = decoded.report.header.id
        guard id == nil || id == found else {
            return outcome.damaged.append("\(source): its lines hold the report \(found)")
        }
        switch try keep(decoded.report, gzip) {
        case .new:
            outcome.imported.append(found)
            if let cut { outcome.remarks.append("\(source): only its beginning: \(cut)") }
        case .known: outcome.duplicates.append(found)
        case .refused(let reason): outcome.refused.append("\(source): \(reason)")
        }
    }
}
