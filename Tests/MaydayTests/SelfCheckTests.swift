import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Mayday

/// `Mayday.selfCheck` in real processes, one thing spoiled at a time.
@Suite(.patience) struct SelfCheckTests {
    private func check(
        _ arguments: [String] = [],
        in spool: TestSpool,
        _ environment: [String: String] = [:]
    ) async throws -> String {
        let environment = ["SWIFT_BACKTRACE": "enable=no"].merging(environment) { $1 }
        let outcome = try await spool.run(["check"] + arguments, port: 1, environment: environment)
        #expect(outcome.status == .exited(0))
        return outcome.output
    }

    /// The line of a check, and its remedy when it has one.
    private func finding(_ check: String, in text: String) -> [String] {
        let lines = text.split(separator: "\n").map(String.init)
        guard let index = lines.firstIndex(where: { $0.dropFirst(9).hasPrefix("\(check) ") }) else { return [] }
        let remedy = lines[(index + 1)...].prefix(1).filter { $0.hasPrefix(" ") }
        return [String(lines[index].prefix { $0 != " " })]
            + ([lines[index].dropFirst(9 + check.count)] + remedy[...].map { $0[...] })
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func `the text is a verdict, and a line for each finding with its remedy`() {
        let findings: [SelfCheck.Finding] = [
            .ok("capture", "started"), .warning("unwinder", "frame pointers", "install libunwind8"),
            .problem("spool", "none \u{1b}[31m"),
        ]
        #expect(
            SelfCheck(findings: findings).description == """
                Would I get a report? Not always: 1 problem and 1 warning.
                ok       capture   started
                warning  unwinder  frame pointers
                                   -> install libunwind8
                problem  spool     none \\u{1b}[31m
                """
        )
        #expect(SelfCheck(findings: findings).status == .problem)
        #expect(SelfCheck(findings: [findings[0]]).description.hasPrefix("Would I get a report? Yes.\n"))
        #expect(
            SelfCheck(findings: Array(findings.prefix(2))).description.hasPrefix(
                "Would I get a report? Yes, with 1 warning.\n"
            )
        )
    }

    @Test func `a healthy service is told yes`() async throws {
        let spool = try TestSpool()
        let text = try await check(in: spool)
        #expect(text.hasPrefix("Would I get a report? Yes.\n"), "\(text)")
        #expect(!text.contains("warning") && !text.contains("problem"), "\(text)")
        let checks = [
            "capture", "handlers", "signal masks", "alternate stacks", "unwinder", "SIGPROF", "spool",
            "waiting reports", "delivery", "libcurl", "build ids", "debug information", "file size limit",
            "descriptors", "pending signals", "seccomp",
        ]
        for name in checks { #expect(finding(name, in: text).first == "ok", "\(name): \(text)") }
        #expect(finding("spool", in: text)[1].hasPrefix("\(spool.path), can be written to, "))
        #expect(spool.files() == [])
    }

    @Test func `handlers that were taken over are named with who has them`() async throws {
        let spool = try TestSpool()
        let text = try await check(["replaced", "defaulted", "profiled"], in: spool)
        #expect(text.hasPrefix("Would I get a report? Not always: 1 problem.\n"), "\(text)")
        #expect(
            finding("handlers", in: text) == [
                "problem",
                "taken over after start: SIGBUS goes to the default action, SIGSEGV goes to a handler in the service's own binary",
                "-> let that be installed before Mayday.start, or let it call the handler that was there before it",
            ]
        )
        #expect(finding("SIGPROF", in: text)[1].hasPrefix("used by a handler in the service's own binary"))
    }

    @Test func `Swift's own backtracer is found in the chain`() async throws {
        let spool = try TestSpool()
        let text = try await check(in: spool, ["SWIFT_BACKTRACE": "enable=yes"])
        let handlers = finding("handlers", in: text)
        #expect(handlers.first == "ok")
        #expect(
            handlers[1].hasPrefix("first for every captured signal; then Swift's backtracer (libswiftCore.so) for ")
        )
        #expect(handlers[1].contains("SIGSEGV"))
        #expect(
            finding("SWIFT_BACKTRACE", in: text)[1].hasPrefix("\"enable=yes\"; where it is on, Swift's")
        )
    }

    @Test func `a thread that blocks faults is named`() async throws {
        let spool = try TestSpool()
        let text = try await check(["blocked"], in: spool)
        let masks = finding("signal masks", in: text)
        #expect(masks[1].hasPrefix("a crash is not captured on 1 thread that blocked what faults raise: "), "\(text)")
        #expect(masks[1].hasSuffix("\"SDKChild\" (SIGILL SIGFPE)"), "\(text)")
    }

    @Test func `libraries that are missing are named with the package to install`() async throws {
        let spool = try TestSpool()
        let libraries = try TemporaryDirectory()
        for name in ["libunwind.so.8"] {
            try Data("not a library".utf8).write(to: URL(fileURLWithPath: "\(libraries.path)/\(name)"))
        }
        let text = try await check(in: spool, ["LD_LIBRARY_PATH": libraries.path])
        #expect(finding("unwinder", in: text).first == "warning")
        #expect(finding("unwinder", in: text).last == "-> install libunwind8 and start again")
        #expect(LibrarySearch.find("libcurl.so.4") != nil)
        #expect(LibrarySearch.find("libmayday-is-not-there.so.4") == nil)
    }

    @Test func `without a spool it is said where a report goes`() async throws {
        let spool = try TestSpool()
        chmod(spool.root, 0o777)
        let text = try await check(in: spool)
        #expect(finding("spool", in: text)[1].hasPrefix("none: a report that cannot be delivered at the crash goes to"))
        let nowhere = try await check(in: spool, ["MAYDAY_DELIVERY_DEADLINE": "0"])
        #expect(finding("delivery", in: nowhere).first == "warning")
    }

    @Test func `reports that wait or were refused are counted`() async throws {
        let spool = try TestSpool()
        try spool.add(seed: 3)
        try spool.add(seed: 1)
        let oldest = TestSpool.report(seed: 1).header.time.prefix(10)
        let waiting = finding("waiting reports", in: try await check(in: spool))
        #expect(waiting.first == "warning")
        #expect(
            waiting[1].hasPrefix("2 reports could not be delivered yet, the oldest since \(oldest)"),
            "\(waiting)"
        )
        try FileManager.default.createDirectory(atPath: "\(spool.path)/rejected", withIntermediateDirectories: false)
        let report = try #require(spool.files().first { $0.hasSuffix(".jsonl.gz") })
        try FileManager.default.moveItem(atPath: "\(spool.path)/\(report)", toPath: "\(spool.path)/rejected/\(report)")
        let refused = finding("waiting reports", in: try await check(in: spool))
        #expect(refused[1] == "1 report to deliver, and 1 that the backend refused")
    }

    @Test func `a backend that asked for a pause is named with its end`() async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        let until = Timestamp.now().advanced(by: .seconds(3_600))
        func pause(_ port: UInt16) throws {
            try spool.write(Array("\(until)\nhttp://127.0.0.1:\(port)/api/1/reports\n".utf8), to: "collector.pause")
        }
        try pause(1)
        let text = try await check(in: spool)
        #expect(text.hasPrefix("Would I get a report? Yes, with 1 warning.\n"), "\(text)")
        #expect(
            finding("delivery", in: text) == [
                "warning",
                "nothing is sent to collector at 127.0.0.1:1 before \(until), as it asked; reports wait in the spool",
                "-> see there why; to try sooner, remove \(spool.path)/collector.pause",
            ]
        )
        let environment = ["MAYDAY_SELF_CHECK": "1", "SWIFT_BACKTRACE": "enable=no"]
        let other = try await spool.run(port: server.port, environment: environment)
        #expect(other.errors.hasPrefix("mayday: Would I get a report? Yes.\n"), "\(other.errors)")
        try pause(server.port)
        let asked = try await spool.run(port: server.port, environment: environment)
        #expect(asked.errors.hasPrefix("mayday: Would I get a report? Yes, with 1 warning.\n"), "\(asked.errors)")
        #expect(asked.errors.contains(": it is there, and is sent reports after the pause that it asked for\n"))
    }

    @Test func `a process that may not do much is told what that costs`() async throws {
        let spool = try TestSpool()
        let script = "ulimit -f 100; exec \"$@\""
        let outcome = try await ChildProcess.run(
            "/bin/sh",
            ["-c", script, "sh", BuiltProduct.path("SDKChild"), "check", "few-descriptors"],
            environment: ["MAYDAY_SPOOL": spool.root]
        )
        #expect(finding("file size limit", in: outcome.output).first == "warning", "\(outcome.output)")
        #expect(finding("descriptors", in: outcome.output).first == "warning", "\(outcome.output)")
        let none = try await check(["no-descriptors"], in: spool)
        #expect(finding("descriptors", in: none).first == "problem", "\(none)")
    }

    @Test func `MAYDAY_SELF_CHECK has start print the check, and rehearse when asked to`() async throws {
        let spool = try TestSpool()
        let server = try ScriptedServer { .created($0) }
        let environment = ["MAYDAY_SELF_CHECK": "1", "SWIFT_BACKTRACE": "enable=no"]
        let checked = try await spool.run(port: server.port, environment: environment)
        #expect(checked.output == "started\n")
        #expect(
            checked.errors.hasPrefix("mayday: Would I get a report? Yes.\nmayday: ok       capture "),
            "\(checked.errors)"
        )
        let rehearsing = try spool.child("stay", port: server.port, environment: ["MAYDAY_SELF_CHECK": "rehearse"])
        let line = await rehearsing.line(containing: "rehearsal: ", in: .errors)
        #expect(line?.contains(" delivered to collector at ") == true, "\(line ?? "")")
        rehearsing.kill(SIGKILL)
        let wrong = try await spool.run(port: server.port, environment: ["MAYDAY_SELF_CHECK": "please"])
        #expect(wrong.output == "start: MAYDAY_SELF_CHECK is \"please\": write true, false or rehearse\n")
    }

    @Test func `a service that did not start is told no`() async throws {
        let spool = try TestSpool()
        let text = try await check(in: spool, ["MAYDAY_ENABLED": "no"])
        #expect(text.hasPrefix("Would I get a report? No.\nproblem  capture "), "\(text)")
        #expect(finding("capture", in: text).last == "-> set MAYDAY_ENABLED=true, or `enabled` in the configuration")
        let none = SelfCheck.run(nil)
        #expect(none.findings.first?.text == "no crash is captured: Mayday.start was not called")
    }

    @Test func `sections of a file are read, and what is no such file is none`() throws {
        let own = try #require(ELFSections(path: BuiltProduct.path("SDKChild")))
        #expect(own.contains(".text") && own.contains(".debug_info") && !own.contains(".nothing"))
        #expect(ELFSections(path: "/etc/passwd") == nil && ELFSections(path: "/none") == nil)
        // Headers that point anywhere.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: BuiltProduct.path("SDKChild"))).prefix(4_096)
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: 7)
        for round in 0..<200 {
            var damaged = bytes
            for _ in 0..<8 {
                damaged[Int.random(in: 5..<64, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let path = "\(directory.path)/\(round)"
            try damaged.write(to: URL(fileURLWithPath: path))
            _ = ELFSections(path: path)
        }
    }
}
