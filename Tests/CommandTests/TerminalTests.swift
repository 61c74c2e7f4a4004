#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    @Suite("mayday show on a terminal")
    struct TerminalTests {
        /// Runs a command line in a terminal of its own and returns what appeared there.
        private func onTerminal(_ command: String, rows: Int, _ environment: [String: String]) async throws -> String {
            let environment = environment.merging(["PATH": "/usr/bin:/bin", "TERM": "xterm"]) { own, _ in own }
            let outcome = try await ChildProcess.run(
                "/usr/bin/script",
                ["-qec", "stty rows \(rows) cols 80; \(command)", "/dev/null"],
                environment: environment
            )
            try #require(outcome.status == .exited(0), "\(outcome.output)\(outcome.errors)")
            return outcome.output.replacing("\r\n", with: "\n")
        }

        private let file: String
        private let directory: TemporaryDirectory

        init() throws {
            directory = try TemporaryDirectory()
            file = "\(directory.path)/report.jsonl.gz"
            try Data(SampleReport.old(1).gzip()).write(to: URL(fileURLWithPath: file))
        }

        @Test("what does not fit goes through the pager, in colour; what fits does not")
        func pages() async throws {
            let show = "\(Collector.mayday) show \(file)"
            let pager = ["PAGER": "sed 's/^/PAGED /'"]
            let paged = try await onTerminal(show, rows: 10, pager)
            #expect(paged.contains("PAGED \u{1b}[1;31mAn index was out of range"), "\(paged)")
            #expect(paged.split(separator: "\n").allSatisfy { $0.hasPrefix("PAGED ") })
            let fits = try await onTerminal(show, rows: 200, pager)
            #expect(fits.contains("\u{1b}[1;31mAn index was out of range") && !fits.contains("PAGED"))
            let plain = try await onTerminal(show, rows: 10, pager.merging(["NO_COLOR": "1"]) { $1 })
            #expect(plain.contains("PAGED An index was out of range") && !plain.contains("\u{1b}"))
        }

        @Test(
            "without a pager, or with one that is not there, the text is printed",
            arguments: ["", "cat", "/nonexistent/pager"]
        )
        func printsWithoutPager(pager: String) async throws {
            let text = try await onTerminal("\(Collector.mayday) show \(file)", rows: 10, ["PAGER": pager])
            #expect(text.contains("An index was out of range") && text.contains("Other threads"))
        }

        @Test("a pager that is left at once is no failure")
        func pagerIsLeft() async throws {
            _ = try await onTerminal("\(Collector.mayday) show \(file) --full", rows: 10, ["PAGER": "true"])
        }
    }
#endif
