import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Mayday

/// The service's binary as the reporter, against a server that behaves badly in every way.
@Suite(.patience) struct ReporterTests {
    /// An answer of the server, and what the reporter's line must say of it.
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var answer: @Sendable (ScriptedServer.Request) -> ScriptedServer.Answer
        var says: String

        init(
            _ name: String,
            says: String,
            _ answer: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Answer
        ) {
            testDescription = name
            self.says = says
            self.answer = answer
        }
    }

    @Test(arguments: [
        Case("201", says: "") { .created($0) },
        Case("200 for a duplicate", says: "") { request in
            .status(200, body: #"{"duplicate":true,"id":"\#(request.reportID ?? "")"}"#)
        },
        Case("201 with an endless body", says: "") { request in
            .status(201, body: #"{"id":"\#(request.reportID ?? "")"}"# + String(repeating: " ", count: 20_000))
        },
    ])
    func delivered(_ example: Case) async throws {
        let spool = try TestSpool()
        let id = try spool.add(seed: 1)
        let server = try ScriptedServer(example.answer)
        let outcome = try await spool.reporter(of: "\(spool.path)/\(id).jsonl.gz", port: server.port)
        #expect(outcome.status == .exited(80))
        #expect(outcome.output.isEmpty, "the service itself must not run")
        #expect(outcome.errors == "mayday: report \(id) delivered to collector at 127.0.0.1:\(server.port)\n")
        #expect(spool.files() == [])
    }

    @Test(arguments: ["returns", "hangs"]) func `uploaders let go of what they hold, and hold up nothing`(
        shutdown: String
    ) async throws {
        let spool = try TestSpool()
        let id = try spool.add(seed: 1)
        let environment = [
            "MAYDAY_REPORTER": "60000", "MAYDAY_REPORT": "\(spool.path)/\(id).jsonl.gz", "SDK_CLOSING": shutdown,
        ]
        let (before, outcome) = try await ChildProcess.turnstile.pass {
            (ContinuousClock.now, try await spool.child(port: 1, environment: environment).outcome())
        }
        #expect(outcome.status == .exited(80) && outcome.output == "shut down\n", "\(outcome)")
        #expect(outcome.errors == "mayday: report \(id) delivered to closing\n")
        // Below the deadline.
        #expect(ContinuousClock.now - before < .seconds(58))
    }

    @Test(arguments: [
        Case("400", says: "line 3 is wrong (400)") { _ in .status(400, body: #"{"error":"line 3 is wrong"}"#) },
        Case("413", says: "above 20 MiB (413)") { _ in .status(413, body: #"{"error":"above 20 MiB"}"#) },
        Case(
            "201 for another report",
            says: "the file holds report 019e7a1c-0000-7000-8000-000000000000, and the collector took it as that"
        ) { _ in .status(201, body: #"{"id":"019e7a1c-0000-7000-8000-000000000000"}"#) },
        Case("415 without a reason", says: "it answered 415 without saying why") { _ in .status(415) },
    ])
    func rejected(_ example: Case) async throws {
        let spool = try TestSpool()
        let id = try spool.add(seed: 1)
        let server = try ScriptedServer(example.answer)
        let outcome = try await spool.reporter(of: "\(spool.path)/\(id).jsonl.gz", port: server.port)
        #expect(outcome.status == .exited(81))
        let aside = "\(spool.path)/rejected/\(id).jsonl.gz"
        let reason = "collector at 127.0.0.1:\(server.port): \(example.says)"
        #expect(outcome.errors == "mayday: report \(id) rejected, set aside in \(aside): \(reason)\n")
        #expect(spool.files("rejected") == ["\(id).jsonl.gz", "\(id).txt"])
        #expect(spool.text("rejected/\(id).txt") == "\(reason)\n")
    }

    @Test(arguments: [
        Case("401", says: "unknown key (401); check the key of the DSN") { _ in
            .status(401, body: #"{"error":"unknown key"}"#)
        },
        Case("403", says: "check the key of the DSN") { _ in .status(403) },
        Case("404", says: "check the project of the DSN") { _ in .status(404) },
        Case("408", says: "it answered 408 without saying why") { _ in .status(408) },
        Case("418", says: "it answered 418 without saying why") { _ in .status(418) },
        Case("429", says: "slow down (429)") { _ in
            .status(429, headers: ["Retry-After": "1"], body: #"{"error":"slow down"}"#)
        },
        Case("500 in HTML", says: "it answered 500 without saying why") { _ in .status(500, body: "<html>oops</html>")
        },
        Case("503", says: "busy (503)") { _ in .status(503, headers: ["Retry-After": "30"], body: #"{"error":"busy"}"#)
        },
        Case("302", says: "write the address it moved to in the DSN") { _ in
            .status(302, headers: ["Location": "http://127.0.0.1:1/"])
        },
        Case("200 of another server", says: "the answer was not a collector's") { _ in
            .status(200, body: "<html>Welcome</html>")
        },
        Case("201 with an id that is none", says: "the answer was not a collector's") { _ in
            .status(201, body: #"{"id":"x"}"#)
        },
        Case("204", says: "it answered 204 without saying why") { _ in .status(204) },
        Case("half an answer", says: ": no answer: ") { _ in
            .bytes("HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{\"id\":")
        },
        Case("half a header", says: ": no answer: ") { _ in .bytes("HTTP/1.1 20") },
        Case("garbage", says: ": no answer: ") { _ in .bytes("SSH-2.0-OpenSSH_9.2\r\n") },
        Case("bytes that are not UTF-8", says: "it answered 500 without saying why") { _ in
            .status(500, body: #"{"error":"\ud800"}"#)
        },
        Case("closed connection", says: ": no answer: ") { _ in .close },
    ])
    func kept(_ example: Case) async throws {
        let spool = try TestSpool()
        let id = try spool.add(seed: 1)
        let server = try ScriptedServer(example.answer)
        let file = "\(spool.path)/\(id).jsonl.gz"
        let outcome = try await spool.reporter(of: file, port: server.port)
        #expect(outcome.status == .exited(81))
        #expect(
            outcome.errors.hasPrefix(
                "mayday: report \(id) not delivered, kept in \(file): collector at 127.0.0.1:\(server.port): "
            )
        )
        #expect(outcome.errors.contains(example.says))
        #expect(outcome.errors.split(separator: "\n").count == 1)
        #expect(spool.reports() == [id])
        #expect(server.requests.count == 1)
    }

    /// A reporter with half a second. One second after its deadline the kernel kills it, so an exit of its own proves that it kept
    /// the deadline: a machine that leaves it without a processor for that long lets it try again.
    private func hurried(_ spool: TestSpool, _ report: String, port: UInt16) async throws -> ChildProcess.Outcome {
        var outcome = try await spool.reporter(of: report, port: port, deadline: .milliseconds(500))
        for _ in 0..<8 where outcome.status == .signalled(SIGKILL) {
            outcome = try await spool.reporter(of: report, port: port, deadline: .milliseconds(500))
        }
        return outcome
    }

    @Test(arguments: [Case("hangs", says: "") { _ in .hang }, Case("drips", says: "") { _ in .drip }])
    func `a slow collector does not outlast the deadline`(_ example: Case) async throws {
        let spool = try TestSpool()
        let id = try spool.add(seed: 1)
        let server = try ScriptedServer(example.answer)
        let file = "\(spool.path)/\(id).jsonl.gz"
        let outcome = try await hurried(spool, file, port: server.port)
        #expect(outcome.status == .exited(81))
        #expect(outcome.errors.contains("kept in \(file)"))
        #expect(spool.reports() == [id])
    }

    @Test func `a collector that is down is named`() async throws {
        let spool = try TestSpool()
        let id = try spool.add(seed: 1)
        let server = try ScriptedServer { .created($0) }
        server.stop()
        let outcome = try await spool.reporter(of: "\(spool.path)/\(id).jsonl.gz", port: server.port)
        #expect(outcome.status == .exited(81))
        #expect(outcome.errors.contains("collector at 127.0.0.1:\(server.port): no answer: "))
        #expect(spool.reports() == [id])
    }

    @Test func `only the assigned report is delivered`() async throws {
        let spool = try TestSpool()
        let first = try spool.add(seed: 1)
        let assigned = try spool.add(seed: 2)
        let server = try ScriptedServer { .created($0) }
        let outcome = try await spool.reporter(of: "\(spool.path)/\(assigned).jsonl.gz", port: server.port)
        #expect(outcome.status == .exited(80))
        #expect(server.requests.map(\.reportID) == [assigned])
        #expect(spool.reports() == [first])
    }

    @Test func `a report that another process delivers is left to it`() async throws {
        let spool = try TestSpool()
        let id = try spool.add(seed: 1)
        let file = try FileDescriptor(opening: "\(spool.path)/\(id).jsonl.gz", flags: O_RDWR)
        #expect(try file.lock(byte: UploaderName("collector").lockByte))
        let server = try ScriptedServer { .created($0) }
        let outcome = try await hurried(spool, "\(spool.path)/\(id).jsonl.gz", port: server.port)
        #expect(outcome.status == .exited(81))
        #expect(outcome.errors == "mayday: report \(id) is being delivered by another process of the service\n")
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["", "report", "/tmp/x.jsonl.gz", "fd:1", "fd:x", "fd:99"])
    func `an assignment that is none is refused`(_ report: String) async throws {
        let spool = try TestSpool()
        try spool.add(seed: 1)
        let server = try ScriptedServer { .created($0) }
        let outcome = try await spool.reporter(of: report, port: server.port)
        #expect(outcome.status == .exited(81))
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("names no report") || outcome.errors.contains("cannot be read"))
        #expect(server.requests.isEmpty)
    }

    // MARK: In memory

    /// An anonymous file with a report in it, as a dying process without a spool hands it over.
    private func memory(_ bytes: [UInt8]) throws -> Int32 {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/memory"
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        #expect(file >= 0 && write(file, bytes, bytes.count) == bytes.count)
        unlink(path)
        return file
    }

    @Test func `a report in memory is delivered, after what the server needs to come up`() async throws {
        let report = TestSpool.report(seed: 1)
        let file = try memory(report.encode())
        defer { close(file) }
        let spool = try TestSpool()
        let server = try ScriptedServer { $0.index < 2 ? .status(503) : .created($0) }
        let outcome = try await spool.reporter(of: "fd:9", port: server.port, descriptors: [9: file])
        #expect(outcome.status == .exited(80))
        let start = "mayday: report \(report.header.id)"
        let place = "collector at 127.0.0.1:\(server.port)"
        #expect(
            outcome.errors == """
                \(start) not delivered yet, it is tried again: \(place): it answered 503 without saying why
                \(start) delivered to \(place)

                """
        )
        #expect(server.requests.map(\.reportID) == [String?](repeating: report.header.id, count: 3))
    }

    @Test func `a report in memory that is not delivered has no spool, and the line says so`() async throws {
        let report = TestSpool.report(seed: 1)
        let file = try memory(report.encode())
        defer { close(file) }
        let spool = try TestSpool()
        let server = try ScriptedServer { _ in .status(503, headers: ["Retry-After": "3000"]) }
        let outcome = try await spool.reporter(of: "fd:9", port: server.port, descriptors: [9: file])
        #expect(outcome.status == .exited(81))
        #expect(
            outcome.errors == """
                mayday: report \(report.header.id) not delivered, and there is no spool to keep it in: collector at \
                127.0.0.1:\(server.port): it answered 503 without saying why

                """
        )
        #expect(server.requests.count == 1, "Retry-After is beyond the deadline")
    }

    @Test func `memory that holds no report`() async throws {
        let file = try memory(Array("no report".utf8))
        defer { close(file) }
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        let outcome = try await spool.reporter(of: "fd:9", port: server.port, descriptors: [9: file])
        #expect(outcome.status == .exited(81))
        #expect(outcome.errors == "mayday: the report in memory cannot be read\n")
    }

    // MARK: Policy

    @Test(arguments: [
        ("5000", Duration.zero, Duration.milliseconds(4_800)),
        ("500", .zero, .milliseconds(450)),
        ("5000", .seconds(1), .milliseconds(3_800)),
        ("5000", .seconds(9), .zero),
        ("0", .zero, .zero),
        ("-1", .zero, .zero),
        ("soon", .zero, .milliseconds(4_800)),
        ("99999999999999999999", .zero, .milliseconds(4_800)),
        ("9999999999", .zero, .milliseconds(59_800)),
    ])
    func timeLeft(deadline: String, uptime: Duration, expected: Duration) {
        #expect(Reporter.timeLeft(of: deadline, uptime: uptime) == expected)
    }

    @Test(arguments: [
        (0, nil, 5_000, 100), (3, nil, 5_000, 800), (60, nil, 60_000, 6_400), (0, 1_000, 5_000, 1_000),
        (0, 5_000, 5_000, nil), (0, nil, 100, nil), (0, nil, -1, nil),
    ])
    func `pause before the next attempt, in milliseconds`(attempt: Int, asked: Int?, left: Int, pause: Int?) {
        let retryAfter = asked.map { Duration.milliseconds($0) }
        let delay = RetryPolicy.pauseInMemory(attempt: attempt, retryAfter: retryAfter, left: .milliseconds(left))
        #expect(delay == pause.map { .milliseconds($0) })
    }
}
