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
    /// What could not be opened or read: path and reason.
    public var unreadable: [String] = []
    /// What lies in a directory and was not looked at: path and reason.
    public var leftOut: [String] = []

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
/// How much of one file's damage is told; what somebody made up may have no end of it.
private let maximumDamages = 20

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
    /// Of files before the one of the moment.
    private var bytesBefore = 0
    /// What is damaged in the file of the moment.
    private var damages = 0

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
    /// A directory is searched for reports (`.jsonl.gz`), logs (`.log`), also rotated ones (`.log.1`, `.log-20261130.gz`), and `.json` (as
    /// Swift's backtracer names them). All else in it is noted, too.
    public mutating func add(path: String) throws(Failure) {
        if path == "-" { return try add(STDIN_FILENO, named: "standard input", isReport: false) }
        var status = stat()
        guard stat(path, &status) == 0 else { return leave(path, errno) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: break
        // Such as /dev/zero, which has no end. A pipe may be what a shell makes of <(…).
        case S_IFCHR, S_IFBLK:
            let reason = "a device, which may have no end: `mayday import - < FILE` reads it all the same"
            return outcome.unreadable.append("\(path): \(reason)")
        default: return try add(file: Array(path.utf8), flags: 0)
        }
        try DirectoryWalk.visit(Array(path.utf8)) { file, entry throws(Failure) in
            let name = String(decoding: file, as: UTF8.self)
            switch entry {
            // It may have become a pipe meanwhile.
            case .file: try add(file: file, flags: O_NONBLOCK)
            case .leftOut(let reason): outcome.leftOut.append("\(name): \(reason)")
            case .unreadable(let reason): outcome.unreadable.append("\(name): \(reason)")
            }
        }
    }

    private mutating func add(file path: [UInt8], flags: Int32) throws(Failure) {
        let name = String(decoding: path, as: UTF8.self)
        let descriptor = withCString(path) { open($0, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags) }
        guard descriptor >= 0 else { return leave(name, errno) }
        defer { close(descriptor) }
        try add(descriptor, named: name, isReport: name.hasSuffix(".jsonl.gz"))
    }

    private mutating func leave(_ path: String, _ code: Int32) {
        outcome.unreadable.append("\(path): \(String(cString: strerror(code)))")
    }

    /// - Parameter isReport: true when its name says so.
    private mutating func add(_ descriptor: Int32, named source: String, isReport: Bool) throws(Failure) {
        var pieces = FilePieces(descriptor)
        damages = 0
        // What was found until it went wrong is there.
        switch try add(&pieces, named: source, isReport: isReport) {
        case .unreadable(let reason): outcome.unreadable.append("\(source): \(reason)")
        case .damaged(let reason): damage("\(source): \(reason)")
        case nil: break
        }
        bytesBefore += pieces.bytesRead
        let more = damages - maximumDamages
        if more > 0 { outcome.damaged.append("\(source): \(more) more like these") }
    }

    private mutating func damage(_ text: String) {
        damages += 1
        if damages <= maximumDamages { outcome.damaged.append(text) }
    }

    /// What is packed by gzip is a report or a log; all else is a log.
    private mutating func add(
        _ pieces: inout FilePieces,
        named source: String,
        isReport: Bool
    ) throws(Failure) -> PieceFailure? {
        var first: [UInt8] = []
        // Two bytes tell what it is, and the first line of a report what is in it. A pipe gives them as they come.
        var isGzip: Bool { first.starts(with: [0x1f, 0x8b]) }
        while first.count < 2 || isGzip && first.count < 1 << 16 {
            switch next(&pieces) {
            case .success(let more) where more.isEmpty: break
            case .success(let more):
                first += more
                continue
            case .failure(let failure): return failure
            }
            break
        }
        if isReport || isGzip && ImportedName.isReport(gzip: first) {
            while first.count <= maximumFile {
                switch next(&pieces) {
                case .success(let more) where more.isEmpty:
                    try add(report: first, from: source)
                    return nil
                case .success(let more): first += more
                case .failure(let failure): return failure
                }
            }
            return .damaged("larger than \(maximumFile) bytes, no report is")
        }
        if let hint = ImportedName.hint(packed: first) { return .unreadable(hint) }
        if isGzip {
            pieces.expand(from: first)
            first = []
        }
        return try scan(first, &pieces, source)
    }

    /// Looks for reports in a log, from its first piece on.
    private mutating func scan(
        _ first: [UInt8],
        _ pieces: inout FilePieces,
        _ source: String
    ) throws(Failure) -> PieceFailure? {
        var (scanner, backtracer) = (LogScanner(), BacktracerScanner())
        var (piece, failure) = (first, PieceFailure?.none)
        repeat {
            for report in scanner.feed(piece) { try add(report, from: source) }
            for finding in backtracer.feed(piece) { try add(finding, from: source) }
            switch next(&pieces) {
            case .success(let more): piece = more
            case .failure(let problem): (piece, failure) = ([], problem)
            }
        } while !piece.isEmpty
        for report in scanner.finish() { try add(report, from: source) }
        for finding in backtracer.finish() { try add(finding, from: source) }
        return failure
    }

    private func next(_ pieces: inout FilePieces) -> Result<[UInt8], PieceFailure> {
        onRead(bytesBefore + pieces.bytesRead, outcome.found)
        do throws(PieceFailure) { return .success(try pieces.next()) } catch { return .failure(error) }
    }

    private mutating func add(_ finding: BacktracerScanner.Finding, from source: String) throws(Failure) {
        let gzip: [UInt8]
        do throws(BacktracerLogError) {
            gzip = try finding.report(naming).encode()
        } catch {
            return damage("\(source): \(error)")
        }
        try add(report: gzip, from: source)
    }

    private mutating func add(_ logged: LoggedReport, from log: String) throws(Failure) {
        let source = "\(log): report \(logged.id)"
        switch logged.content {
        case .whole(let bytes): try add(report: bytes, from: source, id: logged.id)
        case .cut(let bytes, let reason): try add(report: bytes, from: source, id: logged.id, cut: reason)
        case .damaged(let reason): damage("\(source): \(reason)")
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
            return damage("\(source): \([cut, "\(error)"].compactMap(\.self).joined(separator: "; "))")
        }
        let found = decoded.report.header.id
        guard id == nil || id == found else {
            return damage("\(source): its lines hold the report \(found)")
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
