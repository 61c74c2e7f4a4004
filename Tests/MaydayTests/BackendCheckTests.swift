import Foundation
import TestSupport
import Testing

@testable import Mayday

/// Whether a self check that asks finds out what a crash would find out.
@Suite(.patience) struct BackendCheckTests {
    private func ask(_ answer: ScriptedServer.Answer?, _ environment: [String: String] = [:]) async throws -> [String] {
        let spool = try TestSpool()
        let server = try ScriptedServer { answer ?? .created($0) }
        let text = try await spool.run("ask", port: server.port, environment: environment).output
        #expect(spool.files() == [])
        return text.replacing("127.0.0.1:\(server.port)", with: "HOST").split(separator: "\n").map(String.init)
    }

    @Test func `a collector that takes reports`() async throws {
        let lines = try await ask(nil)
        #expect(lines[0] == "Would I get a report? Yes.")
        #expect(lines.contains { $0.hasSuffix("collector at HOST: it is there, and would take a report") }, "\(lines)")
        #expect(lines.contains { $0.hasSuffix("at the crash, within 60 s, to collector at HOST") }, "\(lines)")
    }

    @Test(arguments: [
        (
            ScriptedServer.Answer.status(401, body: #"{"error":"wrong key"}"#),
            "wrong key (401); check the key of the DSN"
        ),
        (.status(404, body: #"{"error":"no project 7"}"#), "no project 7 (404); check the project of the DSN"),
        (.status(400, body: "<html>"), "it answered 400 without saying why"),
        (.status(200, body: "<html>"), "the answer was not a collector's, check the host of the DSN"),
        (.close, "no answer: "),
    ])
    func `one that would not is a problem, with the reason`(answer: ScriptedServer.Answer, reason: String) async throws
    {
        let lines = try await ask(answer)
        #expect(lines[0] == "Would I get a report? Not always: 1 problem.")
        #expect(
            lines.contains { $0.hasPrefix("problem  backend ") && $0.contains("collector at HOST: \(reason)") },
            "\(lines)"
        )
    }

    @Test func `nobody listens, and a directory that is not there`() async throws {
        let spool = try TestSpool()
        let text = try await spool.run("ask", port: 1, environment: ["SDK_DIRECTORY": "/nonexistent/crashes"]).output
        #expect(text.hasPrefix("Would I get a report? Not always: 2 problems."), "\(text)")
        #expect(text.contains("collector at 127.0.0.1:1: no answer: Failed to connect"), "\(text)")
        #expect(text.contains("directory /nonexistent/crashes: No such file or directory"), "\(text)")
    }

    @Test func `what is not asked is said not to be`() async throws {
        let text = try await TestSpool().run("check", port: 1).output
        #expect(text.contains("to collector at 127.0.0.1:1 (not asked whether it is there)"), "\(text)")
    }

    @Test func `MAYDAY_SELF_CHECK asks, and rehearses, before a program that ends at once has ended`() async throws {
        let spool = try TestSpool()
        let environment = ["MAYDAY_SELF_CHECK": "rehearse", "SWIFT_BACKTRACE": "enable=no"]
        let dead = try await spool.run(port: 1, environment: environment)
        #expect(dead.output == "started\n")
        #expect(dead.errors.contains("mayday: problem  backend "), "\(dead.errors)")
        #expect(dead.errors.contains("mayday: rehearsal: report ") && dead.errors.contains("not delivered, kept in"))
        let server = try ScriptedServer { .created($0) }
        let other = try TestSpool()
        let directory = try TemporaryDirectory()
        let both = environment.merging(["SDK_DIRECTORY": directory.path]) { $1 }
        let fine = try await other.run(port: server.port, environment: both)
        #expect(
            fine.errors.contains("delivered to collector at 127.0.0.1:\(server.port), directory \(directory.path) in ")
        )
        server.stop()
        let half = try await other.run(port: server.port, environment: both)
        let line = half.errors.split(separator: "\n").first { $0.contains("rehearsal: report") } ?? ""
        #expect(line.contains(" delivered to directory \(directory.path); not delivered, kept in "), "\(half.errors)")
    }

    @Test func `without a spool, why a collector cannot be reached is said at once and at the end`() async throws {
        let spool = try TestSpool()
        chmod(spool.root, 0o777)
        let environment = ["SWIFT_BACKTRACE": "enable=no", "MAYDAY_DELIVERY_DEADLINE": "20s"]
        let outcome = try await spool.run("crash", port: 1, environment: environment)
        let lines = outcome.errors.split(separator: "\n").filter { $0.contains("Failed to connect") }
        #expect(lines.count == 2, "\(outcome.errors)")
        #expect(
            lines.first?.contains("not delivered yet, it is tried again: collector at 127.0.0.1:1: no answer") == true
        )
        #expect(
            lines.last?.contains("and there is no spool to keep it in: collector at 127.0.0.1:1: no answer") == true
        )
    }
}
