#if os(Linux)
    import CrashReport
    import Foundation
    import Store
    import Testing
    import TestSupport

    @Suite("mayday projects and delete")
    struct ProjectsTests {
        @Test("looking at what a project keeps and may send changes nothing, and a flag only what it names")
        func limits() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let token = try await serving.secret("MAYDAY_ADMIN_TOKEN")
            func projects(_ line: String) async throws -> String {
                let arguments = ["projects"] + line.split(separator: " ").map(String.init)
                let outcome = try await ChildProcess.run(
                    Collector.mayday,
                    arguments,
                    environment: ["MAYDAY_DATA": collector.data]
                )
                #expect(outcome.status == .exited(0), "\(outcome.errors)")
                return outcome.output
            }
            let everything = "project 1 keeps all reports\n"
            let soon = "; what is beyond that goes within 10 minutes of `mayday serve`"
            #expect(try await projects("keep 1") == everything)
            #expect(try await projects("keep 1 --reports 10") == "project 1 keeps at most 10 reports\(soon)\n")
            #expect(try await projects("keep 1 --age 36h") == "project 1 keeps at most 36h, 10 reports\(soon)\n")
            #expect(try await projects("keep 1") == "project 1 keeps at most 36h, 10 reports\n")
            #expect(try await projects("limit 1") == "project 1 may send as many as it has\n")
            #expect(try await projects("limit 1 --per-day 9") == "project 1 may send at most 9 a day\n")
            #expect(
                try await projects("limit 1 --per-minute 5") == "project 1 may send at most 5 a minute, 9 a day\n"
            )
            #expect(
                try await projects("limit 1 --json") == #"{"per_day":9,"per_minute":5,"project":1}"# + "\n"
            )
            #expect(try serving.post(SampleReport().gzip(), key: try await serving.key()).status == 201)
            let list = try await projects("list").split(separator: "\n")
            #expect(list.first == "ID  NAME     REPORTS  ISSUES  LAST REPORT, UTC  KEEPS            MAY SEND")
            #expect(
                list.last?.wholeMatch(
                    of:
                        #/ 1  default        1       [01]  \d{4}-\d\d-\d\d \d\d:\d\d  36h, 10 reports  5 a minute, 9 a day/#
                ) != nil,
                "\(list)"
            )
            let remote = try await ChildProcess.run(
                Collector.mayday,
                ["projects", "list", "--json"],
                environment: [
                    "MAYDAY_ADMIN_TOKEN": token, "MAYDAY_SERVER": "http://127.0.0.1:\(serving.port)",
                ]
            )
            #expect(
                remote.output.contains(
                    #""keep":{"age_seconds":129600,"bytes":null,"reports":10},"last_report":"20"#
                ),
                "\(remote.output)\(remote.errors)"
            )
            #expect(
                try await projects("keep 1 --none --json")
                    == #"{"age_seconds":null,"bytes":null,"project":1,"reports":null}"# + "\n"
            )
            #expect(try await projects("keep 1") == everything)
            #expect(try await projects("limit 1 --none") == "project 1 may send as many as it has\n")
            _ = await serving.stop()
        }

        @Test("reports, issues and projects are deleted while they are served, with --yes or when a person says so")
        func deletion() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let key = try await serving.key()
            for seed in 0..<4 {
                // Three of one issue, and one of another.
                var report = SampleReport(seed: seed == 3 ? 3 : 0).report()
                report.header.id = "0193a7f2-6e1c-7000-8000-00000000000\(seed)"
                #expect(try serving.post(report.encode(), key: key).status == 201)
                _ = await serving.child.line(containing: "digest: report \(report.header.id)", in: .errors)
            }
            let id = "0193a7f2-6e1c-7000-8000-000000000002"
            let refused = try await collector.run("delete", id)
            #expect(refused.status == .exited(2))
            #expect(
                refused.errors.contains("this deletes report \(id) for good, and nobody can be asked here: give --yes")
            )
            func answer(_ text: String) async throws -> ChildProcess.Outcome {
                let command = "script -qec '\(Collector.mayday) delete \(id)' /dev/null"
                return try await ChildProcess.run(
                    "/bin/sh",
                    ["-c", "echo \(text) | \(command)"],
                    environment: ["MAYDAY_DATA": collector.data, "PATH": "/usr/bin:/bin"]
                )
            }
            #expect(try await answer("n").output.contains("nothing was deleted"))
            #expect(try await answer("y").output.contains("1 report deleted"))
            #expect(try await collector.run("show", id).status == .exited(1))
            #expect(try await collector.run("delete", "1", "--yes", "--json").output == #"{"reports":2}"# + "\n")
            #expect(try Listed.count(try await collector.run("list", "--json").output) == 1)
            #expect(try await collector.run("check", "--reports").output == "ok, 1 reports read\n")
            let only = try await collector.run("projects", "remove", "1", "--yes")
            #expect(only.status == .exited(1) && only.errors.contains("project 1 is the only one"))
            let added = try await collector.run("projects", "add", "tpyo")
            #expect(added.status == .exited(0))
            #expect(
                try await collector.run("projects", "remove", "2").output
                    == "project 2, tpyo, is removed, with 0 reports\n"
            )
            _ = try await collector.run("projects", "add", "other")
            let full = try await collector.run("projects", "remove", "1")
            #expect(full.status == .exited(2) && full.errors.contains("with 1 report for good"), "\(full.errors)")
            let removed = try await collector.run("projects", "remove", "1", "--yes")
            #expect(removed.output == "project 1, default, is removed, with 1 report\n", "\(removed.errors)")
            #expect(try serving.post(SampleReport(seed: 9).gzip(), key: key).status >= 400)
            #expect(try await collector.run("check", "--reports").output == "ok, 0 reports read\n")
            _ = await serving.stop()
        }

        @Test("a project that has the number of another for a name since before is meant by its id")
        func numbered() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            _ = await serving.stop()
            let store = try StoreLocation.directory(DataDirectory(collector.data)).open()
            let added = try store.addProject(name: "1", key: Secret.random().hash, at: .now())
            #expect(added?.id == 2)
            let removed = try await collector.run("projects", "remove", "2")
            #expect(removed.output == "project 2, 1, is removed, with 0 reports\n", "\(removed.errors)")
        }

        @Test(
            "what is wrong with the limits is named",
            arguments: [
                ("keep", "keep needs the id or the name of a project"),
                ("limit", "limit needs the id or the name of a project"),
                ("keep 1 --age 90", "--age 90: expected a whole number and s, m, h or d"),
                ("keep 1 --bytes 0", "--bytes 0: expected a whole number, with K, M, G or T"),
                ("keep 1 --bytes 20", "--bytes 20: less than 1M holds hardly a report: write M, G or T"),
                ("keep 1 --bytes 1023K", "--bytes 1023K: less than 1M holds hardly a report"),
                (
                    "add 3",
                    "add 3: a number is the id of a project in these commands: give another name, such as project-3"
                ),
                ("add admin", "add admin: that is a token in these commands: give another name"),
                ("add reader", "add reader: that is a token"), ("add symbols", "add symbols: that is a token"),
                ("add -- -x", "add -x: what begins with a dash is a flag in these commands: give another name"),
                ("keep 1 --bytes 9999999999T", "--bytes 9999999999T: expected"),
                ("keep 1 --reports 0", "--reports 0: expected a whole number from 1"),
                ("keep 1 --per-day 5", "--per-day is no flag of keep: it takes --age, --reports, --bytes or --none"),
                ("limit 1 --none --per-day 5", "--none takes every limit away, and --per-day sets one"),
            ]
        )
        func wrong(line: String, says: String) async throws {
            let arguments = ["projects"] + line.split(separator: " ").map(String.init)
            let outcome = try await ChildProcess.run(Collector.mayday, arguments)
            #expect(outcome.status == .exited(2))
            #expect(outcome.errors.contains(says), "\(outcome.errors)")
        }
    }
#endif
