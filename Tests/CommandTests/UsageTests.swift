#if os(Linux)
    import Foundation
    import Testing
    import TestSupport

    @Suite("Usage and help")
    struct UsageTests {
        @Test(
            "help is made for every command, with an example",
            arguments: [
                "", "serve", "list", "reports", "show", "resolve", "mute", "reopen", "merge", "delete", "stats",
                "export",
                "symbols",
                "symbolicate", "projects", "import", "backup", "completion", "man",
                "check", "doctor",
                "version",
            ]
        )
        func help(command: String) async throws {
            let arguments = command.isEmpty ? ["--help"] : [command, "--help"]
            let outcome = try await ChildProcess.run(Collector.mayday, arguments)
            #expect(outcome.status == .exited(0))
            #expect(outcome.errors == "")
            let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
                String.init
            )
            #expect(lines.allSatisfy { $0.count <= 80 })
            #expect(try Golden.difference(lines, "help\(command.isEmpty ? "" : "-\(command)").txt") == nil)
            let other = command.isEmpty ? ["help"] : ["help", command]
            #expect(try await ChildProcess.run(Collector.mayday, other).output == outcome.output)
        }

        @Test(
            "a wrong command line is told which flag and what to do: exit 2",
            arguments: [
                ("lst", "unknown command lst: did you mean `mayday list`? see"),
                ("exprot", "unknown command exprot: did you mean `mayday export`?"),
                ("everything", "unknown command everything: there are serve, list"),
                (
                    "list --jsn",
                    "unknown flag --jsn: it takes --limit, --page, --sort, --status, --new-in, --project, --release"
                ),
                ("list --limit", "--limit needs a value: --limit N"),
                ("list --limit=", "--limit needs a value: --limit N"),
                ("list --limit 0", "--limit 0: expected a whole number from 1"),
                ("list --limit x", "--limit x: expected a whole number"),
                ("list --json=1", "--json takes no value"), ("list --json --json", "--json is given twice"),
                ("list --sort size", "--sort size: expected last, first, count, hosts; see"),
                ("list --tag region", "--tag region: expected NAME=VALUE"),
                ("list --since yesterday", "--since yesterday: expected 7d (ago), 2026-11-30 or"),
                ("reports --until 7", "--until 7: expected 7d (ago)"), ("list --page 0", "--page 0: expected a whole"),
                ("list --since 2026-11-30 --until 2026-11-29", "--since is after --until: exchange them"),
                (
                    "stats --by colour",
                    "expected time, release, environment, kind, signal, host, issue, project, service"
                ),
                ("stats x.gz", "\"x.gz\" is no issue"), ("export --format xml", "--format xml: expected jsonl, csv"),
                ("export --full --format csv", "--full is a tree and no table: use jsonl"),
                ("delete x.gz", "\"x.gz\" is no report and no issue"),
                ("completion tcsh", "\"tcsh\": expected bash, zsh, fish"),
                ("projects add x --server http://h", "--server: over HTTP projects are only listed"),
                ("serve --webhook nowhere", "--webhook: expected http://HOST/PATH or https://HOST/PATH"),
                ("list all", "too many arguments, from \"all\" on: it takes flags only"),
                ("show", "ISSUE|REPORT|FILE is missing"), ("show 1 2", "too many arguments, from \"2\" on"),
                ("reports x.gz", "\"x.gz\" is no issue: give a number of `mayday list`"),
                ("serve --listen 7171", "--listen 7171: expected HOST:PORT"),
                ("serve --url ftp://x", "--url ftp://x: expected http://HOST:PORT"),
                ("serve --url http://x:65536", "--url http://x:65536: expected http://HOST:PORT"),
                ("serve --url http://:k@x", "--url http://:k@x: expected http://HOST:PORT"),
                ("serve --url http://u@x/y", "--url http://u@x/y: expected"),
                ("projects", "list | add NAME | rotate|keep|limit|remove ID is missing"),
                ("projects add", "add needs a name"), ("projects rotate", "rotate needs a project, admin, reader"),
                ("projects add a/b", "a name has 1 to 64 letters"), ("projects drop 1", "expected list | add NAME"),
                ("doctor a b", "too many arguments, from \"b\" on: it takes [BINARY]"),
                ("doctor a --pid 1", "BINARY, --pid and --server exclude each other: give one"),
                ("doctor --pid x", "--pid x: expected a whole number"),
                ("doctor --server x", "--server x: expected http://HOST:PORT or https://HOST"),
                ("list --data a --store postgres://h/d", "--data and --store name two stores: give one of them"),
                ("list --store mysql://h/d", "--store: expected postgres://USER@HOST:PORT/DATABASE"),
                ("version --data x", "unknown flag --data: it takes --json, --help"),
            ]
        )
        func wrong(line: String, says: String) async throws {
            let temporary = try TemporaryDirectory()
            let environment = ["MAYDAY_DATA": "\(temporary.path)/none"]
            let outcome = try await ChildProcess.run(
                Collector.mayday,
                line.split(separator: " ").map(String.init),
                environment: environment
            )
            #expect(outcome.status == .exited(2))
            #expect(outcome.output == "")
            #expect(outcome.errors.hasPrefix("mayday: ") && outcome.errors.contains(says), "\(outcome.errors)")
            #expect(!outcome.errors.hasPrefix("mayday: mayday"))
            #expect(outcome.errors.contains("--help`"))
            #expect(!FileManager.default.fileExists(atPath: "\(temporary.path)/none"))
        }

        @Test("a webhook's URL that no request can be made of is refused at the start", arguments: [false, true])
        func badWebhook(isVariable: Bool) async throws {
            let temporary = try TemporaryDirectory()
            let url = "http://127.0.0.1:1/secret\n"
            let outcome = try await ChildProcess.run(
                Collector.mayday,
                ["serve", "--data", "\(temporary.path)/none"] + (isVariable ? [] : ["--webhook", url]),
                environment: isVariable ? ["MAYDAY_ISSUE_WEBHOOK": url] : [:]
            )
            let name = isVariable ? "MAYDAY_ISSUE_WEBHOOK" : "--webhook"
            #expect(outcome.status == .exited(2))
            let says = "mayday: \(name): byte 26 is a space, line end or control character: take it out"
            #expect(outcome.errors.hasPrefix(says), "\(outcome.errors)")
            #expect(!outcome.errors.contains("secret"))
            #expect(!FileManager.default.fileExists(atPath: "\(temporary.path)/none"))
        }

        @Test("without arguments it shows what there is: exit 2")
        func nothing() async throws {
            let outcome = try await ChildProcess.run(Collector.mayday, [])
            #expect(outcome.status == .exited(2))
            #expect(outcome.output.contains("Usage: mayday COMMAND"))
        }

        @Test(
            "without a data directory, reading says how to get one and makes none: exit 3",
            arguments: [
                "list", "reports", "show 1", "show 0193", "projects list", "projects add x", "projects rotate 1",
            ]
        )
        func noData(line: String) async throws {
            let temporary = try TemporaryDirectory()
            let path = "\(temporary.path)/none"
            let outcome = try await ChildProcess.run(
                Collector.mayday,
                line.split(separator: " ").map(String.init) + ["--data", path]
            )
            #expect(outcome.status == .exited(3))
            #expect(outcome.errors.contains("no data at \(path): if a collector runs elsewhere, give its --data DIR"))
            #expect(outcome.errors.contains("or --server URL; a new one is made by `mayday serve --data \(path)`"))
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        @Test("version, for a person and a script")
        func version() async throws {
            let text = try await ChildProcess.run(Collector.mayday, ["version"]).output
            #expect(text.wholeMatch(of: /mayday \d+\.\d+\.\d+, report format 1\n/) != nil)
            let json = try await ChildProcess.run(Collector.mayday, ["version", "--json"]).output
            #expect(json.wholeMatch(of: /\{"report_format":1,"version":"\d+\.\d+\.\d+"\}\n/) != nil)
        }
    }
#endif
