import CrashCapture
import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Mayday

/// Errors that a service handled and reported.
@Suite(.patience) struct HandledErrorTests {
    /// What reached the collector of `SDKChild report SCENE`, the oldest first.
    private func reports(of scene: String, check: (ChildProcess.Outcome) -> Void = { _ in }) async throws -> [Report] {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        let environment = ["MAYDAY_RELEASE": "cart@1.4.2", "SWIFT_BACKTRACE": "enable=no"]
        let outcome = try await spool.run("report", scene, port: server.port, environment: environment)
        check(outcome)
        #expect(spool.files() == [])
        return try server.requests.map { try Report.decode(gzip: $0.body).report }.sorted {
            $0.header.id < $1.header.id
        }
    }

    @Test func `an error has its type, its text, what is beneath it, the caller's stack and the context`() async throws
    {
        var said = ""
        let reports = try await reports(of: "error") { said = $0.output }
        let report = try #require(reports.first)
        #expect(reports.count == 1 && said == "\(report.header.id)\nflushed: true\n")
        #expect(report.header.kind == .error && report.header.level == "error" && report.header.occurrences == nil)
        #expect(report.header.release == "cart@1.4.2" && report.header.process.name == "SDKChild")
        let error = try #require(report.error)
        #expect(error.typeName == "SDKChild.CheckoutError")
        #expect(error.text.hasPrefix("cannotReserve(sku: \"tea\", cause: "))
        #expect(error.chain == [UnderlyingError(typeName: "SDKChild.StockError", text: "no tea left")])
        #expect(report.context == Context(tags: ["region": "eu-1"], request: ["id": .string("r-1")]))
        #expect(report.breadcrumbs.map(\.message) == ["cart loaded"])
        let thread = try #require(report.crashedThread)
        #expect(thread.id > 0 && thread.name != nil && !thread.crashed)
        let functions = try await functions(in: report)
        #expect(functions.first.flatMap { $0 }?.contains("7reserve") == true, "\(functions)")
    }

    /// The names of SDKChild's functions that the frames are in, innermost first; nil for frames elsewhere.
    private func functions(in report: Report) async throws -> [String?] {
        let table = try await ChildProcess.run("/usr/bin/nm", ["-n", "--defined-only", BuiltProduct.path("SDKChild")])
        let symbols = table.output.split(separator: "\n").map { $0.split(separator: " ") }.compactMap { parts in
            "tT".contains(parts[1]) ? UInt64(parts[0], radix: 16).map { ($0, String(parts[2])) } : nil
        }
        let executable = try #require(report.images.first)
        #expect(executable.buildID != nil)
        return (report.crashedThread?.frames ?? []).map { frame in
            guard frame.image == 0, let offset = frame.offset else { return nil }
            let inside = frame.trust.isReturnAddress ? offset - 1 : offset
            return symbols.last { $0.0 <= inside }?.1
        }
    }

    @Test func `in a task, the functions that await the caller are in its stack`() async throws {
        let report = try #require(try await reports(of: "task").first)
        let names = try await functions(in: report)
        let frames = try #require(report.crashedThread).frames
        #expect(names.first.flatMap { $0 }?.contains("7reserve") == true)
        #expect(names.dropFirst().first.flatMap { $0 }?.contains("5inner") == true)
        #if arch(x86_64)
            #expect(frames[2].trust == .await && names[2]?.contains("5outer") == true, "\(names)")
        #endif
        #expect(frames.last?.trust == .fp)
    }

    @Test func `without a spool an error is sent at once`() async throws {
        let spool = try TestSpool()
        chmod(spool.root, 0o777)
        let server = try ScriptedServer { .created($0) }
        let outcome = try await spool.run("report", "error", port: server.port)
        #expect(outcome.errors.contains("is writable by others") && outcome.output.hasSuffix("flushed: true\n"))
        #expect(try server.requests.map { try Report.decode(gzip: $0.body).report.header.kind } == [.error])
        server.stop()
        let lost = try await spool.run("report", "error", port: server.port)
        #expect(lost.errors.contains("of a handled error not delivered, and there is no spool to keep it in"))
    }

    @Test func `without a spool, a pause that the backend asks for is kept all the same`() async throws {
        let spool = try TestSpool()
        chmod(spool.root, 0o777)
        let server = try ScriptedServer { _ in .status(429, headers: ["Retry-After": "3000"]) }
        let outcome = try await spool.run("report", "twice", port: server.port)
        #expect(server.requests.count == 1)
        let lost = outcome.errors.split(separator: "\n").filter { $0.contains("of a handled error not delivered") }
        #expect(lost.count == 2 && lost[1].contains(" asked not to be sent to before 20"), "\(outcome.errors)")
    }

    @Test func `a message has its text and its level`() async throws {
        let report = try #require(try await reports(of: "message").first)
        #expect(report.header.kind == .message && report.header.level == "warning")
        #expect(report.message == "the queue is long" && report.error == nil && report.crash == nil)
        #expect(report.header.fingerprint == "queue")
        #expect(report.crashedThread?.frames.isEmpty == false)
    }

    @Test func `a storm of one error is its first and its last, which says how many it stands for`() async throws {
        let reports = try await reports(of: "storm")
        #expect(reports.map(\.header.occurrences) == [nil, 999])
    }

    @Test func `each case of an enum that one catch captures has its reports`() async throws {
        let reports = try await reports(of: "cases")
        // Sent at once in their order; those that are counted follow.
        let counts = reports.map { "\($0.error?.text ?? "") \($0.header.occurrences ?? 1)" }
        #expect(counts.sorted() == ["cash 1", "cash 2", "credit(\"a\") 1", "credit(\"c\") 2", "debit 1", "debit 2"])
    }

    @Test func `above the limit of all errors, a line says how many are not reported`() async throws {
        var errors = ""
        let reports = try await reports(of: "many") { errors = $0.errors }
        let lost = errors.split(separator: "\n").compactMap { line -> Int? in
            guard line.contains("handled errors are not reported") else { return nil }
            return line.split(separator: " ").lazy.compactMap { Int($0) }.first
        }
        #expect(reports.count + lost.reduce(0, +) == 400)
        #expect(reports.count <= 300 && reports.count >= 200)
    }

    @Test func `a crash after a handled error has a report of its own`() async throws {
        let reports = try await reports(of: "and-crash")
        #expect(reports.map(\.header.kind) == [.error, .crash])
    }
}

/// When an error is reported, and when it is counted.
@Suite struct ErrorBrakeTests {
    private let start = ContinuousClock.now

    private func error(_ text: String) -> Occurrence {
        Occurrence(.message(text), level: .info, stack: MaydayBacktrace())
    }

    @Test func `the same error is held until its interval is over, and then counted`() {
        var brake = ErrorBrake(limits: ErrorLimits(interval: .seconds(10)))
        let same = (0..<5).map { _ in error("a") }
        #expect(brake.take(same[0], now: start) == .send)
        #expect(brake.next == nil)
        for other in same.dropFirst() { #expect(brake.take(other, now: start + .seconds(1)) == .hold) }
        #expect(brake.next == start + .seconds(10))
        #expect(brake.due(now: start + .seconds(9)).isEmpty)
        let due = brake.due(now: start + .seconds(10))
        #expect(due.map(\.count) == [4] && due.map(\.occurrence.id) == [same[4].id])
        #expect(brake.take(error("a"), now: start + .seconds(10)) == .send)
    }

    private enum Payment: Error {
        case declined, timeout
        case fraud(String)
    }

    private struct Outage: CustomNSError {
        var errorCode: Int
        var sku = "tea"
    }

    @Test func `errors are the same by type, domain and code or case, not by what they hold`() {
        func place(_ error: any Error) -> Int {
            Occurrence(.error(error), level: .error, stack: MaydayBacktrace()).place
        }
        let different: [any Error] = [
            Payment.declined, Payment.timeout, Payment.fraud("x"), NSError(domain: "Shop", code: 1),
            NSError(domain: "Shop", code: 2), NSError(domain: "Bank", code: 1), Outage(errorCode: 1),
            Outage(errorCode: 2), CancellationError(),
        ]
        #expect(Set(different.map(place)).count == different.count)
        #expect(place(Payment.fraud("x")) == place(Payment.fraud("y")))
        #expect(place(Outage(errorCode: 1)) == place(Outage(errorCode: 1, sku: "milk")))
        let userInfo = NSError(domain: "Shop", code: 1, userInfo: ["sku": "milk"])
        #expect(place(userInfo) == place(NSError(domain: "Shop", code: 1)))
    }

    @Test func `different errors do not wait for each other, up to the limit of all`() {
        var brake = ErrorBrake(limits: ErrorLimits(interval: .seconds(10), reports: 3))
        for index in 0..<3 { #expect(brake.take(error("\(index)"), now: start) == .send) }
        #expect(brake.take(error("3"), now: start) == .drop)
        #expect(brake.takeDropped() == 1 && brake.takeDropped() == 0)
        #expect(brake.take(error("3"), now: start + .seconds(10)) == .send)
    }

    @Test func `an error that came once leaves nothing behind`() {
        var brake = ErrorBrake(limits: ErrorLimits(interval: .seconds(10)))
        #expect(brake.take(error("a"), now: start) == .send)
        #expect(brake.due(now: nil).isEmpty && brake.next == nil)
    }
}
