#if os(Linux)
    import CrashReport
    import Foundation
    import Testing
    import TestSupport

    @Suite("projects, and the issues of several of them")
    struct ProjectTests {
        private func run(_ collector: Collector, _ arguments: [String]) async throws -> ChildProcess.Outcome {
            try await ChildProcess.run(Collector.mayday, arguments, environment: ["MAYDAY_DATA": collector.data])
        }

        @Test("projects: added and rotated while serve runs; the old key is refused at once")
        func projects() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let added = try await collector.run("projects", "add", "payments")
            let match = try #require(
                added.output.wholeMatch(of: /MAYDAY_DSN=http:\/\/([0-9a-f]+)@127\.0\.0\.1:(\d+)\/2\n/)
            )
            #expect(UInt16(match.2) == serving.port)
            #expect(try serving.post(SampleReport().gzip(), key: String(match.1), project: 2).status == 201)
            let rotated = try await collector.run("projects", "rotate", "2", "--json")
            let fresh = try #require(rotated.output.firstMatch(of: /http:\/\/([0-9a-f]+)@/)).1
            #expect(try serving.post(SampleReport().gzip(), key: String(match.1), project: 2).status == 401)
            #expect(try serving.post(SampleReport().gzip(), key: String(fresh), project: 2).status == 200)
            let list = try await collector.run("projects", "list").output
            #expect(list.contains("\n 1  default ") && list.contains("\n 2  payments "), "\(list)")
            // With a second project every id that is printed has its project, whatever is beside it.
            _ = await serving.child.line(containing: "digest: report", in: .errors)
            for arguments in [
                ["list"], ["list", "--project", "payments"], ["reports"], ["resolve", "1"], ["reopen", "2/1"],
            ] {
                let said = try await run(collector, arguments)
                #expect(said.output.contains("2/1"), "\(arguments): \(said.output) \(said.errors)")
            }
            let shown = try await run(collector, ["show", "1", "--project", "payments"])
            #expect(shown.output.hasPrefix("Issue 2/1 of project payments, open, "), "\(shown.output)")
            for (arguments, status, says) in [
                (["show", "2/1", "--project", "1"], Int32(2), "--project 1 is not the project of 2/1: leave one out"),
                (["reports", "2/1", "--project", "default"], 2, "--project default is not the project of 2/1"),
                (["mute", "2/1", "--project", "1"], 2, "--project 1 is not the project of 2/1"),
                (["list", "--project", "paymint"], 1, "no project paymint: `mayday projects list` shows"),
                (["list", "--page", "3"], 1, "there are fewer issues than that: --page 1 has the first of them"),
                (["reports", "--page", "3"], 1, "there are fewer reports than that: --page 1 has the first of them"),
            ] {
                let refused = try await run(collector, arguments)
                #expect(refused.status == .exited(status), "\(arguments)")
                #expect(refused.errors.contains(says), "\(refused.errors)")
            }
            #expect(try await collector.run("projects", "add", "payments").status == .exited(1))
            #expect(try await collector.run("projects", "rotate", "9").status == .exited(1))
            #expect(
                try await collector.run("projects", "keep", "payments", "--age", "9d").output
                    == "project 2 keeps at most 9d; what is beyond that goes within 10 minutes of `mayday serve`\n"
            )
            #expect(try await collector.run("projects", "limit", "payments").output.hasPrefix("project 2 may send"))
            #expect(try await collector.run("projects", "rotate", "payments").output.hasSuffix("/2\n"))
            let token = try await collector.run("projects", "rotate", "admin").output
            let bearer = ["Authorization": "Bearer \(token.dropFirst("MAYDAY_ADMIN_TOKEN=".count).dropLast())"]
            let client = try HTTPClient(port: serving.port)
            #expect(try client.request("GET", "/api/2/issues", headers: bearer).status == 200)
            #expect(await serving.stop().status == .exited(0))
        }

        @Test("what the holder of each token may do, over HTTP")
        func tokens() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let key = try await serving.key()
            _ = try await collector.run("projects", "add", "payments")
            let report = SampleReport()
            #expect(try serving.post(report.gzip(), key: key).status == 201)
            _ = await serving.child.line(containing: "digest: report", in: .errors)
            let id = report.report().header.id

            func rotated(_ arguments: String...) async throws -> String {
                let said = try await run(collector, ["projects", "rotate"] + arguments).output
                return String(said.drop { $0 != "=" }.dropFirst().dropLast())
            }
            let admin = try await serving.secret("MAYDAY_ADMIN_TOKEN")
            let replaced = try await rotated("reader")
            let tokens = [
                admin, try await rotated("reader"), try await rotated("reader", "default"),
                try await rotated("reader", "payments"), try await rotated("symbols"), replaced, key, "",
            ]
            let client = try HTTPClient(port: serving.port)
            // In the order of the tokens.
            for (method, path, statuses) in [
                ("GET", "/api/issues", [200, 200, 200, 200, 403, 401, 401, 401]),
                ("GET", "/api/1/issues", [200, 200, 200, 403, 403, 401, 401, 401]),
                ("GET", "/api/issues?project=1", [200, 200, 200, 403, 403, 401, 401, 401]),
                ("GET", "/api/1/issues?project=2", [200, 200, 403, 403, 403, 401, 401, 401]),
                ("GET", "/api/1/issues/1", [200, 200, 200, 403, 403, 401, 401, 401]),
                ("GET", "/api/reports", [200, 200, 200, 200, 403, 401, 401, 401]),
                ("GET", "/api/reports?project=1", [200, 200, 200, 403, 403, 401, 401, 401]),
                ("GET", "/api/1/reports/\(id)", [200, 200, 200, 403, 403, 401, 401, 401]),
                ("GET", "/api/2/reports/\(id)", [404, 404, 403, 404, 403, 401, 401, 401]),
                ("GET", "/api/1/reports/\(id)/file", [200, 200, 200, 403, 403, 401, 401, 401]),
                ("HEAD", "/api/1/issues", [200, 200, 200, 403, 403, 401, 401, 401]),
                ("GET", "/api/1/statistics", [200, 200, 200, 403, 403, 401, 401, 401]),
                ("GET", "/api/projects", [200, 200, 200, 200, 403, 401, 401, 401]),
                ("POST", "/api/1/issues/1/status?decision=reopen", [200, 403, 403, 403, 403, 401, 401, 401]),
                ("GET", "/api/1/symbols/0123456789abcdef", [404, 403, 403, 403, 404, 401, 401, 401]),
                ("PUT", "/api/1/symbols/0123456789abcdef", [400, 403, 403, 403, 400, 401, 401, 401]),
            ] {
                for (token, status) in zip(tokens, statuses) {
                    let headers = token.isEmpty ? [:] : ["Authorization": "Bearer \(token)"]
                    let answer = try client.request(method, path, headers: headers)
                    #expect(answer.status == status, "\(method) \(path) as \(tokens.firstIndex(of: token) ?? -1)")
                }
            }
            // Passed over, they would be answered with more than was meant.
            for path in [
                "/api/issues?relase=a", "/api/1/issues/1?limit=2", "/api/reports?sort=last", "/api/1/reports/\(id)?x=1",
                "/api/1/reports/\(id)/file?x=1", "/api/statistics?status=open", "/api/projects?project=1",
                "/api/issues?after=",
            ] {
                let answer = try client.request("GET", path, headers: ["Authorization": "Bearer \(tokens[2])"])
                let name = try #require(path.firstMatch(of: /\?(\w+)=/)).1
                #expect(answer.status == 400, "\(path)")
                #expect(answer.body.contains("\(name): no parameter of this: "), "\(answer.body)")
            }
            let decision = try client.request(
                "POST",
                "/api/1/issues/1/status?decision=mute&untill=2026-01-01T00:00:00Z",
                headers: ["Authorization": "Bearer \(admin)"]
            )
            #expect(decision.status == 400)
            #expect(decision.body.contains("untill: no parameter of this: here are decision, in, until, more, into"))
            func list(_ token: String, _ arguments: String...) async throws -> ChildProcess.Outcome {
                try await ChildProcess.run(
                    Collector.mayday,
                    arguments,
                    environment: ["MAYDAY_SERVER": "http://127.0.0.1:\(serving.port)", "MAYDAY_READER_TOKEN": token]
                )
            }
            let every = try await list(tokens[1], "projects", "list").output
            #expect(every.contains("default") && every.contains("payments"))
            let own = try await list(tokens[3], "projects", "list").output
            #expect(!own.contains("default") && own.contains("payments"), "\(own)")
            #expect(try await list(tokens[2], "list").output.contains("1  "), "without a second project's prefix")
            #expect(try await list(tokens[3], "list").status == .exited(1), "there is nothing in its project")
            let refused = try await list(tokens[1], "resolve", "1")
            #expect(
                refused.errors.contains("with the token in MAYDAY_READER_TOKEN: this token only reads"),
                "\(refused.errors)"
            )
            let old = try await list(replaced, "list")
            #expect(
                old.errors.contains("does not take the token in MAYDAY_READER_TOKEN: `mayday projects rotate reader`")
            )
            #expect(await serving.stop().status == .exited(0))
        }
    }
#endif
