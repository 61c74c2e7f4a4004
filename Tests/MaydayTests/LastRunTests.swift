import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Mayday

/// What a service is told of the run before, by children that really crash.
@Suite(.patience) struct LastRunTests {
    private let noDelivery = ["MAYDAY_DELIVERY_DEADLINE": "0", "SWIFT_BACKTRACE": "enable=no"]

    private func lastRun(_ spool: TestSpool, _ environment: [String: String] = [:]) async throws -> String {
        try await spool.run("last-run", port: 1, environment: noDelivery.merging(environment) { $1 }).output
    }

    @Test func `a crash that was delivered is told to the next start, once`() async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        #expect(try await lastRun(spool) == "no crash\n")
        let crash = try await spool.run("crash", port: server.port, environment: ["SWIFT_BACKTRACE": "enable=no"])
        #expect(crash.errors.contains("delivered to collector"))
        let request = try #require(server.requests.first)
        let report = try Report.decode(gzip: request.body).report
        let told = try await lastRun(spool)
        #expect(told.hasPrefix("\(report.header.id) "), "\(told)")
        // The id is made a moment before the header, or an hour, on a machine that stands still.
        let words = told.split(separator: " ").map(String.init)
        let time = try #require(words.count == 3 ? Timestamp(words[1]) : nil)
        let header = try #require(Timestamp(report.header.time))
        #expect(abs(header.microseconds - time.microseconds) < 3_600_000_000)
        let signal = try #require(report.crash?.signal.name)
        #expect(told.hasSuffix("Z \(signal)\n"), "\(told)")
        #expect(try await lastRun(spool) == "no crash\n")
    }

    @Test func `a crash is told where no reporter ran, and the last of several is`() async throws {
        let spool = try TestSpool()
        for _ in 1...2 { _ = try await spool.run("crash", port: 1, environment: noDelivery) }
        let ids = spool.reports().sorted()
        try #require(ids.count == 2)
        #expect(try await lastRun(spool).hasPrefix("\(ids[1]) "))
    }

    @Test func `an end that nothing was captured of is no crash`() async throws {
        let spool = try TestSpool()
        #expect(try await spool.run(port: 1, environment: noDelivery).status == .exited(0))
        #expect(try await lastRun(spool) == "no crash\n")
        let killed = try spool.child("stay", port: 1, environment: noDelivery)
        _ = await killed.line(containing: "staying")
        killed.kill(SIGKILL)
        #expect(await killed.outcome().status == .signalled(SIGKILL))
        #expect(try await lastRun(spool) == "no crash\n")
    }

    @Test func `a forked child's crash is told apart from the run's, and a rehearsal not at all`() async throws {
        let spool = try TestSpool()
        _ = try await spool.run("rehearse", port: 1, environment: noDelivery)
        #expect(try await lastRun(spool) == "no crash\n")
        let rehearsed = Set(spool.reports())
        #expect(rehearsed.count == 1)
        let forked = try await spool.run("tell", "fork", port: 1, environment: noDelivery)
        #expect(forked.output.contains("child ended by"))
        let child = try #require(Set(spool.reports()).subtracting(rehearsed).first)
        let told = try await lastRun(spool)
        #expect(told.hasPrefix("no crash\nchild \(child) "), "\(told)")
        #expect(try await lastRun(spool) == "no crash\n")
    }

    @Test func `where a forked child and then its parent crash, both are told, once`() async throws {
        let spool = try TestSpool()
        let both = try await spool.run("tell", "fork-both", port: 1, environment: noDelivery)
        #expect(both.status == .signalled(SIGABRT) && both.output.contains("child ended by"))
        // The child was waited for: its id is the earlier one.
        let ids = spool.reports().sorted()
        try #require(ids.count == 2)
        let told = try await lastRun(spool).split(separator: "\n").map(String.init)
        try #require(told.count == 2)
        #expect(told[0].hasPrefix("\(ids[1]) ") && told[0].hasSuffix("Z SIGABRT"), "\(told)")
        #expect(told[1].hasPrefix("child \(ids[0]) ") && !told[1].hasSuffix("SIGABRT"), "\(told)")
        #expect(try await lastRun(spool) == "no crash\n")
    }

    @Test func `without a spool nothing is known`() async throws {
        let spool = try TestSpool()
        chmod(spool.root, 0o777)
        #expect(try await lastRun(spool) == "unknown\n")
        #expect(try await lastRun(try TestSpool(), ["MAYDAY_ENABLED": "false"]) == "unknown\n")
    }

    @Test func `what is no word of a crash is none`() {
        for left in ["", "../../etc/passwd", "x SIGILL"] { #expect(LastRun.Crash(left) == nil) }
        let id = "01a22c03-ba88-7f41-85db-16a3ed39aed7"
        #expect(LastRun.Crash(id) == nil)
        #expect(LastRun.Crash("\(id) SIGSEGV")?.signal == "SIGSEGV")
        #expect(LastRun.Crash("\(id) SIGILL a b") == nil)
    }
}
