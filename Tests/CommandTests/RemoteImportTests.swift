#if os(Linux)
    import CrashReport
    import Foundation
    import MaydayTestKit
    import Testing
    import TestSupport

    @Suite("mayday import into another collector")
    struct RemoteImportTests {
        private let temporary: TemporaryDirectory
        private let spool: String
        private let samples = (1...3).map { SampleReport.old(UInt64($0)) }

        init() throws {
            temporary = try TemporaryDirectory()
            spool = "\(temporary.path)/spool"
            try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: true)
            for sample in samples {
                let file = URL(fileURLWithPath: "\(spool)/\(sample.report().header.id).jsonl.gz")
                try Data(sample.gzip()).write(to: file)
            }
        }

        private func run(_ arguments: [String], _ environment: [String: String]) async throws -> ChildProcess.Outcome {
            try await ChildProcess.run(Collector.mayday, ["import"] + arguments, environment: environment)
        }

        @Test("reports arrive once, however often they are sent, and beside what the project may send")
        func arrives() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            #expect(try await collector.run("projects", "add", "shop").status == .exited(0))
            #expect(try await collector.run("projects", "limit", "2", "--per-day", "1").status == .exited(0))
            let remote = [
                "MAYDAY_SERVER": "http://127.0.0.1:\(serving.port)",
                "MAYDAY_ADMIN_TOKEN": try await serving.secret("MAYDAY_ADMIN_TOKEN"),
            ]
            let which = try await run([spool], remote)
            #expect(which.status == .exited(2) && which.errors.contains("there are 2 projects"), "\(which.errors)")
            let first = try await run([spool, "--project", "shop"], remote)
            #expect(first.status == .exited(0) && first.output == "3 imported\n", "\(first.errors)")
            let again = try await run([spool, "--project", "2", "--json"], remote)
            #expect(again.output.contains(#""imported":[],"#), "\(again.output)")
            #expect(again.output.contains(samples[2].report().header.id))
            let listed = { try await collector.run("reports", "--project", "shop", "--json").output }
            #expect(try await eventually { try await listed().components(separatedBy: #""state":"done""#).count == 4 })
            #expect(await serving.stop().status == .exited(0))
        }

        @Test("only the admin token imports", arguments: ["reader", "symbols"])
        func tokens(kind: String) async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let rotated = try await collector.run("projects", "rotate", kind, "--json").output
            let token = try #require(rotated.firstMatch(of: /"([0-9a-f]{32,})"/)).1
            let answer = try serving.post(samples[0].gzip(), key: String(token))
            #expect(answer.status == 403 && answer.body.contains("the project's key, or the admin token"))
            let server = "http://127.0.0.1:\(serving.port)"
            let needs =
                "needs the admin token of that collector in MAYDAY_ADMIN_TOKEN (`mayday projects rotate admin` there makes "
                + "another): a reader's token brings no reports in"
            let cases: [([String: String], Int32, String)] = [
                ([:], 2, "--server \(needs)"), (["MAYDAY_READER_TOKEN": String(token)], 2, "--server \(needs)"),
                (
                    ["MAYDAY_ADMIN_TOKEN": "wrong"], 3,
                    "in MAYDAY_ADMIN_TOKEN: `mayday projects rotate admin` makes another"
                ),
                (
                    ["MAYDAY_ADMIN_TOKEN": String(token)], 3,
                    "in MAYDAY_ADMIN_TOKEN: that is not its admin token; `mayday projects rotate admin` there makes"
                ),
            ]
            for (environment, status, says) in cases {
                for flags in [[], ["--project", "1"]] {
                    let refused = try await run([spool, "--server", server] + flags, environment)
                    #expect(refused.status == .exited(status))
                    #expect(refused.errors.contains(says), "\(refused.errors)")
                    #expect(!refused.errors.contains("import again"), "\(refused.errors)")
                }
            }
            #expect(await serving.stop().status == .exited(0))
        }

        /// A collector with one project that answers these to reports, the last of them for ever.
        private func scripted(_ answers: [ScriptedServer.Answer]) throws -> (ScriptedServer, [String: String]) {
            let server = try ScriptedServer { request in
                guard request.method == "POST" else {
                    return .status(200, body: #"{"projects":[{"id":1,"name":"default"}]}"#)
                }
                return answers[min(request.index - 1, answers.count - 1)]
            }
            return (server, ["MAYDAY_SERVER": "http://127.0.0.1:\(server.port)", "MAYDAY_ADMIN_TOKEN": "secret"])
        }

        @Test(
            "who asks to wait is waited for; who breaks off is asked again; what is refused is named, and the rest goes on"
        )
        func waits() async throws {
            let (server, remote) = try scripted([
                .status(429, headers: ["Retry-After": "1"]), .status(503, headers: ["Retry-After": "1"]), .close,
                .status(201), .status(413, body: #"{"error":"too large"}"#), .status(200),
            ])
            let outcome = try await run([spool], remote)
            #expect(outcome.status == .exited(1))
            #expect(outcome.output == "1 imported, 1 there already, 1 refused\n", "\(outcome.errors)")
            let id = samples.map { $0.report().header.id }.sorted()[1]
            #expect(outcome.errors == "mayday: \(spool)/\(id).jsonl.gz: too large\n")
            let posts = server.requests.dropFirst()
            #expect(posts.count == 6)
            // The same report each time, until it is there.
            #expect(Set(posts.prefix(4).map(\.body)).count == 1)
        }

        @Test("who asks for longer than ten minutes is not waited for: exit 3, with what is there so far")
        func tooLong() async throws {
            let asks = ScriptedServer.Answer.status(
                429,
                headers: ["Retry-After": "3600"],
                body: #"{"error":"one a day"}"#
            )
            let (server, remote) = try scripted([.status(201), asks])
            let outcome = try await run([spool], remote)
            #expect(outcome.status == .exited(3))
            let says =
                "http://127.0.0.1:\(server.port) answered 429: one a day; 1 report is there, import again for the rest\n"
            #expect(outcome.errors == "mayday: \(says)")
        }
    }
#endif
