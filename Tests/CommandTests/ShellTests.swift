#if os(Linux)
    import Foundation
    import Testing
    import TestSupport

    @Suite("Completions and the manual page")
    struct ShellTests {
        @Test(
            "bash completes commands, flags, their values and operands",
            arguments: [
                ("mayday sh", ["show"]),
                ("mayday list --sta", ["--status"]),
                ("mayday list --status re", ["regressed", "resolved"]),
                ("mayday list --status regressed,m", ["regressed,muted"]),
                ("mayday list --status open,muted,re", ["open,muted,regressed", "open,muted,resolved"]),
                ("mayday list --sort last,c", []),
                ("mayday stats --by ho", ["host"]),
                ("mayday projects r", ["rotate", "remove"]),
                ("mayday projects k", ["keep"]),
                ("mayday projects li", ["list", "limit"]),
                ("mayday completion ", ["bash", "zsh", "fish", "--help"]),
                ("mayday list --limit ", []),
                ("mayday export --format c", ["csv"]),
                ("mayday help re", ["reports", "resolve", "reopen"]),
                ("mayday show --data /proc/self/f", ["/proc/self/fd", "/proc/self/fdinfo"]),
                ("mayday show /proc/self/stat", ["/proc/self/stat", "/proc/self/statm", "/proc/self/status"]),
            ]
        )
        func bash(_ line: String, _ expected: [String]) async throws {
            let program = """
                source <("$1" completion bash)
                mapfile -t COMP_WORDS < <(tr ' ' '\\n' <<< "$2")
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                _mayday
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            let outcome = try await ChildProcess.run("/bin/bash", ["-c", program, "bash", Collector.mayday, line])
            #expect(outcome.errors == "")
            #expect(outcome.output.split(separator: "\n").map(String.init).sorted() == expected.sorted())
        }

        @Test("scripts of the other shells and the page are these", arguments: ["zsh", "fish", "bash", "man"])
        func golden(_ name: String) async throws {
            let arguments = name == "man" ? ["man"] : ["completion", name]
            let outcome = try await ChildProcess.run(Collector.mayday, arguments)
            #expect(outcome.status == .exited(0))
            let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            #expect(try Golden.difference(lines.map(String.init), "shell-\(name).txt") == nil)
        }

        @Test(
            "groff sets the page without a complaint",
            .enabled(if: access("/usr/bin/groff", X_OK) == 0, "no groff here")
        )
        func page() async throws {
            let outcome = try await ChildProcess.run(
                "/bin/sh",
                [
                    "-c", "PATH=/usr/bin:/bin; export PATH; \"$1\" man | groff -Kutf8 -man -ww -Tutf8", "sh",
                    Collector.mayday,
                ]
            )
            #expect(outcome.status == .exited(0))
            #expect(outcome.errors == "")
            #expect(outcome.output.contains("mayday list"))
        }
    }
#endif
