#if os(Linux)
    import CrashReport
    import Foundation
    import MaydayTestKit
    import Testing
    import TestSupport

    @testable import Store

    @Suite("mayday resolve, mute and reopen")
    struct DecisionTests {
        @Test("an issue is resolved, regresses with the next report, is muted, opened again, and listed as what it is")
        func overTime() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let key = try await serving.key()
            func post(_ release: String, _ seed: UInt64) async throws {
                // Equal but for the id, so that they are one issue.
                var report = SampleReport(release: release).report()
                report.header.id = "0193a7f2-6e1c-7000-8000-\(String(format: "%012x", seed))"
                #expect(try serving.post(report.encode(), key: key).status == 201)
                _ = await serving.child.line(containing: "digest: report \(report.header.id)", in: .errors)
            }
            try await post("checkout@1.4.2", 1)
            let resolved = try await collector.run("resolve", "1", "--in", "checkout@1.4.3")
            #expect(resolved.status == .exited(0), "\(resolved.errors)")
            #expect(resolved.output.hasPrefix("issue 1 is resolved in checkout@1.4.3: "))
            try await post("checkout@1.4.2", 2)
            let all = try await collector.run("list", "--status", "all")
            #expect(all.output.contains(" 1  resolved in checkout@1.4.3\n"))
            let unresolved = try await collector.run("list")
            #expect(unresolved.status == .exited(1) && unresolved.output == "")
            #expect(
                unresolved.errors
                    == "mayday: no issue is open or regressed\n"
                    + "mayday: 1 resolved issue left out: --status all shows them too\n"
            )
            #expect(try await collector.run("list", "--status", "open").status == .exited(1))
            try await post("checkout@1.5.0", 3)
            #expect(try await collector.run("list").output.contains(" 1  regressed in checkout@1.5.0\n"))
            let listed = try await collector.run("list", "--status", "muted,regressed", "--json").output
            #expect(listed.contains(#""regressed_in":"checkout@1.5.0""#))
            #expect(listed.contains(#""first_release":"checkout@1.4.2""#))
            #expect(listed.contains(#""last_release":"checkout@1.5.0""#))
            #expect(listed.contains(#""count":3"#))
            let muted = try await collector.run("mute", "1", "--until-more", "2", "--for", "7d", "--json")
            #expect(muted.output.contains(#""muted_until_count":5"#), "\(muted.output)")
            // The answer is the object of the list.
            let object = try await collector.run("list", "--status", "muted", "--json").output
            let answer = try #require(muted.output.wholeMatch(of: /\{"issues":\[(.+)\],"undigested":.*\n/)).1
            #expect(answer.contains(#""environment":"production""#), "\(answer)")
            #expect(object.contains(answer), "\(object)")
            let shown = try await collector.run("show", "1").output
            #expect(shown.contains("Issue 1 of project default, muted until 20"))
            #expect(shown.contains("\n  hosts       1\n"))
            let reopened = try await collector.run("reopen", "1/1")
            #expect(reopened.output.hasPrefix("issue 1 is open: "))
            let log = await serving.stop().errors
            #expect(log.contains("is in issue 1, which is new"))
            #expect(log.contains("is in issue 1, which was resolved and is not"))
        }

        @Test("a release that is like none of the project's is resolved in, with a warning")
        func strangeRelease() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let key = try await serving.key()
            #expect(try serving.post(SampleReport(release: "checkout@1.4.2").gzip(), key: key).status == 201)
            #expect(await serving.stop().status == .exited(0))
            for release in ["garbage", "other@1"] {
                let resolved = try await collector.run("resolve", "1", "--in", release)
                #expect(resolved.status == .exited(0))
                #expect(
                    resolved.errors.hasPrefix(
                        "mayday: project 1 has had no release that \(release) comes before or after"
                    ),
                    "\(resolved.errors)"
                )
            }
            for release in ["checkout@1.4.2", "checkout@2.0.0-rc.1", "1.4.3"] {
                #expect(try await collector.run("resolve", "1", "--in", release).errors == "")
            }
        }

        @Test("a webhook and a command are told of new and regressed issues, and of nothing else")
        func notices() async throws {
            let collector = try Collector()
            // The first answer is a failure: the notice comes once more.
            let server = try ScriptedServer { .status($0.index == 0 ? 503 : 200) }
            let told = "\(collector.temporary.path)/told"
            let serving = try await collector.serve(
                "--webhook",
                "http://127.0.0.1:\(server.port)/hook",
                "--on-issue",
                "echo \"$MAYDAY_TEXT\" >> \(told)"
            )
            let key = try await serving.key()
            for (seed, release) in ["checkout@1.4.2", "checkout@1.4.2", "checkout@1.5.0"].enumerated() {
                if seed == 2 { _ = try await collector.run("resolve", "1") }
                var report = SampleReport(release: release).report()
                report.header.id = "0193a7f2-6e1c-7000-8000-00000000000\(seed)"
                #expect(try serving.post(report.encode(), key: key).status == 201)
                _ = await serving.child.line(containing: "digest: report \(report.header.id)", in: .errors)
            }
            let requests = await server.requests(atLeast: 3)
            let events = try requests.map { request in
                #expect(request.method == "POST" && request.path == "/hook")
                let json = try #require(
                    try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
                )
                let issue = try #require(json["issue"] as? [String: Any])
                return "\(json["event"] ?? "") \(issue["id"] ?? "") \(issue["count"] ?? "") \(json["release"] ?? "")"
            }
            #expect(events == ["new 1 1 checkout@1.4.2", "new 1 1 checkout@1.4.2", "regressed 1 3 checkout@1.5.0"])
            // At its end the collector gives a command only a few seconds.
            #expect(
                await eventually {
                    (try? String(contentsOfFile: told, encoding: .utf8))?.contains("Regressed: ") == true
                }
            )
            let outcome = await serving.stop()
            #expect(outcome.errors.contains("notify: the webhook answered 503; once more in 2.0 seconds"))
            let lines = try String(contentsOfFile: told, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 4, "\(lines)")
            let place = "production, on web-3): "
            #expect(lines.first?.hasPrefix("New issue 1/1 of project default (checkout@1.4.2, \(place)") == true)
            let second = lines.dropFirst(2).first ?? ""
            #expect(second.hasPrefix("Regressed: issue 1/1 of project default (checkout@1.5.0, \(place)"))
            #expect(lines.last == "mayday show 1/1")
        }

        @Test("a collector that was started with the end of children ignored learns of it all the same")
        func ignoredChildren() async throws {
            let collector = try Collector()
            let told = "\(collector.temporary.path)/told"
            let serving = try await collector.serve(
                "--on-issue",
                "echo told >> \(told)",
                through: ["/usr/bin/env", "--ignore-signal=CHLD"]
            )
            let report = SampleReport().report()
            #expect(try serving.post(report.encode(), key: try await serving.key()).status == 201)
            #expect(await eventually { FileManager.default.fileExists(atPath: told) })
            // It has told at its end how it went.
            #expect(!(await serving.stop()).errors.contains("notify:"))
            #expect(try String(contentsOfFile: told, encoding: .utf8) == "told\n")
        }

        @Test("issues that were new in a flood are told by their numbers after a kill", arguments: [false, true])
        func flood(isDatabase: Bool) async throws {
            let database = isDatabase ? try PostgresServer.running().freshURL() : nil
            let collector = try Collector(database: database)
            let server = try ScriptedServer { _ in .status(200) }
            let hook = "http://127.0.0.1:\(server.port)/hook"
            let serving = try await collector.serve("--webhook", hook)
            let key = try await serving.key()
            for number in 1...33 {
                var report = SampleReport(seed: UInt64(number)).report()
                report.header.fingerprint = "f\(number)"
                #expect(try serving.post(report.encode(), key: key).status == 201)
            }
            _ = await serving.child.line(containing: "too many at once", number: 3, in: .errors)
            // Kept by the thread that tells, beside the one that says so.
            #expect(
                await eventually {
                    (try? Self.note(collector, database))?.contains(#""count":3"#) == true
                }
            )
            _ = await server.requests(atLeast: 30)
            serving.child.kill(SIGKILL)
            _ = await serving.child.outcome()
            let again = try await collector.serve("--webhook", hook)
            let last = try #require(await server.requests(atLeast: 31).last)
            let json = try #require(try JSONSerialization.jsonObject(with: Data(last.body)) as? [String: Any])
            #expect(json["event"] as? String == "left_out" && json["count"] as? Int == 3)
            let text = try #require(json["text"] as? String)
            let expected = /3 notices were left out since 20\S+Z: 1\/\d+ new, 1\/\d+ new, 1\/\d+ new\nmayday list/
            #expect(text.wholeMatch(of: expected) != nil, "\(text)")
            _ = await again.stop()
            #expect(await server.requests(atLeast: 31).count == 31)
        }

        /// What is kept for the next process.
        private static func note(_ collector: Collector, _ database: String?) throws -> String? {
            let connection: any SQLConnection =
                if let database {
                    try PostgresConnection(try #require(PostgresAddress(database)))
                } else {
                    try SQLiteConnection(path: "\(collector.data)/mayday.sqlite", create: false)
                }
            return try connection.query("SELECT value FROM settings WHERE name LIKE 'note:%'") { $0.text(0) }.first
        }

        @Test("what cannot be decided is named, and nothing is changed")
        func refused() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            #expect(try serving.post(SampleReport().gzip(), key: await serving.key()).status == 201)
            _ = await serving.child.line(containing: "digest: report", in: .errors)
            let none = try await collector.run("resolve", "1", "2")
            #expect(none.status == .exited(1))
            #expect(none.errors.contains("no issue 2: `mayday list` shows the issues there are"))
            #expect(try await collector.run("list", "--status", "open").status == .exited(0))
            for (arguments, says) in [
                (["resolve", "x.gz"], "\"x.gz\" is no issue: give a number"),
                (["mute", "1", "--for", "7"], "--for 7: expected a whole number and s, m, h or d"),
                (["mute", "1", "--until-more", "0"], "--until-more 0: expected a whole number from 1"),
                (["list", "--status", "closed"], "closed: expected regressed, open, muted, resolved, unresolved, all"),
                (["list", "--status", "open,"], "--status open,: expected regressed, open"),
            ] {
                let outcome = try await ChildProcess.run(
                    Collector.mayday,
                    arguments,
                    environment: ["MAYDAY_DATA": collector.data]
                )
                #expect(outcome.status == .exited(2))
                #expect(outcome.errors.contains(says), "\(outcome.errors)")
            }
            _ = await serving.stop()
        }
    }
#endif
