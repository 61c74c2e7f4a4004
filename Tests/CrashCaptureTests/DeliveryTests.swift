#if os(Linux)

    import CrashReport
    import Foundation
    import TestSupport
    import Testing

    /// The re-executed reporter, good and bad: the service's end is the same with each.
    @Suite struct DeliveryTests {
        @Test func reporterIsTheSameProgramWithoutSwiftsBacktracer() async throws {
            let variables = ["SWIFT_BACKTRACE": "enable=no,color=no", "SWIFT_BACKTRACE_X": "2", "EMPTY": ""]
            let run = try await CaptureRun("segv", ["--reporter", "own"], environment: variables)
            #expect(run.outcome.status == .signalled(SIGSEGV))
            let lines = run.outcome.output.split(separator: "\n").map(String.init)
            #expect(
                lines.filter { $0.hasPrefix("argument ") }
                    == [CaptureRun.child, "--spool", run.spool.path, "--reporter", "own", "segv"].map {
                        "argument \($0)"
                    }
            )
            let seen = Set(lines.filter { $0.hasPrefix("variable ") && !$0.hasPrefix("variable MAYDAY_") })
            let path = try #require(CaptureRun.environment["PATH"])
            let expected = ["SWIFT_BACKTRACE=enable=no", "SWIFT_BACKTRACE_X=2", "EMPTY=", "PATH=\(path)"]
            #expect(seen == Set(expected.map { "variable \($0)" }))
        }

        @Test func reporterGetsTheReportAndACleanProcess() async throws {
            let out = try TemporaryDirectory()
            let run = try await CaptureRun("segv", ["--reporter", "ok", "--out", out.path])
            #expect(run.outcome.status == .signalled(SIGSEGV))
            #expect(try run.files == [])
            let report = try CaptureRun.report(at: "\(out.path)/delivered")
            #expect(report.crash?.signal.name == "SIGSEGV")
            #expect(run.outcome.errors.hasSuffix(".jsonl.gz\nreporter: delivered\n"), "in this order")
            // Installing in a reporter is refused (status 4), and nothing of the dying process is inherited.
            #expect(
                run.outcome.output == """
                    reporter: install 4 deadline 60000
                    blocked 0
                    ignored 0
                    core 0
                    descriptors 0
                    stdin /dev/null

                    """
            )
        }

        /// Deadlines whose nanoseconds do not fit in 32 bits, which once ended the wait after a second or two.
        @Test(arguments: ["30000", "60000"])
        func slowReporterIsWaitedFor(deadline: String) async throws {
            let out = try TemporaryDirectory()
            let options = ["--reporter", "late", "--reporter-deadline", deadline, "--out", out.path]
            let run = try await CaptureRun("segv", options)
            #expect(run.outcome.status == .signalled(SIGSEGV))
            #expect(run.outcome.errors.hasSuffix(".jsonl.gz\nreporter: delivered\n"))
        }

        @Test(arguments: [
            ("fail", "the reporter exited with 3 before it came to `Mayday.start`"),
            ("crash", "the reporter was ended by signal 11"),
            ("hang", "the reporter was stopped at its deadline of 200 ms"),
            ("early", "the reporter was stopped at its deadline of 200 ms"),
        ])
        func badReporterChangesNothing(mode: String, text: String) async throws {
            let deadline = text.contains("200 ms") ? "200" : "30000"
            let run = try await CaptureRun("abort", ["--reporter", mode, "--reporter-deadline", deadline])
            #expect(run.outcome.status == .signalled(SIGABRT))
            #expect(try run.onlyReport().crash?.signal.name == "SIGABRT")
            #expect(run.outcome.errors.hasSuffix("not delivered: \(text); the report stays in the spool\n"))
        }

        /// Started by nobody who could end it: its own timer does.
        @Test(arguments: ["hang", "early"])
        func reporterEndsWhenItsParentIsGone(mode: String) async throws {
            let outcome = try await ChildProcess.run(
                CaptureRun.child,
                ["--as-reporter", mode],
                environment: ["MAYDAY_REPORTER": "1", mode == "early" ? "CHILD_HANGS_EARLY" : "UNUSED": "1"]
            )
            #expect(outcome.status == .signalled(SIGKILL))
        }

        @Test func withoutASpoolTheReportGoesThroughMemory() async throws {
            let out = try TemporaryDirectory()
            let outcome = try await ChildProcess.run(
                CaptureRun.child,
                ["--reporter", "ok", "--out", out.path, "segv"],
                environment: CaptureRun.environment
            )
            #expect(outcome.status == .signalled(SIGSEGV))
            #expect(outcome.errors.hasSuffix(" in memory only (no spool directory)\nreporter: delivered\n"))
            #expect(try CaptureRun.report(at: "\(out.path)/delivered").crash?.thread != nil)
        }
    }

#endif
