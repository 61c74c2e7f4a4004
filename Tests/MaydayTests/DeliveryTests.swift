import Foundation
import TestSupport
import Testing

@testable import Mayday

/// Delivery by real processes to a real server.
@Suite(.timeLimit(.minutes(2))) struct DeliveryTests {
    @Test func `left-over reports go out at the next start, the oldest first, and leave the spool after the answer`()
        async throws
    {
        let spool = try TestSpool()
        let ids = try [3, 1, 2].map { try spool.add(seed: $0) }.sorted()
        let server = try ScriptedServer { .created($0) }
        let child = try spool.child("flush", port: server.port)
        let outcome = await child.outcome()
        #expect(outcome.status == .exited(0))
        #expect(outcome.output == "flushed: true\n")
        #expect(outcome.errors.contains("3 reports from the spool delivered to collector at 127.0.0.1:\(server.port)"))
        #expect(server.requests.map(\.reportID) == ids)
        #expect(spool.files() == [])
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.path == "/api/1/reports")
        #expect(request.headers["authorization"] == "Bearer KEY")
        #expect(request.headers["content-encoding"] == "gzip")
        #expect(request.headers["content-type"] == "application/x-ndjson")
        #expect(request.headers["user-agent"] == "mayday-swift/\(KnownFacts.version)")
    }
}
