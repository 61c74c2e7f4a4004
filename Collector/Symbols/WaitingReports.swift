import CrashReport
import Foundation
import Symbolication

/// Which reports lack the debug file of which build: a file for each build, a line for each report.
///
/// What a report waits for is written after its digestion and read when a file arrives.
public struct WaitingReports: Sendable {
    private let path: String

    /// The list of a symbol store, in its directory.
    public init(_ store: SymbolStore) { path = "\(store.path)/waiting" }

    /// A report that waits.
    public struct Report: Sendable, Hashable {
        /// Its project.
        public var project: Int
        /// Its id.
        public var id: String

        /// A report of a project.
        public init(project: Int, id: String) {
            self.project = project
            self.id = id
        }
    }

    /// A build that reports wait for.
    public struct Build: Sendable, Equatable {
        /// Build id, lower-case hex.
        public var buildID: String
        /// Path of the image in the last report.
        public var image: String
        /// How many reports.
        public var reports: Int
    }

    /// Reports that are remembered for one build; more are looked up again only when they are digested again.
    private static let maximumReports = 10_000
    /// Bytes of a line: project, id, and the path of the image.
    private static let maximumLine = 1_024

    /// Remembers that a report lacks a build.
    public func add(_ report: Report, lacks buildID: String, of image: String) {
        guard SymbolStorePath.file(of: buildID) != nil else { return }
        try? FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let descriptor = open("\(path)/\(buildID)", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_size < Self.maximumReports * 64 else { return }
        let line = Array("\(report.project) \(report.id) \(image.madeVisible(limit: 512))\n".utf8)
        guard line.count <= Self.maximumLine else { return }
        _ = write(descriptor, line, line.count)
    }

    /// Hands over the reports that lack a build, and forgets them once `body` has returned. Those of a call that came to no end
    /// are handed over by the next one.
    public func take<Failure: Error>(_ buildID: String, _ body: ([Report]) throws(Failure) -> Void) throws(Failure) {
        guard SymbolStorePath.file(of: buildID) != nil else { return }
        let file = "\(path)/\(buildID)"
        let taken = "\(file).taken"
        // First what was left behind, then what is there now: renamed, so that what is added meanwhile begins a new file.
        for _ in 0..<2 {
            guard access(taken, F_OK) == 0 || rename(file, taken) == 0 else { return }
            try body(Self.read(taken).reports)
            unlink(taken)
        }
    }

    /// Builds that reports wait for, those with the most reports first.
    public var builds: [Build] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { SymbolStorePath.file(of: $0) != nil }.compactMap { name -> Build? in
            let (reports, image) = Self.read("\(path)/\(name)")
            return reports.isEmpty ? nil : Build(buildID: name, image: image, reports: reports.count)
        }.sorted { ($1.reports, $0.image, $0.buildID) < ($0.reports, $1.image, $1.buildID) }
    }

    private static func read(_ file: String) -> (reports: [Report], image: String) {
        let text = FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) } ?? ""
        var seen: Set<Report> = []
        var reports: [Report] = []
        var image = ""
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let project = Int(parts[0]) else { continue }
            let report = Report(project: project, id: String(parts[1]))
            image = String(parts[2])
            if seen.insert(report).inserted { reports.append(report) }
        }
        return (reports, image)
    }
}
