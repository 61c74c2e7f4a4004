#if os(Linux)
    import CrashReport
    import Foundation
    import Testing
    import TestSupport

    @Suite("Commands on another collector")
    struct RemoteTests {
        @Test("every command prints the same of a collector over HTTP as of its store")
        func sameAsLocal() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let key = try await serving.key()
            for sample in [
                SampleReport.old(1), .old(2, hours: 5), .old(3, hours: 2, message: nil, function: "pay(with:)"),
            ] {
                #expect(try serving.post(sample.gzip(), key: key).status == 201)
                _ = await serving.child.line(containing: "digest: report \(sample.report().header.id)", in: .errors)
            }
            let remote = [
                "MAYDAY_ADMIN_TOKEN": try await serving.secret("MAYDAY_ADMIN_TOKEN"),
                "MAYDAY_SERVER": "http://127.0.0.1:\(serving.port)",
            ]
            let id = SampleReport.old(1).report().header.id
            let range = ["--since", "2024-01-15", "--until", "2024-01-16"]
            for line in [
                ["list"], ["list", "--json"], ["list", "--sort", "count", "--limit", "1"],
                ["list", "--status", "muted"], ["list", "--status", "open,regressed"], ["list", "--page", "2"],
                ["list", "--project", "default"], ["show", "1", "--project", "default"],
                ["list", "--new-in", "checkout@1.4.2"], ["list", "--text", "INDEX", "--kind", "crash"],
                ["list"] + range,
                ["list", "--signal", "segv"], ["list", "--tag", "region=eu-1"], ["list", "--project", "7"],
                ["reports"], ["reports", "1", "--json"], ["reports", "--host", "web-3", "--page", "2", "--limit", "1"],
                ["show", "1"], ["show", "1", "--why"], ["show", String(id.prefix(18)), "--full"],
                ["show", id, "--json"],
                ["show", "99"], ["show", "abcdef"], ["stats"] + range, ["stats", "1", "--json"] + range,
                ["stats", "--by", "issue"], ["stats", "--by", "host", "--json"],
                ["stats", "--by", "tag:region"], ["stats", "--by", "tag:region", "--json"],
                ["stats", "--by", "tag:none"], ["export"],
                ["export", "1", "--format", "csv"], ["export", "--full"], ["export", "--signal", "HUP"],
                ["projects", "list"],
            ] {
                let here = try await run(line, ["MAYDAY_DATA": collector.data])
                let there = try await run(line, remote)
                #expect(there.status == here.status, "\(line): \(there.errors)")
                #expect(there.output == here.output, "\(line)")
                #expect(there.errors == here.errors, "\(line)")
            }
            let resolved = try await run(["resolve", "1", "2", "--in", "checkout@1.4.3"], remote)
            #expect(resolved.output.hasPrefix("issue 1 is resolved in checkout@1.4.3: "), "\(resolved.errors)")
            #expect(try await collector.run("list", "--status", "resolved").status == .exited(0))
            let muted = try await run(["mute", "1", "--until-more", "7", "--for", "2h", "--json"], remote)
            #expect(muted.output.contains(#""muted_until_count":9"#), "\(muted.output)")
            #expect(try await run(["reopen", "1"], remote).output.hasPrefix("issue 1 is open: "))
            let merged = try await run(["merge", "2", "1"], remote)
            #expect(merged.output.hasPrefix("issue 2 is part of issue 1 now: "), "\(merged.errors)")
            for environment in [remote, ["MAYDAY_DATA": collector.data]] {
                let shown = try await run(["show", "2"], environment)
                #expect(shown.output.hasPrefix("Issue 1 of project default, open, 3 occurrences"), "\(shown.errors)")
                #expect(shown.output.contains("\n  was also    2\n"))
                #expect(
                    try await run(["merge", "2", "1"], environment).errors.contains("2 and 1 are one issue already")
                )
                let none = try await run(["merge", "1", "7"], environment)
                #expect(none.status == .exited(1) && none.errors.contains("no issue 7"), "\(none.errors)")
            }
            _ = await serving.stop()
            let away = try await run(["list"], remote)
            #expect(away.status == .exited(3))
            #expect(away.errors.contains("http://127.0.0.1:\(serving.port) cannot be reached: "), "\(away.errors)")
        }

        @Test("a wrong token, none, and what is no collector are said with what to do")
        func refused() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let server = "http://127.0.0.1:\(serving.port)"
            let cases: [([String: String], [String], Int32, String)] = [
                (["MAYDAY_ADMIN_TOKEN": "wrong"], [], 3, "does not take the token in MAYDAY_ADMIN_TOKEN: `"),
                (
                    ["MAYDAY_ADMIN_TOKEN": "wrong", "MAYDAY_READER_TOKEN": "right"], [], 3,
                    "the token in MAYDAY_ADMIN_TOKEN, which goes before MAYDAY_READER_TOKEN: `mayday projects rotate admin`"
                ),
                ([:], [], 2, "--server needs a token of that collector in MAYDAY_READER_TOKEN"),
                (["MAYDAY_ADMIN_TOKEN": "a b"], [], 2, "MAYDAY_ADMIN_TOKEN is no token"),
                (
                    ["MAYDAY_ADMIN_TOKEN": "x"], ["--data", "d"], 2,
                    "--server is another collector than --data or --store"
                ),
            ]
            for (environment, more, status, says) in cases {
                let outcome = try await run(["list", "--server", server] + more, environment)
                #expect(outcome.status == .exited(status))
                #expect(outcome.errors.contains(says), "\(outcome.errors)")
                #expect(!outcome.errors.contains("wrong") || status != 3)
            }
            let bad = try await run(["list", "--server", "ftp://x"], ["MAYDAY_ADMIN_TOKEN": "x"])
            #expect(bad.errors.contains("--server ftp://x: expected http://HOST:PORT or https://HOST"))
            _ = await serving.stop()
        }

        @Test(
            "with MAYDAY_SERVER, what works on a store of its own machine alone says so and leaves ./mayday-data alone"
        )
        func localOnly() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let token = try await serving.secret("MAYDAY_ADMIN_TOKEN")
            let remote = [
                "MAYDAY_SERVER": "http://127.0.0.1:\(serving.port)", "MAYDAY_ADMIN_TOKEN": token,
                "MAYDAY_DATA": collector.data,
            ]
            for line in [
                "projects add x", "projects keep 1", "check", "backup \(collector.temporary.path)/backup",
                "symbols list",
            ] {
                let outcome = try await run(line.split(separator: " ").map(String.init), remote)
                #expect(outcome.status == .exited(2))
                #expect(
                    outcome.errors.contains("MAYDAY_SERVER names another collector, and `mayday "),
                    "\(outcome.errors)"
                )
            }
            let list = try await run(["symbols", "list", "--server", "http://127.0.0.1:\(serving.port)"], remote)
            #expect(list.status == .exited(2))
            #expect(list.errors.contains("--server: debug files are not listed over HTTP"), "\(list.errors)")
            for line in [["check"], ["backup", "x"]] {
                let outcome = try await run(line + ["--server", "http://127.0.0.1:\(serving.port)"], remote)
                #expect(outcome.status == .exited(2))
                #expect(outcome.errors.contains("works on the store of its own machine only: run it where"))
            }
            // A flag names the store that is meant, and these work there.
            #expect(try await run(["check", "--data", collector.data], remote).output == "ok\n")
            let doctor = try await run(["doctor"], remote)
            #expect(doctor.output.hasPrefix("collector at http://127.0.0.1:\(serving.port)\n"), "\(doctor.output)")
            #expect(doctor.output.contains("MAYDAY_ADMIN_TOKEN is taken"), "\(doctor.output)")
            let added = try await run(["symbols", "add", try BuiltProduct.path("SDKChild")], remote)
            #expect(added.output.hasPrefix("added "), "\(added.output)\(added.errors)")
            _ = await serving.stop()
        }

        @Test("doctor --server says that the token is not taken: exit 1")
        func wrongToken() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let outcome = try await run(
                ["doctor", "--server", "http://127.0.0.1:\(serving.port)"],
                ["MAYDAY_ADMIN_TOKEN": "wrong", "COLUMNS": "1000"]
            )
            #expect(outcome.status == .exited(1))
            #expect(outcome.output.contains("does not take the token in MAYDAY_ADMIN_TOKEN"), "\(outcome.output)")
            #expect(outcome.output.contains("1 problem, 0 warnings"))
            _ = await serving.stop()
        }

        private func run(_ arguments: [String], _ environment: [String: String]) async throws -> ChildProcess.Outcome {
            try await ChildProcess.run(Collector.mayday, arguments, environment: environment)
        }
    }
#endif
