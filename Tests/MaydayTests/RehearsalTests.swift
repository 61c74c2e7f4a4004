import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Mayday

/// `Mayday.rehearse` in real services: a child crashes, and nothing else changes.
@Suite(.patience) struct RehearsalTests {
    private let facts = ["MAYDAY_RELEASE": "cart@1.4.2", "SWIFT_BACKTRACE": "enable=no"]

    private func rehearse(
        _ spool: TestSpool,
        _ port: UInt16,
        _ arguments: [String] = [],
        _ environment: [String: String] = [:]
    ) async throws -> ChildProcess.Outcome {
        let environment = facts.merging(environment) { $1 }
        return try await spool.run(["rehearse"] + arguments, port: port, environment: environment)
    }

    /// What a rehearsal leaves behind in the process: no child, no SIGCHLD, no line on standard error.
    private func expectUndisturbed(_ outcome: ChildProcess.Outcome) {
        #expect(outcome.status == .exited(0))
        #expect(outcome.errors == "")
        #expect(outcome.output.contains("\nno children threads "), "\(outcome.output)")
        #expect(!outcome.output.contains("SIGCHLD"), "\(outcome.output)")
    }

    @Test func `a report arrives, marked as a rehearsal, and the service goes on`() async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        let outcome = try await rehearse(spool, server.port)
        expectUndisturbed(outcome)
        let request = try #require(server.requests.first)
        #expect(server.requests.count == 1)
        let report = try Report.decode(gzip: request.body).report
        #expect(report.header.isRehearsal)
        #expect(report.header.release == "cart@1.4.2")
        #expect(report.header.process.forked)
        #expect(report.crash?.signal.name == "SIGILL" || report.crash?.signal.name == "SIGTRAP")
        #expect(report.crash?.messageSource == "rehearsal")
        #expect(report.title.hasPrefix("Rehearsal: a crash made on purpose"))
        #expect(report.end != nil)
        let said = "rehearsal: report \(report.header.id) delivered to collector at 127.0.0.1:\(server.port) in "
        #expect(outcome.output.hasPrefix(said), "\(outcome.output)")
        #expect(spool.files() == [])
    }

    @Test(arguments: [
        (ScriptedServer.Answer.close, "collector at 127.0.0.1:PORT: no answer: "),
        (.hang, "collector at 127.0.0.1:PORT"),
        (.status(401, body: #"{"error":"wrong key"}"#), "wrong key (401); check the key of the DSN"),
        (.status(400, body: #"{"error":"no"}"#), "rejected, set aside in "),
    ])
    func `a collector that is down, or hangs, or refuses: the result says why, and where the report is`(
        answer: ScriptedServer.Answer,
        reason: String
    ) async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { _ in answer }
        let outcome = try await rehearse(spool, server.port, [], ["MAYDAY_DELIVERY_DEADLINE": "20"])
        expectUndisturbed(outcome)
        let reason = reason.replacingOccurrences(of: "PORT", with: "\(server.port)")
        #expect(outcome.output.hasPrefix("rehearsal: report "), "\(outcome.output)")
        #expect(outcome.output.contains(" \(spool.path)/"), "\(outcome.output)")
        #expect(outcome.output.contains(reason), "\(outcome.output)")
        #expect(spool.reports().count + spool.files("rejected").filter { $0.hasSuffix(".gz") }.count == 1)
    }

    @Test func `nobody listens`() async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        server.stop()
        let outcome = try await rehearse(spool, server.port)
        expectUndisturbed(outcome)
        #expect(outcome.output.contains("not delivered, kept in \(spool.path)/"), "\(outcome.output)")
        #expect(outcome.output.contains("no answer: Failed to connect"), "\(outcome.output)")
    }

    @Test func `without a reporter the report waits in the spool`() async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        let outcome = try await rehearse(spool, server.port, [], ["MAYDAY_DELIVERY_DEADLINE": "0"])
        expectUndisturbed(outcome)
        #expect(outcome.output.contains(" waits in the spool: the delivery deadline is 0"), "\(outcome.output)")
        #expect(server.requests.isEmpty && spool.files().count == 1)
    }

    @Test func `without a spool the report goes through memory, or is lost`() async throws {
        let spool = try TestSpool()
        chmod(spool.root, 0o777)
        let server = try ScriptedServer { .created($0) }
        let delivered = try await rehearse(spool, server.port)
        #expect(delivered.output.contains(" delivered to collector at "), "\(delivered.output)")
        server.stop()
        let lost = try await rehearse(spool, server.port, [], ["MAYDAY_DELIVERY_DEADLINE": "20s"])
        #expect(
            lost.output.contains(" not delivered, and there is no spool to keep it in: collector at "),
            "\(lost.output)"
        )
        #expect(spool.files() == [])
    }

    @Test(arguments: [["threads"], ["twice"], ["twice", "threads"]])
    func `beside many threads, and twice at once`(arguments: [String]) async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        let outcome = try await rehearse(spool, server.port, arguments)
        expectUndisturbed(outcome)
        let expected = arguments.contains("twice") ? 2 : 1
        #expect(outcome.output.components(separatedBy: " delivered to collector at ").count == expected + 1)
        #expect(Set(server.requests.compactMap(\.reportID)).count == expected)
        #expect(spool.files() == [])
    }

    @Test(arguments: ["ignoring", "reaping"])
    func `where children are ignored, or taken by somebody else, the result is the same`(argument: String) async throws
    {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        let outcome = try await rehearse(spool, server.port, [argument])
        expectUndisturbed(outcome)
        #expect(outcome.output.contains(" delivered to collector at "), "\(outcome.output)")
    }

    @Test func `a handler that was put in front of ours is found out`() async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        let outcome = try await rehearse(spool, server.port, ["replaced"])
        expectUndisturbed(outcome)
        #expect(
            outcome.output.hasPrefix(
                "rehearsal: the crash was not captured: the child ended with exit status 7 before our handler was done"
            ),
            "\(outcome.output)"
        )
        #expect(server.requests.isEmpty && spool.files() == [])
    }

    @Test func `nothing is crashed where Mayday is not enabled`() async throws {
        let spool = try TestSpool()
        let outcome = try await rehearse(spool, 1, [], ["MAYDAY_ENABLED": "no"])
        expectUndisturbed(outcome)
        #expect(outcome.output.hasPrefix("rehearsal: nothing was crashed: Mayday is not enabled (MAYDAY_ENABLED)\n"))
    }
}
