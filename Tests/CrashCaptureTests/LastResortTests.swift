#if os(Linux)

    import CrashReport
    import Foundation
    import Import
    import TestSupport
    import Testing

    /// Neither a disk nor a reporter takes the report: it goes to standard error, and can be read from there.
    @Suite(.notEmulated("it is about what this machine's kernel refuses"))
    struct LastResortTests {
        /// The reports in what a process wrote.
        private static func reports(_ log: some StringProtocol) -> [LoggedReport] {
            var scanner = LogScanner()
            return scanner.feed(log.utf8) + scanner.finish()
        }

        /// The one report, which must be whole and say how its capture ended.
        static func report(_ outcome: ChildProcess.Outcome) throws -> Report {
            let found = Self.reports(outcome.errors)
            try #require(found.count == 1, "\(outcome.errors)")
            guard case .whole(let gzip) = found[0].content else {
                throw NotWhole(log: outcome.errors)
            }
            let decoded = try Report.decode(gzip: gzip)
            #expect(decoded.isComplete)
            #expect(decoded.report.header.id == found[0].id)
            return decoded.report
        }

        private struct NotWhole: Error { let log: String }

        private func child(_ arguments: [String]) async throws -> ChildProcess.Outcome {
            try await ChildProcess.run(CaptureRun.child, arguments, environment: CaptureRun.environment)
        }

        @Test(arguments: [
            [], ["--sandbox", "memory"], ["--file-limit", "0"], ["--reporter", "fail"], ["--reporter", "crash"],
            ["--reporter", "hang", "--reporter-deadline", "200"], ["--file-limit", "0", "--reporter", "ok"],
        ])
        func nowhereElse(options: [String]) async throws {
            let outcome = try await child(options + ["among:4"])
            #expect(outcome.status == .signalled(SIGSEGV))
            #expect(outcome.errors.contains(" in memory only ("))
            let report = try Self.report(outcome)
            #expect(report.crash?.signal.name == "SIGSEGV")
            #expect(report.threads.count == 5)
            #expect(report.end?.cut == [])
        }

        /// Above RLIMIT_FSIZE, which memory obeys too, the kernel sends SIGXFSZ: it must not end the process in the
        /// crash's place.
        @Test(arguments: [0, 10, 1000])
        func fileSizeLimit(limit: Int) async throws {
            let run = try await CaptureRun("among:4", ["--file-limit", "\(limit)", "--reporter", "ok"])
            #expect(run.outcome.status == .signalled(SIGSEGV))
            #expect(try run.files == [])
            #expect(run.outcome.errors.contains(" in memory only (\(run.spool.path): file size limit exceeded)\n"))
            #expect(try Self.report(run.outcome).threads.count == 5)
        }

        /// Neither a file nor a memfd takes a byte: a pipe does, and the reporter has the report all the same.
        @Test(arguments: [["--file-limit", "0"], ["--sandbox", "memory"]], ["among:4", "among:700"])
        func deliveredThroughAPipe(options: [String], kind: String) async throws {
            let outcome = try await child(options + ["--reporter", "count", kind])
            #expect(outcome.status == .signalled(SIGSEGV))
            let read = try #require(outcome.output.firstMatch(of: /reporter: read (\d+) bytes/)?.1)
            #expect(try #require(Int(read)) > (kind == "among:4" ? 1_000 : 3_000))
            #expect(Self.reports(outcome.errors) == [])
            #expect(!outcome.errors.contains("not delivered"))
        }

        @Test(arguments: [["--reporter", "ok"], ["--reporter", "ok", "--sandbox", "yes"]])
        func deliveredIsNotRepeated(options: [String]) async throws {
            let out = try TemporaryDirectory()
            let outcome = try await child(options + ["--out", out.path, "segv"])
            #expect(outcome.status == .signalled(SIGSEGV))
            #expect(Self.reports(outcome.errors) == [])
            #expect(!outcome.errors.contains("base64"))
        }

        @Test func keptOnDiskIsNotRepeated() async throws {
            let run = try await CaptureRun("segv", ["--reporter", "fail"])
            #expect(Self.reports(run.outcome.errors) == [])
        }

        /// As much as the bound allows; what is read back is the beginning.
        @Test func bound() async throws {
            let outcome = try await child(["among:900"])
            #expect(outcome.status == .signalled(SIGSEGV))
            #expect(outcome.errors.utf8.count < 300_000)
            guard case .whole(let gzip) = try #require(Self.reports(outcome.errors).first).content else {
                throw NotWhole(log: String(outcome.errors.prefix(2000)))
            }
            let decoded = try Report.decode(gzip: gzip)
            #expect(decoded.report.threads.count > 300)
        }

        /// A pipe that nobody reads, and one whose reader goes away in the middle.
        @Test(
            arguments: ["sleep 60", "head -c 3000", "head -n 3"],
            [[], ["--sandbox", "memory"], ["--signal-limit", "0"]]
        )
        func badReader(reader: String, options: [String]) async throws {
            let script = """
                child=$1; shift
                mkfifo "$0/fifo"; \(reader) <"$0/fifo" >/dev/null & reader=$!
                "$child" "$@" among:300 2>"$0/fifo"; status=$?
                kill $reader 2>/dev/null; exit $status
                """
            let directory = try TemporaryDirectory()
            let outcome = try await ChildProcess.run(
                "/bin/bash",
                ["-c", script, directory.path, CaptureRun.child] + options,
                environment: CaptureRun.environment
            )
            #expect(outcome.status == .exited(128 + SIGSEGV))
        }
    }

#endif
