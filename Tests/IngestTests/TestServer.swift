import CrashReport
import Foundation
import Ingest
import Store
import Synchronization
import Testing
import TestSupport

/// A real server on a free port, with a real store in a directory of its own.
final class TestServer: Sendable {
    let store: any Store
    let server: IngestServer
    let key = Secret.random()
    let admin = Secret.random()
    let lines: LogLines
    private let temporary: TemporaryDirectory

    /// What the server logged.
    final class LogLines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    init(maximumPages: Int? = nil, change: (inout IngestServer.Parts) -> Void = { _ in }) throws {
        temporary = try TemporaryDirectory()
        store = try DataDirectory("\(temporary.path)/data").createStore(maximumPages: maximumPages)
        _ = try store.setUp(project: "default", key: key.hash, adminToken: admin.hash, at: .now())
        let lines = LogLines()
        self.lines = lines
        var parts = IngestServer.Parts()
        parts.log = ServerLog { lines.add($0) }
        change(&parts)
        server = try IngestServer(try #require(ListenAddress("127.0.0.1:0")), store: store, parts: parts)
    }

    deinit { server.stop() }

    func connect() throws -> HTTPClient { try HTTPClient(port: server.address.port) }

    /// The header of an upload, as the SDK sends it.
    var headers: [String: String] {
        ["Authorization": "Bearer \(key.text)", "Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"]
    }

    /// Sends a report on a connection of its own.
    func post(_ body: [UInt8], _ changes: [String: String?] = [:], path: String = "/api/1/reports") throws
        -> HTTPClient.Answer
    {
        var headers = headers
        for (name, value) in changes { headers[name] = value }
        return try connect().request("POST", path, headers: headers, body: body)
    }

    /// The store as another process has it.
    func openAgain() throws -> any Store { try DataDirectory("\(temporary.path)/data").openStore() }

    /// How many reports are stored.
    var count: Int { get throws { try store.reports(ReportSelection(limit: 10_000)).count } }
}
