import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Mayday

/// `Mayday.start` in real processes.
@Suite(.patience) struct StartTests {
    private func run(_ arguments: [String] = [], _ environment: [String: String]) async throws -> ChildProcess.Outcome {
        try await ChildProcess.run(BuiltProduct.path("SDKChild"), arguments, environment: environment)
    }

    @Test func `a start is silent, and leaves a spool behind`() async throws {
        let home = try TemporaryDirectory()
        let outcome = try await run([], ["HOME": home.path, "MAYDAY_SERVICE": "cart"])
        #expect(outcome.status == .exited(0))
        #expect(outcome.output == "started\n")
        #expect(outcome.errors == "")
        #expect(access("\(home.path)/.local/state/mayday/cart", F_OK) == 0)
    }

    @Test func `a second start changes nothing and says so`() async throws {
        let home = try TemporaryDirectory()
        let outcome = try await run(["start-again"], ["HOME": home.path])
        #expect(outcome.status == .exited(0))
        #expect(outcome.output == "Mayday.start was called before: call it once, as the first line of main\n")
    }

    @Test func `not enabled is not there`() async throws {
        let home = try TemporaryDirectory()
        let outcome = try await run([], ["HOME": home.path, "MAYDAY_ENABLED": "no"])
        #expect(outcome.output == "started\n")
        #expect(outcome.errors == "")
        #expect(access("\(home.path)/.local", F_OK) != 0)
    }

    @Test(arguments: [
        (["MAYDAY_DELIVERY_DEADLINE": "soon"], "MAYDAY_DELIVERY_DEADLINE is \"soon\": write seconds from 0 to 60"),
        (["MAYDAY_SPOOL": "spool"], "MAYDAY_SPOOL is \"spool\": write an absolute path"),
        (["MAYDAY_DSN": "http://h/1"], "the DSN in MAYDAY_DSN: key is missing"),
    ])
    func `a mistake in the environment is an error that names it`(environment: [String: String], text: String)
        async throws
    {
        let outcome = try await run([], environment)
        #expect(outcome.status == .exited(2))
        #expect(outcome.output.hasPrefix("start: \(text)"))
    }

    @Test func `a value that is not UTF-8 is an error that names the variable`() async throws {
        let shell = "MAYDAY_SERVICE=$(printf 'a\\377b') exec \"$1\""
        let outcome = try await ChildProcess.run("/bin/sh", ["-c", shell, "sh", BuiltProduct.path("SDKChild")])
        #expect(outcome.status == .exited(2))
        #expect(outcome.output == "start: MAYDAY_SERVICE is \"a\u{fffd}b\": write it in UTF-8\n")
    }

    @Test func `without a spool the service starts, and one line says what that means`() async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o777)
        let outcome = try await run([], ["MAYDAY_SPOOL": directory.path])
        #expect(outcome.status == .exited(0))
        #expect(outcome.output == "started\n")
        #expect(
            outcome.errors == """
                mayday: warning: reports live in memory only, and one that cannot be delivered at the crash goes to \
                standard error, for `mayday import`: \(directory.path) is writable by others (mode 0777); set MAYDAY_SPOOL \
                to a directory that does not exist yet, below one that this user may write to

                """
        )
    }

    @Test func `nothing runs at rest`() async throws {
        let home = try TemporaryDirectory()
        let outcome = try await run(["measure"], ["HOME": home.path])
        #expect(outcome.output.hasSuffix("threads 1\n"))
    }

    /// Runs the child with so many descriptors, with a report waiting, and the same without Mayday.
    private func compare(_ arguments: [String], descriptors: Int, port: UInt16) async throws -> ChildProcess.Outcome {
        let spool = try TestSpool()
        let id = try spool.add(seed: 1)
        func run(enabled: Bool) async throws -> ChildProcess.Outcome {
            // Without what another test's child let slip.
            let script = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n \(descriptors); exec \"$@\""
            return try await ChildProcess.run(
                "/bin/sh",
                ["-c", script, "sh", BuiltProduct.path("SDKChild")] + arguments,
                environment: [
                    "MAYDAY_SPOOL": spool.root, "MAYDAY_SERVICE": spool.service, "MAYDAY_ENABLED": "\(enabled)",
                    "MAYDAY_DSN": "http://KEY@127.0.0.1:\(port)/1", "SWIFT_BACKTRACE": "enable=no",
                    "MAYDAY_DELIVERY_DEADLINE": Patience.delivery,
                ]
            )
        }
        let (own, plain) = (try await run(enabled: true), try await run(enabled: false))
        // With 7 Dispatch has taken the last, or has not yet, when the service opens its file: with or without Mayday it may be
        // ended by Dispatch.
        if descriptors != 7 {
            #expect(own.status == plain.status, "\(own.errors)")
            #expect(own.output == plain.output)
        }
        #expect(spool.reports().contains(id))
        return own
    }

    private static let fewDescriptors =
        "mayday: warning: few file descriptors are left to the service: none is held for a crash, and what waits in the spool "
        + "is not delivered now; raise the limit of open files (ulimit -n)\n"

    /// Dispatch takes four, and ends the process when it gets none.
    @Test(arguments: 4...20)
    func `a service that works with few descriptors works with Mayday`(descriptors: Int) async throws {
        let server = try ScriptedServer { .created($0) }
        defer { server.stop() }
        // Below 7 Dispatch itself fails, or does not: there only a service without it is sure to work.
        for kind in descriptors < 7 ? ["sync"] : ["sync", "work"] {
            let outcome = try await compare([kind], descriptors: descriptors, port: server.port)
            #expect(outcome.status == .exited(0))
            #expect(outcome.errors.hasPrefix(Self.fewDescriptors))
            #expect(outcome.errors.contains("handled errors wait in memory") == (kind == "sync"))
        }
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [7, 8, 9, 14, 20])
    func `a crash with few descriptors is told whole, and delivered or said not to be`(descriptors: Int) async throws {
        let server = try ScriptedServer { .created($0) }
        defer { server.stop() }
        let outcome = try await compare(["work", "crash"], descriptors: descriptors, port: server.port)
        #expect(outcome.status == .signalled(SIGILL))
        let lines = outcome.errors.split(separator: "\n").filter { $0.hasPrefix("mayday: ") }
        let last = try #require(lines.last)
        if descriptors < 15 {
            #expect(
                last.contains(
                    " not delivered: few file descriptors are left, raise the limit of open files (ulimit -n); kept in "
                )
            )
        } else {
            #expect(last.hasSuffix(" delivered to collector at 127.0.0.1:\(server.port)"))
            #expect(server.requests.count == 1)
        }
    }

    /// Files may not have a byte: the kernel ends who writes one, and a report in memory is a file to it.
    @Test func `where no file may be written, nothing ends the service, and a crash is delivered`() async throws {
        let server = try ScriptedServer { .created($0) }
        defer { server.stop() }
        func run(_ arguments: String...) async throws -> ChildProcess.Outcome {
            let spool = try TestSpool()
            try spool.add(seed: 1)
            return try await ChildProcess.run(
                "/bin/sh",
                ["-c", "ulimit -f 0; exec \"$@\"", "sh", BuiltProduct.path("SDKChild")] + arguments,
                environment: [
                    "MAYDAY_SPOOL": spool.root, "MAYDAY_SERVICE": spool.service, "SWIFT_BACKTRACE": "enable=no",
                    "MAYDAY_DSN": "http://KEY@127.0.0.1:\(server.port)/1",
                    "MAYDAY_DELIVERY_DEADLINE": Patience.delivery,
                ]
            )
        }
        let place = " delivered to collector at 127.0.0.1:\(server.port)"
        let worked = try await run("work", "capture")
        #expect(worked.status == .exited(0), "\(worked.errors)")
        #expect(worked.output == "worked: true\n")
        let crashed = try await run("crash")
        #expect(crashed.errors.contains("\(place)\n"), "\(crashed.errors)")
        #expect(!crashed.errors.contains("base64"))
        let rehearsed = try await run("rehearse")
        #expect(rehearsed.output.contains("\(place) in "), "\(rehearsed.output)")
        let checked = try await run("check")
        #expect(checked.output.contains("no file may have any bytes (RLIMIT_FSIZE 0)"), "\(checked.output)")
        #expect(checked.output.contains("raise the limit of a file's size (ulimit -f)"))
    }

    /// A pipe takes 64 KiB before somebody reads, unless it is asked to take more.
    @Test func `where no file may be written, a report that is larger than a pipe is delivered whole`() async throws {
        let server = try ScriptedServer { .created($0) }
        let spool = try TestSpool()
        let crashed = try await ChildProcess.run(
            "/bin/sh",
            ["-c", "ulimit -f 0; exec \"$@\"", "sh", BuiltProduct.path("SDKChild"), "tell", "large"],
            environment: [
                "MAYDAY_SPOOL": spool.root, "MAYDAY_SERVICE": spool.service, "SWIFT_BACKTRACE": "enable=no",
                "MAYDAY_DSN": "http://KEY@127.0.0.1:\(server.port)/1", "MAYDAY_DELIVERY_DEADLINE": Patience.delivery,
            ]
        )
        #expect(crashed.errors.contains(" delivered to collector at 127.0.0.1:\(server.port)\n"), "\(crashed.errors)")
        let body = try #require(server.requests.first).body
        let decoded = try Report.decode(gzip: body)
        #expect(body.count > 64 << 10 && server.requests.count == 1)
        #expect(decoded.isComplete && decoded.report.breadcrumbs.count == 128 && decoded.report.threads.count > 500)
    }

    @Test func `without libunwind the service starts, and one line says what to install`() async throws {
        let home = try TemporaryDirectory()
        try Data("not a library".utf8).write(to: URL(fileURLWithPath: "\(home.path)/libunwind.so.8"))
        let outcome = try await run([], ["HOME": home.path, "LD_LIBRARY_PATH": home.path])
        #expect(outcome.output == "started\n")
        #expect(outcome.errors.hasPrefix("mayday: warning: stacks are found by frame pointers"))
        #expect(outcome.errors.contains("install libunwind8"))
    }
}
