import Foundation
import TestSupport
import Testing

/// What a service meets in the wild: no collector, a bad one, no disk. It starts, it ends as it would without Mayday, and
/// no report is lost.
@Suite struct TroubleTests {
    private let bug = Bug.allCases[0]

    enum Collectors: String, CaseIterable, Sendable {
        case down, slow, dripping, failing, busy, gone, closing, talkingNonsense

        var answer: ScriptedServer.Answer {
            switch self {
            case .down, .closing: .close
            case .slow: .hang
            case .dripping: .drip
            case .failing: .status(500, body: #"{"error": "out of order"}"#)
            case .busy: .status(503, headers: ["Retry-After": "30"], body: #"{"error": "busy"}"#)
            case .gone: .status(404, body: #"{"error": "no such project"}"#)
            case .talkingNonsense: .bytes("SSH-2.0-OpenSSH_9.2\r\n")
            }
        }
    }

    @Test(arguments: Collectors.allCases)
    func reportOutlivesABadCollector(_ kind: Collectors) async throws {
        try await Children.turnstile.pass {
            let home = try TemporaryDirectory()
            let bad = try ScriptedServer { _ in kind.answer }
            if kind == .down { bad.stop() }
            let variables = ["MAYDAY_DSN": "http://key@127.0.0.1:\(bad.port)/1", "MAYDAY_DELIVERY_DEADLINE": "1"]
            let crashed = try await Checkout(.debug, home: home, variables).crash(bug)
            #expect(crashed.status == .signalled(bug.signal))
            #expect(crashed.errors.contains("not delivered"), "\(crashed.errors)")
            #expect(Children.reports(in: home.path).count == 1)

            // The next start finds a collector that works.
            let collector = try Collector()
            let serving = try await collector.serve()
            let next = try await Checkout(.debug, home: home, ["MAYDAY_DSN": try await serving.secret("MAYDAY_DSN")])
            #expect(await next.child.line(containing: "1 report from the spool delivered", in: .errors) != nil)
            next.child.kill(SIGTERM)
            _ = await next.child.outcome()
            #expect(Children.reports(in: home.path) == [])
            #expect(try await issues(of: collector, after: serving).map(\.count) == [1])
        }
    }

    @Test func withoutASpoolTheReportIsDeliveredFromMemory() async throws {
        try await Children.turnstile.pass {
            let home = try TemporaryDirectory()
            let collector = try Collector()
            let serving = try await collector.serve()
            let variables = ["MAYDAY_DSN": try await serving.secret("MAYDAY_DSN"), "MAYDAY_SPOOL": "/dev/null/spool"]
            let service = try await Checkout(.debug, home: home, variables)
            #expect(try service.ask("GET", "/healthz").status == 200)
            let crashed = try await service.crash(bug)
            #expect(crashed.status == .signalled(bug.signal))
            #expect(crashed.errors.contains("reports live in memory only"), "\(crashed.errors)")
            #expect(try await issues(of: collector, after: serving).map(\.title) == [bug.title])
        }
    }

    /// As in a container whose disk and network are gone: its log is all that is left.
    @Test func withoutASpoolAndACollectorTheReportIsImportedFromTheLog() async throws {
        try await Children.turnstile.pass {
            let home = try TemporaryDirectory()
            let collector = try Collector()
            let serving = try await collector.serve()
            let dsn = try await serving.secret("MAYDAY_DSN")
            #expect(await serving.stop().status == .exited(0))
            let service = try await Checkout(
                .debug,
                home: home,
                ["MAYDAY_DSN": dsn, "MAYDAY_SPOOL": "/dev/null/spool", "MAYDAY_DELIVERY_DEADLINE": "5"]
            )
            let crashed = try await service.crash(bug)
            #expect(crashed.status == .signalled(bug.signal))
            let log = "\(home.path)/container.log"
            let lines = crashed.errors.split(separator: "\n").map { "2026-11-30T10:00:00.123456789Z stderr F \($0)\n" }
            try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: log))
            let imported = try await collector.run("import", log)
            #expect(imported.output == "1 imported\n", "\(imported.errors)")
            #expect(imported.status == .exited(0))
            #expect(try await collector.run("list").output.contains(bug.title))
        }
    }

    #if arch(x86_64)
        /// A Swift service under Docker's seccomp profile, its reporter too.
        @Test(arguments: Build.tested, ["thread", "dispatch", "task"])
        func inAContainersSandbox(_ build: Build, _ stage: String) async throws {
            try await Children.turnstile.pass {
                let home = try TemporaryDirectory()
                let collector = try Collector()
                let serving = try await collector.serve()
                var environment = Children.environment(home: home)
                environment["MAYDAY_DSN"] = try await serving.secret("MAYDAY_DSN")
                environment["MAYDAY_SPOOL"] = "\(home.path)/spool"
                environment["CHILD_EXECUTE"] = "\(build.gallery) index-out-of-range --thread \(stage)"
                let crashed = try await ChildProcess.run(
                    BuiltProduct.path("CaptureChild"),
                    ["--no-capture", "--sandbox", "container", "become"],
                    environment: environment,
                    turnstile: nil
                )
                #expect(crashed.status == .signalled(SIGILL))
                #expect(crashed.errors.contains(" delivered to collector at "), "\(crashed.errors)")
                #expect(Children.reports(in: home.path) == [])
                #expect(try await issues(of: collector, after: serving).map(\.title) == ["Index out of range"])
            }
        }
    #endif

    @Test(
        .enabled(if: geteuid() == 0, "needs root, to mount a file system that is full"),
        arguments: [
            "cat /dev/zero >$HOME/spool/checkout/full 2>/dev/null || true", "mount -o remount,ro full $HOME/spool",
        ]
    )
    func withoutRoomOnTheDiskTheReportIsDeliveredFromMemory(_ spoil: String) async throws {
        try await Children.turnstile.pass {
            let home = try TemporaryDirectory()
            let collector = try Collector()
            let serving = try await collector.serve()
            var environment = Children.environment(home: home)
            environment["MAYDAY_DSN"] = try await serving.secret("MAYDAY_DSN")
            environment["MAYDAY_SPOOL"] = "\(home.path)/spool"
            // The file system is this child's alone and goes with it.
            let script = """
                set -e
                mkdir $HOME/spool
                mount -t tmpfs -o size=64k,mode=700 full $HOME/spool
                mkdir -m 700 $HOME/spool/checkout
                \(spoil)
                exec \(Build.debug.gallery) index-out-of-range
                """
            environment["MAYDAY_SERVICE"] = "checkout"
            let crashed = try await ChildProcess.run(
                "/usr/bin/unshare",
                ["--mount", "/bin/sh", "-c", script],
                environment: environment,
                turnstile: nil
            )
            #expect(crashed.status == .signalled(SIGILL), "\(crashed.errors)")
            #expect(crashed.errors.contains("in memory"), "\(crashed.errors)")
            #expect(
                try await issues(of: collector, after: serving).map(\.title) == ["Index out of range"],
                "\(crashed.errors)"
            )
        }
    }

    @Test(arguments: [
        ("ftp://key@127.0.0.1:7171/1", "scheme"), ("http://127.0.0.1:7171/1", "key"), ("http://key@:7171/1", "host"),
        ("http://key@127.0.0.1:port/1", "port"), ("http://key@127.0.0.1:7171", "project"),
    ])
    func wrongDSNIsNamedByItsPart(_ dsn: String, _ part: String) async throws {
        let home = try TemporaryDirectory()
        let environment = Children.environment(home: home).merging(["MAYDAY_DSN": dsn]) { $1 }
        let outcome = try await ChildProcess.run(Build.debug.gallery, ["list"], environment: environment)
        #expect(outcome.errors.contains("the DSN in MAYDAY_DSN: \(part) "), "\(outcome.errors)")
        #expect(outcome.output == "", "the service did not start")
    }

    @Test func servicesThatShareASpoolDeliverTheirOwn() async throws {
        try await Children.turnstile.pass {
            let home = try TemporaryDirectory()
            var environment = Children.environment(home: home)
            environment["MAYDAY_SPOOL"] = "\(home.path)/spool"
            environment["MAYDAY_DELIVERY_DEADLINE"] = "0"
            _ = try await ChildProcess.run(
                Build.debug.gallery,
                ["abort"],
                environment: environment,
                turnstile: nil
            )
            _ = try await Checkout(.debug, home: home, ["MAYDAY_DELIVERY_DEADLINE": "0"]).crash(bug)
            #expect(Children.reports(in: home.path).count == 2)

            let collector = try Collector()
            let serving = try await collector.serve()
            let next = try await Checkout(.debug, home: home, ["MAYDAY_DSN": try await serving.secret("MAYDAY_DSN")])
            #expect(await next.child.line(containing: "1 report from the spool delivered", in: .errors) != nil)
            next.child.kill(SIGTERM)
            _ = await next.child.outcome()
            let left = Children.reports(in: home.path)
            #expect(left.count == 1)
            #expect(left.first?.hasPrefix("spool/gallery/") == true)
            #expect(try await issues(of: collector, after: serving).map(\.title) == [bug.title])
        }
    }

    @Test func killFromOutsideEndsTheServiceAndSaysWhoSentIt() async throws {
        try await Children.turnstile.pass {
            let home = try TemporaryDirectory()
            let collector = try Collector()
            let serving = try await collector.serve()
            let service = try await Checkout(.debug, home: home, ["MAYDAY_DSN": try await serving.secret("MAYDAY_DSN")])
            service.child.kill(SIGSEGV)
            #expect(await service.child.outcome().status == .signalled(SIGSEGV))
            let sender = "SIGSEGV sent by another process of user \(getuid())"
            #expect(try await issues(of: collector, after: serving).map(\.title) == [sender])
        }
    }

    @Test(arguments: Build.tested, ["null-read", "fatal-error", "abort"])
    func coreFileIsAsWithoutMayday(_ build: Build, _ kind: String) async throws {
        try await Children.turnstile.pass {
            var dumped: [Bool] = []
            for variables in [["GALLERY_WITHOUT_MAYDAY": "1"], ["MAYDAY_DELIVERY_DEADLINE": "0"]] {
                let home = try TemporaryDirectory()
                // A shell raises the soft limit again that the other children are given.
                let outcome = try await ChildProcess.run(
                    "/bin/sh",
                    ["-c", "cd $HOME && ulimit -S -c $(ulimit -H -c) && exec \(build.gallery) \(kind)"],
                    environment: Children.environment(home: home).merging(variables) { $1 },
                    turnstile: nil
                )
                dumped.append(outcome.dumpedCore)
            }
            #expect(dumped[0] == dumped[1])
        }
    }

    /// The issues of a collector, once it has digested all it took.
    private func issues(of collector: Collector, after serving: Serving) async throws -> [IssueList.Issue] {
        #expect(await serving.stop().status == .exited(0))
        let list = try await collector.run("list", "--json")
        return try JSONDecoder().decode(IssueList.self, from: Data(list.output.utf8)).issues
    }
}
