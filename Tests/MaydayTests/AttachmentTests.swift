import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Mayday

/// Files that reports take along, by children that really crash.
@Suite(.patience) struct AttachmentTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
        let path = "\(directory.path)/\(name)"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func facts(_ more: [String: String]) -> [String: String] {
        ["SWIFT_BACKTRACE": "enable=no"].merging(more) { $1 }
    }

    private func text(_ file: AttachedFile?) -> String { String(decoding: file?.data ?? [], as: UTF8.self) }

    @Test func `a crash takes files along, and names those that cannot be read`() async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        let log = try file("checkout.log", Array("the last line\n".utf8))
        let large = try file("large", [UInt8](repeating: 1, count: 600 << 10) + Array("end".utf8))
        let fifo = "\(directory.path)/fifo"
        #expect(mkfifo(fifo, 0o600) == 0)
        let added = [large, fifo, "/dev/zero", "/proc/version", "\(directory.path)/gone", directory.path]
        let environment = facts(["SDK_ATTACHMENTS": log, "SDK_ADDED": added.joined(separator: ":")])
        let outcome = try await spool.run("attach", "crash", port: server.port, environment: environment)
        #expect(outcome.status == .signalled(SIGILL) || outcome.status == .signalled(SIGTRAP))
        #expect(outcome.errors.contains("delivered to collector"), "\(outcome.errors)")
        let body = try #require(server.requests.first?.body)
        let report = try Report.decode(gzip: body).report
        let files = Dictionary(uniqueKeysWithValues: report.attachments.map { ($0.name, $0) })
        #expect(report.end != nil && files.count == 7)
        #expect(text(files["checkout.log"]) == "the last line\n" && files["checkout.log"]?.contentType == "text/plain")
        #expect(files["large"]?.data?.count == 512 << 10 && files["large"]?.wholeSize == 600 << 10 + 3)
        #expect(files["large"]?.data?.suffix(3) == Array("end".utf8)[...])
        // A file of /proc, whose size is 0.
        #expect(text(files["version"]).hasPrefix("Linux version"))
        #expect(files["fifo"]?.problem == "not a regular file" && files["zero"]?.problem == "not a regular file")
        #expect(files["gone"]?.problem?.contains("No such file") == true)
        #expect(
            files[directory.path.split(separator: "/").last.map(String.init) ?? ""]?.problem == "not a regular file"
        )
    }

    @Test func `what is delivered later has what was there at the crash`() async throws {
        let spool = try TestSpool()
        let log = try file("checkout.log", Array("at the crash".utf8))
        let environment = facts(["SDK_ATTACHMENTS": log])
        let crashed = try await spool.run("crash", port: 1, environment: environment)
        #expect(crashed.errors.contains("kept in"), "\(crashed.errors)")
        _ = try file("checkout.log", Array("later".utf8))
        let server = try ScriptedServer { .created($0) }
        #expect(try await spool.run("flush", port: server.port).output == "flushed: true\n")
        let report = try Report.decode(gzip: try #require(server.requests.first).body)
        #expect(report.report.attachments.map(text) == ["at the crash"] && report.warnings == [])
    }

    @Test func `where no reporter ran, the delivery reads the file`() async throws {
        let spool = try TestSpool()
        let log = try file("checkout.log", Array("at the crash".utf8))
        let environment = facts(["SDK_ATTACHMENTS": log, "MAYDAY_DELIVERY_DEADLINE": "0"])
        _ = try await spool.run("crash", port: 1, environment: environment)
        _ = try file("checkout.log", Array("later".utf8))
        let server = try ScriptedServer { .created($0) }
        #expect(try await spool.run("flush", port: server.port).output == "flushed: true\n")
        let report = try Report.decode(gzip: try #require(server.requests.first).body).report
        #expect(report.attachments.map(text) == ["later"])
    }

    @Test func `without a spool, too`() async throws {
        let spool = try TestSpool()
        chmod(spool.root, 0o777)
        let log = try file("checkout.log", Array("at the crash".utf8))
        let server = try ScriptedServer { .created($0) }
        _ = try await spool.run("crash", port: server.port, environment: facts(["SDK_ATTACHMENTS": log]))
        let report = try Report.decode(gzip: try #require(server.requests.first).body).report
        #expect(report.attachments.map(text) == ["at the crash"])
    }

    @Test func `a handled error has its own beside those of all reports`() async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        let log = try file("checkout.log", Array("line".utf8))
        let outcome = try await spool.run(
            "attach",
            port: server.port,
            environment: facts(["SDK_ATTACHMENTS": log, "SDK_ADDED": "relative"])
        )
        #expect(outcome.output == "flushed: true\n")
        #expect(outcome.errors.contains("the attachment relative is not in reports: write an absolute path"))
        let report = try Report.decode(gzip: try #require(server.requests.first).body).report
        #expect(report.attachments.map(\.name) == ["checkout.log", "cart.json", "comm"])
        #expect(report.attachments.map(text) == ["line", "{}", "SDKChild\n"])
        #expect(report.attachments.map(\.contentType) == ["text/plain", "application/json", nil])
    }

    @Test func `a path that is not absolute is a mistake of the configuration`() async throws {
        let outcome = try await TestSpool().run(port: 1, environment: ["SDK_ATTACHMENTS": "app.log"])
        #expect(
            outcome.output.contains(#"start: MaydayConfiguration.attachments is "app.log": write an absolute path"#)
        )
    }

    @Test func `number and time are bounded, and beforeSend sees what was read`() async throws {
        var report = TestSpool.report(seed: 1)
        let log = try file("log", Array("line".utf8))
        report.attachments = (0..<10).map { AttachedFile(name: "\($0)", path: log) }
        let rules = OutgoingRules(beforeSend: { report in
            report.attachments.removeAll { $0.problem != nil }
            return report.attachments.allSatisfy { $0.data == Array("line".utf8) }
        })
        let sent = try #require(await rules.sent(of: report))
        #expect(sent.attachments.map(\.name) == (0..<8).map { "\($0)" })
        await AttachmentFiles.read(into: &report, within: .zero)
        #expect(report.attachments.prefix(8).allSatisfy { $0.problem == "it could not be read in time" })
    }

    @Test func `at most eight files are named`() {
        for number in 0..<8 { #expect(Attachments.add(path: "/a/\(number)") == nil) }
        #expect(Attachments.add(path: "/b/7") == nil)
        #expect(Attachments.add(path: "/a/8") == "there are 8 already; remove one first")
        Attachments.remove("0")
        #expect(Attachments.add(path: "/a/\(String(repeating: "x", count: 65))")?.contains("above 64 bytes") == true)
        #expect(Attachments.add(path: "/\(String(repeating: "d/", count: 300))name")?.contains("too long") == true)
        #expect(Attachments.add(path: "/a/8") == nil)
        for number in 0...8 { Attachments.remove("\(number)") }
    }
}
