#if os(Linux)
    import CrashReport
    import Foundation
    import Store
    import Testing
    import TestSupport

    @Suite("mayday list, reports, show, projects")
    struct ReadingTests {
        /// A collector with three reports in two issues, stopped.
        private func filled() async throws -> Collector {
            let collector = try Collector()
            let serving = try await collector.serve()
            let key = try await serving.key()
            for sample in [
                SampleReport.old(1), .old(2, hours: 5),
                .old(3, hours: 2, message: nil, function: "Checkout.pay(with:)"),
            ] {
                #expect(try serving.post(sample.gzip(), key: key).status == 201)
            }
            #expect(await serving.stop().status == .exited(0))
            return collector
        }

        private func lines(_ outcome: ChildProcess.Outcome) -> [String] {
            outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }

        @Test("what a person sees of issues and reports, in 80 columns and in 120")
        func texts() async throws {
            let collector = try await filled()
            let list = try await collector.linesOnTerminal("list", columns: 80)
            #expect(try Golden.difference(list, "list.txt") == nil)
            let piped = try await collector.run("list", environment: ["COLUMNS": "60"])
            #expect(piped.status == .exited(0) && piped.errors == "")
            #expect(try Golden.difference(lines(piped), "list-piped.txt") == nil)
            let ofOne = try await collector.run("reports", "1")
            #expect(try Golden.difference(lines(ofOne), "reports-issue.txt") == nil)
            let wide = try await collector.linesOnTerminal("list", columns: 120)
            #expect(try Golden.difference(wide, "list-wide.txt") == nil)
            let reports = try await collector.linesOnTerminal("reports", columns: 80)
            #expect(try Golden.difference(reports, "reports.txt") == nil)
            let show = try await collector.run("show", "1")
            #expect(try Golden.difference(lines(show), "show-issue.txt") == nil)
            let why = try await collector.run("show", "1", "--why")
            #expect(try Golden.difference(lines(why), "show-why.txt") == nil)
            let range = ["--since", "2024-01-15", "--until", "2024-01-15T12:00:00Z"]
            let stats = try await ChildProcess.run(
                Collector.mayday,
                ["stats"] + range,
                environment: ["MAYDAY_DATA": collector.data]
            )
            #expect(try Golden.difference(lines(stats), "stats.txt") == nil)
            for (field, name) in [("project", "default"), ("service", "checkout")] {
                let counts = try await collector.run("stats", "--by", field)
                #expect(counts.output.contains("\n  \(name)  3  "), "\(counts.output)")
            }
            let first = try await collector.run("stats", "--by", "issue", "--limit", "1")
            #expect(first.errors == "mayday: there are more than these 1: --limit\n")
            let byIssue = try await collector.run("stats", "--by", "issue")
            #expect(try Golden.difference(lines(byIssue), "stats-by-issue.txt") == nil)
            let csv = try await collector.run("export", "--format", "csv")
            // When it was received is the time of the test.
            let stable = lines(csv).map { $0.replacing(#/,20(?:2[5-9]|[3-9]\d)-[^,]*/#, with: ",RECEIVED") }
            #expect(try Golden.difference(stable, "export.csv.txt") == nil)
            for found in [list, reports, lines(show)] {
                #expect(found.allSatisfy { $0.count <= 80 && !$0.contains("\u{1b}") })
            }
        }

        @Test("a report by the beginning of its id, by its file, and in JSON")
        func show() async throws {
            let collector = try await filled()
            let id = SampleReport.old(3, hours: 2, message: nil).report().header.id
            let stored = try await collector.run("show", String(id.prefix(13)))
            #expect(stored.status == .exited(0))
            #expect(stored.output.contains("Checkout.pay(with:)"))
            let file = "\(collector.temporary.path)/report.jsonl.gz"
            try Data(SampleReport.old(3, hours: 2, message: nil, function: "Checkout.pay(with:)").gzip())
                .write(to: URL(fileURLWithPath: file))
            let fromFile = try await collector.run("show", file, "--data", "/nonexistent")
            #expect(fromFile.status == .exited(0))
            #expect(fromFile.output == stored.output)
            let threads = try await collector.run("show", "1", "--thread", "worker-1")
            #expect(threads.output.contains("Thread 4712 \"worker-1\""), "\(threads.output)")
            #expect(try await collector.run("show", "1", "--thread", "4712").output == threads.output)
            let strange = try await collector.run("show", "1", "--thread", "worker-9")
            #expect(strange.status == .exited(1))
            #expect(strange.errors.contains("no thread worker-9: it has 4711 CheckoutService, 4712 worker-1, 4713 w"))
            let full = try await collector.run("show", "1", "--full")
            #expect(full.output.contains("Registers") && full.output.contains("Images"))
            let json = try await collector.run("show", String(id.prefix(13)), "--json")
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            )
            #expect(object["id"] as? String == id)
            #expect(object["threads"] is [Any] && object["state"] as? String == "done")
            #expect((object["host"] as? [String: Any])?["arch"] is String)
            let bare = try await collector.run("show", file, "--json")
            let inFile = try #require(try JSONSerialization.jsonObject(with: Data(bare.output.utf8)) as? [String: Any])
            #expect(Set(inFile.keys).isSubset(of: object.keys), "a file is shown as a stored report is")
            #expect(inFile["id"] as? String == id)
            for command in [["list"], ["reports", "1"], ["show", "1"], ["projects", "list"]] {
                let outcome = try await ChildProcess.run(
                    Collector.mayday,
                    command + ["--json", "--data", collector.data]
                )
                #expect(outcome.status == .exited(0))
                #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) }
            }
        }

        @Test("why symbols are missing and that the file was cut short is shown of a stored report as of its file")
        func remarks() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let key = try await serving.key()
            let gzip = [UInt8](SampleReport.symbolless().encode().dropLast(9))
            #expect(try serving.post(gzip, key: key).status == 201)
            _ = await serving.stop()
            let file = "\(collector.temporary.path)/report.jsonl.gz"
            try Data(gzip).write(to: URL(fileURLWithPath: file))
            for flags in [[], ["--full"]] {
                var texts: [String] = []
                for what in [file, SampleReport.symbolless().header.id] {
                    let outcome = try await ChildProcess.run(
                        Collector.mayday,
                        ["show", what, "--data", collector.data] + flags
                    )
                    texts.append(outcome.output)
                }
                #expect(texts[0] == texts[1])
                let text = texts[1].split(whereSeparator: \.isWhitespace).joined(separator: " ")
                #expect(text.contains("The file was cut short."), "\(text)")
                // Of the service's own image, not of the runtime's or the system's.
                #expect(
                    text.contains("/srv/checkout/CheckoutService: no such file or directory, and no debug file has")
                )
                #expect(!text.contains("libc.so.6: no such file"))
                #expect(text.contains("Grouped by kind: trap") == !flags.isEmpty)
            }
            let json = try await collector.run("show", "1", "--json")
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
            )
            let newest = try #require(object["newest_report"] as? [String: Any])
            #expect((newest["warnings"] as? [String])?.first == "The file was cut short.")
            #expect((newest["grouping"] as? [String])?.first?.hasPrefix("kind: trap") == true)
            let notes = try #require(newest["notes"] as? [[String: Any]])
            #expect(notes.contains { $0["image"] as? Int == 0 && ($0["text"] as? String)?.contains("/srv/") == true })
        }

        @Test("HTTP says the same as the command line")
        func http() async throws {
            let collector = try await filled()
            let serving = try await collector.serve()
            let token = try await collector.run("projects", "rotate", "admin").output
                .dropFirst("MAYDAY_ADMIN_TOKEN=".count).dropLast()
            let client = try HTTPClient(port: serving.port)
            let id = SampleReport.old(1).report().header.id
            for (path, arguments) in [
                ("issues", ["list"]), ("issues/1", ["show", "1"]), ("reports/\(id)", ["show", id]),
            ] {
                let answer = try client.request("GET", "/api/1/\(path)", headers: ["Authorization": "Bearer \(token)"])
                let outcome = try await ChildProcess.run(
                    Collector.mayday,
                    arguments + ["--json", "--data", collector.data]
                )
                #expect(answer.status == 200)
                #expect(answer.body == outcome.output)
            }
            let part = try client.request(
                "GET",
                "/api/1/reports/\(id.dropLast())",
                headers: ["Authorization": "Bearer \(token)"]
            )
            #expect(part.status == 404)
            _ = await serving.stop()
        }

        @Test("what is not there is said with what to do: exit 1")
        func notFound() async throws {
            let collector = try await filled()
            let damaged = "\(collector.temporary.path)/damaged.gz"
            try Data("no report".utf8).write(to: URL(fileURLWithPath: damaged))
            for (what, says) in [
                ("99", "no issue 99: `mayday list` shows"), ("2/1", "no issue 1 in project 2"),
                ("ffff", "no report whose id begins with ffff"), ("0", "several reports begin with 0: give more"),
                ("./nothing", "./nothing: No such file or directory; give an issue"),
                (damaged, "is not a report: not gzip data"),
                (collector.data, "is a directory and cannot be read: give a"),
            ] {
                let outcome = try await collector.run("show", what)
                #expect(outcome.status == .exited(1), "\(what)")
                #expect(outcome.output == "")
                #expect(outcome.errors.contains(says), "\(outcome.errors)")
            }
            let list = try await collector.run("list", "--project", "9")
            #expect(list.status == .exited(1))
            #expect(list.errors == "mayday: no project 9: `mayday projects list` shows those there are\n")
        }

        @Test("reports that wait are counted when nobody digests them, and shown as they are")
        func undigested() async throws {
            let collector = try Collector()
            let store = try DataDirectory(collector.data).createStore()
            _ = try store.setUp(project: "default", key: Secret("k").hash, adminToken: Secret("a").hash, at: .now())
            let report = SampleReport(seed: 5).report()
            let new = NewReport(project: 1, received: .now(), report: report, gzip: report.encode())
            #expect(try store.add(new) == .stored)
            let list = try await collector.run("list")
            #expect(list.status == .exited(1))
            #expect(list.errors.contains("1 report waiting for digestion"))
            #expect(list.errors.contains("no `mayday serve` is running on \(collector.data): start it"))
            let show = try await collector.run("show", report.header.id)
            #expect(show.status == .exited(0))
            #expect(show.output.contains("waits for digestion"))
            #expect(show.output.contains("Index out of range"))
            let reports = try await collector.run("reports")
            #expect(reports.output.contains("  waits  "))
            let serving = try await collector.serve()
            _ = await serving.stop()
            #expect(try await collector.run("list").status == .exited(0))
        }

        @Test("an empty store says what to do next")
        func empty() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let served = try await collector.run("list")
            #expect(served.status == .exited(1))
            #expect(served.output == "")
            #expect(served.errors.hasPrefix("mayday: no issues yet: give your service the DSN"), "\(served.errors)")
            _ = await serving.stop()
            let stopped = try await collector.run("list", "--project", "1")
            #expect(
                stopped.errors.hasPrefix(
                    "mayday: no issues yet in project 1: start `mayday serve --data \(collector.data)`"
                ),
                "\(stopped.errors)"
            )
            #expect(stopped.errors.contains("`mayday projects rotate 1`"))
            #expect(try await collector.run("export").errors == "mayday: no reports yet\n")
            let json = try await collector.run("list", "--json")
            #expect(json.status == .exited(1))
            #expect(json.output == "{\"issues\":[],\"undigested\":{\"failed\":0,\"pending\":0}}\n")
            #expect(json.errors == "")
        }

        @Test("any COLUMNS will do", arguments: ["0", "-1", "x", "99999999999", "9223372036854775807"])
        func columns(text: String) async throws {
            let collector = try await filled()
            for command in [["list"], ["reports"], ["show", "1", "--full"]] {
                let outcome = try await ChildProcess.run(
                    Collector.mayday,
                    command + ["--data", collector.data],
                    environment: ["COLUMNS": text]
                )
                #expect(outcome.status == .exited(0), "\(command) \(outcome.errors)")
                #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= 1_000 })
            }
        }

        @Test("text from a report reaches the terminal as text only")
        func hostile() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let key = try await serving.key()
            var report = SampleReport.old(
                1,
                message: "\u{1b}]0;owned\u{7}\u{202e}evil\u{9b}31m\nIssue 7",
                function: "\u{1b}[2Jf()"
            )
            .report()
            report.header.release = "\u{1b}[31mr@1\r"
            #expect(try serving.post(report.encode(), key: key).status == 201)
            _ = await serving.stop()
            for command in [
                ["list"], ["reports"], ["show", "1"], ["show", "1", "--full"], ["list", "--json"],
                ["reports", "--json"],
                ["show", "1", "--json"],
            ] {
                let outcome = try await ChildProcess.run(Collector.mayday, command + ["--data", collector.data])
                #expect(outcome.status == .exited(0))
                for character in ["\u{1b}", "\u{7}", "\u{202e}", "\u{9b}", "\r"] {
                    #expect(!outcome.output.unicodeScalars.contains { String($0) == character }, "\(command)")
                }
            }
        }

        @Test("on a terminal it has colour and the terminal's width, unless NO_COLOR is set")
        func terminal() async throws {
            let script = "/usr/bin/script"
            guard FileManager.default.isExecutableFile(atPath: script) else {
                print("no \(script) (Debian: bsdutils) to make a terminal with: colour on a terminal is not tested")
                return
            }
            let collector = try await filled()
            for (variables, isColored) in [([:], true), (["NO_COLOR": "1"], false), (["TERM": "dumb"], false)] {
                let environment = ["MAYDAY_DATA": collector.data, "PATH": "/usr/bin:/bin", "TERM": "xterm"]
                let outcome = try await ChildProcess.run(
                    script,
                    ["-qec", "stty cols 100; \(Collector.mayday) list", "/dev/null"],
                    environment: environment.merging(variables) { $1 }
                )
                #expect(outcome.status == .exited(0))
                #expect(outcome.output.contains("\u{1b}[") == isColored, "\(variables)")
                let heading = outcome.output.split(whereSeparator: \.isNewline).first ?? ""
                if !isColored { #expect(heading.hasSuffix("COUNT  LAST SEEN") && heading.count < 80, "\(heading)") }
            }
        }

        @Test("a reader that goes away, as head does, ends the command quietly")
        func pipe() async throws {
            let collector = try Collector()
            let store = try DataDirectory(collector.data).createStore()
            _ = try store.setUp(project: "default", key: Secret("k").hash, adminToken: Secret("a").hash, at: .now())
            // More than a pipe holds.
            for seed in 0..<1_500 {
                let report = SampleReport(seed: UInt64(seed), threads: 1, frames: 1, images: 1).report()
                _ = try store.add(NewReport(project: 1, received: .now(), report: report, gzip: [0]))
            }
            let command = "(\"$0\" reports --limit 1500; echo \"exit $?\" >&2) | head -1"
            let outcome = try await ChildProcess.run(
                "/bin/sh",
                ["-c", command, Collector.mayday],
                environment: ["MAYDAY_DATA": collector.data, "PATH": "/usr/bin:/bin"]
            )
            #expect(outcome.output.hasPrefix("REPORT "))
            #expect(outcome.output.split(separator: "\n").count == 1)
            #expect(outcome.errors == "exit 0\n")
        }
    }
#endif
