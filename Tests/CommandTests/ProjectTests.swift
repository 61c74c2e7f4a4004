#if os(Linux)
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
            let token = try await collector.run("projects", "rotate", "admin").output
            let bearer = ["Authorization": "Bearer \(token.dropFirst("MAYDAY_ADMIN_TOKEN=".count).dropLast())"]
            let client = try HTTPClient(port: serving.port)
            #expect(try client.request("GET", "/api/2/issues", headers: bearer).status == 200)
            #expect(await serving.stop().status == .exited(0))
        }
    }
#endif
