import CrashReport
import Foundation
import MaydayTestKit
import TestSupport
import Testing

@testable import Mayday

/// What is not sent is counted, and told.
@Suite(.patience) struct DiscardTests {
    private let name = UploaderName("memory")

    @Test func `counts are added up, taken once, and whatever else is in the file is left out`() throws {
        let test = try TestSpool()
        let spool = try Spool(opening: test.path)
        #expect(spool.takeDiscards(of: name) == [:])
        spool.note([.sampled: 2, .spoolFull: 1], discardedFor: name)
        spool.note([.sampled: 3, .limited: 0], discardedFor: name)
        #expect(spool.discards(of: name) == [.sampled: 5, .spoolFull: 1])
        #expect(spool.takeDiscards(of: UploaderName("other")) == [:])
        #expect(spool.takeDiscards(of: name) == [.sampled: 5, .spoolFull: 1])
        #expect(spool.takeDiscards(of: name) == [:] && test.files() == [])
        try test.write(
            Array("sampled\nsampled x\n\nnothing 3\nsampled -1\nrejected 2 3\nlimited 4\nlim".utf8),
            to: "memory.discarded"
        )
        #expect(spool.takeDiscards(of: name) == [.limited: 4])
        #expect([DiscardReason: Int](lines: Array("sampled \(Int.max)\nsampled 1\n".utf8)) == [.sampled: .max])
        #expect(([.sampled: 20, .beforeSend: 1] as [DiscardReason: Int]).text == "sampled=20, before_send=1")
    }

    @Test func `what the limits of the spool remove is told with the next report, until one is taken`() async throws {
        let test = try TestSpool()
        for seed in UInt64(1)...4 { try test.add(seed: seed) }
        var summary = DeliverySummary()
        tidy(test.path, limits: SpoolLimits(reports: 1, age: .seconds(1e9)), uploaders: [name], summary: &summary)
        #expect(summary.removed == 3)
        let memory = InMemoryUploader { _ in .retry(after: nil, reason: "busy") }
        _ = await Lane.lanes(of: [memory])[0].round(in: test.path, limit: Patience.wait, urgent: true)
        #expect(memory.attempts.map(\.discarded) == [[.spoolFull: 3]])
        let working = InMemoryUploader()
        _ = await Lane.lanes(of: [working])[0].round(in: test.path, limit: Patience.wait, urgent: true)
        #expect(working.delivered.map(\.discarded) == [[.spoolFull: 3]])
        #expect(test.files() == [])
    }

    @Test func `a rejected report, and one that beforeSend drops, are told to their own backend`() async throws {
        let test = try TestSpool()
        for seed in UInt64(1)...3 { try test.add(seed: seed) }
        let dropped = TestSpool.report(seed: 2).header.id
        let refused = TestSpool.report(seed: 1).header.id
        let first = InMemoryUploader(name: "first") { $0.id == refused ? .rejected(reason: "no") : nil }
        let second = InMemoryUploader(name: "second")
        let rules = OutgoingRules(beforeSend: { $0.header.id != dropped })
        for lane in Lane.lanes(of: [first, second], rules: rules) {
            _ = await lane.round(in: test.path, limit: Patience.wait, urgent: true)
        }
        #expect(first.delivered.map(\.discarded) == [[.rejected: 1, .beforeSend: 1]])
        #expect(second.delivered.map(\.discarded) == [[:], [.beforeSend: 1]])
    }

    /// What the requests' headers say, and what is left to be told.
    private func told(_ server: ScriptedServer, _ spool: TestSpool) -> [DiscardReason: Int] {
        var counts: [DiscardReason: Int] = [:]
        for request in server.requests {
            let header = request.headers["mayday-discarded"] ?? ""
            counts.add(
                [DiscardReason: Int](lines: Array(header.replacing(", ", with: "\n").replacing("=", with: " ").utf8))
            )
        }
        counts.add([DiscardReason: Int](lines: Array(spool.text("collector.discarded").utf8)))
        return counts
    }

    @Test func `of many errors, each is either with the collector or counted`() async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        let outcome = try await spool.run("report", "many", port: server.port)
        #expect(outcome.output == "flushed: true\n")
        let counts = told(server, spool)
        #expect(server.requests.count + counts.values.reduce(0, +) == 400, "\(counts)")
        #expect(Set(counts.keys).isSubset(of: [.limited, .overflow]) && !counts.isEmpty, "\(counts)")
    }

    @Test func `a sample that takes none is told with the next crash`() async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        let environment = ["SDK_SAMPLING": "0", "SWIFT_BACKTRACE": "enable=no"]
        let outcome = try await spool.run("report", "storm", port: server.port, environment: environment)
        #expect(outcome.output == "flushed: true\n" && server.requests.isEmpty)
        #expect(told(server, spool) == [.sampled: 1_000])
        _ = try await spool.run("crash", port: server.port, environment: environment)
        #expect(server.requests.map { $0.headers["mayday-discarded"] } == ["sampled=1000"])
        #expect(spool.files() == [])
    }
}
