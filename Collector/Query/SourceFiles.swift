public import CrashReport
public import CrashReportText
import Foundation

/// The service's sources, when they are on this machine: at the paths that debug information names, or below a directory.
///
/// The paths come out of files that others made, so only regular files that are named like sources are read, and only for who
/// runs the command. Reads each file once; not thread-safe.
public final class SourceFiles {
    private let root: String?
    private let newest: Date?
    private var known: [String: File?] = [:]

    private struct File {
        var lines: [Substring]
        var isChanged: Bool
    }

    /// Sources of what a report is of.
    ///
    /// - Parameters:
    ///   - report: its time, and the executable when that is on this machine, say which sources are too new.
    ///   - root: where the sources are, when they are not where they were built.
    public init(of report: Report, root: String? = nil) {
        self.root = root
        let time = Timestamp(report.header.time).map { Date(timeIntervalSince1970: Double($0.microseconds) / 1e6) }
        let built = report.header.process.path.flatMap(Self.modified)
        // A binary that is newer than the crash is another one.
        newest = if let time, let built, built <= time { built } else { time }
    }

    /// Larger files are not sources.
    private static let maximumSize = 4 << 20
    private static let endings: Set<String> = [
        "swift", "c", "h", "m", "mm", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "inc", "ipp", "def", "gyb", "s", "S",
    ]

    /// The lines around one, as `Report.text` asks for them.
    public func excerpt(file: String, line: Int, context: Int) -> SourceExcerpt? {
        guard let found = find(file), line >= 1, line <= found.lines.count else { return nil }
        let context = min(max(0, context), 100)
        let first = max(1, line - context)
        let last = min(found.lines.count, line + context)
        return SourceExcerpt(
            first: first,
            lines: found.lines[(first - 1)...(last - 1)].map { String($0.prefix(1_000)) },
            remark: found.isChanged ? "this file changed after the build: the line may be another" : nil
        )
    }

    private func find(_ path: String) -> File? {
        if let file = known[path] { return file }
        let file = candidates(path).lazy.compactMap(read).first
        known[path] = .some(file)
        return file
    }

    /// Where a file may be: below the root by as much of its path as is there, then where it was.
    private func candidates(_ path: String) -> [String] {
        let parts = path.split(separator: "/")
        guard path.hasPrefix("/"), !parts.contains(".."), let name = parts.last,
            Self.endings.contains(String(name.split(separator: ".").last ?? ""))
        else { return [] }
        let below = root.map { root in parts.indices.map { "\(root)/\(parts[$0...].joined(separator: "/"))" } } ?? []
        return below + [path]
    }

    private func read(_ path: String) -> File? {
        // A pipe or a device may take its reader's place for ever, so only what is a regular file is read.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size <= Self.maximumSize,
            let data = try? file.read(upToCount: Self.maximumSize)
        else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        let modified = Self.modified(facts)
        return File(
            lines: text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline),
            isChanged: newest.map { modified > $0 } ?? false
        )
    }

    private static func modified(_ path: String) -> Date? {
        var facts = stat()
        guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return modified(facts)
    }

    private static func modified(_ facts: stat) -> Date {
        Date(timeIntervalSince1970: Double(facts.st_mtim.tv_sec) + Double(facts.st_mtim.tv_nsec) / 1e9)
    }
}
