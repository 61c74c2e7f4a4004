import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Mayday

/// From a crash of a real service to the collector.
@Suite(.patience) struct CrashTests {
    private let facts = ["MAYDAY_RELEASE": "cart@1.4.2", "MAYDAY_ENVIRONMENT": "test", "SWIFT_BACKTRACE": "enable=no"]

    @Test func `a crash without a reporter is delivered by the next start, with what start knew`() async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        let place = ["POD_NAME": "cart-7d9f", "POD_NAMESPACE": "shop", "NODE_NAME": "n-3", "MAYDAY_INSTANCE": "a"]
        let environment = facts.merging(place) { $1 }.merging(["MAYDAY_DELIVERY_DEADLINE": "0"]) { $1 }
        let crashed = try await spool.run("crash", port: server.port, environment: environment)
        #expect(crashed.status == .signalled(SIGILL) || crashed.status == .signalled(SIGTRAP))
        #expect(server.requests.isEmpty)
        let file = try #require(spool.files().first)
        #expect(spool.files().count == 1 && crashed.errors.contains("\(spool.path)/\(file)"))

        let next = try await spool.run("flush", port: server.port, environment: environment)
        #expect(next.output == "flushed: true\n")
        #expect(spool.files() == [])
        let request = try #require(server.requests.first)
        let report = try Report.decode(gzip: request.body).report
        #expect("\(report.header.id).jsonl.gz" == file)
        #expect(report.header.service == "SDKChild")
        #expect(report.header.release == "cart@1.4.2")
        #expect(report.header.environment == "test")
        #expect(report.header.sdk == SDKFacts(name: "mayday-swift", version: "0.1.0"))
        #expect(report.header.process.name == "SDKChild")
        let host = try #require(report.header.host)
        #expect([host.pod, host.namespace, host.node, host.instance] == ["cart-7d9f", "shop", "n-3", "a"])
        #expect(try report.header.process.path == BuiltProduct.path("SDKChild"))
        #expect(report.header.process.started != nil)
        let kernel = try String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)
        #expect(report.header.host?.kernel == kernel.trimmingCharacters(in: .newlines))
        #expect(report.crash?.message?.contains("the cart is empty") == true)
    }

    @Test func `a crash is delivered before the process ends`() async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        let outcome = try await spool.run("crash", port: server.port, environment: facts)
        #expect(outcome.status == .signalled(SIGILL) || outcome.status == .signalled(SIGTRAP))
        let id = try #require(server.requests.first?.reportID)
        #expect(server.requests.count == 1)
        let said = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("mayday: ") }
        #expect(said.count == 2 && said[0].contains("; report \(id) written to \(spool.path)/"), "\(said)")
        #expect(said.last == "mayday: report \(id) delivered to collector at 127.0.0.1:\(server.port)")
        #expect(outcome.output.isEmpty)
        #expect(spool.files() == [])
    }

    @Test func `a crash without a spool is delivered from memory`() async throws {
        let spool = try TestSpool()
        chmod(spool.root, 0o777)
        let server = try ScriptedServer { .created($0) }
        let outcome = try await spool.run("crash", port: server.port, environment: facts)
        #expect(outcome.status == .signalled(SIGILL) || outcome.status == .signalled(SIGTRAP))
        #expect(outcome.errors.contains("is writable by others"))
        let id = try #require(server.requests.first?.reportID)
        #expect(outcome.errors.contains("mayday: report \(id) delivered to collector at 127.0.0.1:\(server.port)\n"))
    }

    /// Above 4.3 seconds the nanoseconds no longer fit into 32 bits. Long enough for a busy machine to send its request.
    @Test(arguments: ["15s", "20s"])
    func `a collector that hangs holds up the crash until the deadline, and the report stays`(deadline: String)
        async throws
    {
        let spool = try TestSpool()
        let server = try ScriptedServer { _ in .hang }
        let environment = facts.merging(["MAYDAY_DELIVERY_DEADLINE": deadline]) { $1 }
        let outcome = try await spool.run("crash", port: server.port, environment: environment)
        #expect(outcome.status == .signalled(SIGILL) || outcome.status == .signalled(SIGTRAP))
        #expect(server.requests.count == 1)
        #expect(spool.reports().count == 1)
        #expect(outcome.errors.contains("kept in \(spool.path)/"))
    }

    @Test func `a report that the collector refuses is set aside at the crash`() async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { _ in .status(400, body: #"{"error":"no"}"#) }
        let outcome = try await spool.run("crash", port: server.port, environment: facts)
        let id = try #require(server.requests.first?.reportID)
        #expect(spool.files() == ["collector.discarded", "rejected"])
        let aside = "\(spool.path)/rejected/\(id).jsonl.gz"
        #expect(
            outcome.errors.contains(
                "mayday: report \(id) rejected, set aside in \(aside): collector at 127.0.0.1:\(server.port): no (400)\n"
            )
        )
    }
}
