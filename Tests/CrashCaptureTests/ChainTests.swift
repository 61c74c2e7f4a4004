#if os(Linux)

    import CrashReport
    import Foundation
    import TestSupport
    import Testing

    /// Whoever was there before us is called last and decides as it would have without us.
    @Suite struct ChainTests {
        @Test(
            arguments: ["segv", "abort", "trap", "kill:11", "raise:3"].map { ($0, "exit") } + [
                ("segv", "reset"), ("abort", "reset"), ("segv", "skip"), ("kill:3", "note"), ("raise:11", "note"),
                ("segv", "ignore"),
            ]
        )
        func previousHandlerDecides(kind: String, previous: String) async throws {
            let run = try await CaptureRun(kind, ["--previous", previous])
            let plain = try await CaptureRun.plain(kind, ["--previous", previous])
            #expect(run.outcome.status == plain.status)
            #expect(run.outcome.output == plain.output)
            #expect(try run.onlyReport().end?.cut == [])
        }

        @Test(arguments: ["kill:3", "kill:11", "raise:4"])
        func ignoredSignalStaysIgnored(kind: String) async throws {
            let run = try await CaptureRun(kind, ["--previous", "ignore"])
            #expect(run.outcome.status == .exited(0))
            #expect(try run.files == [])
            #expect(run.outcome.errors == "")
        }

        /// A handler that puts the default back and returns, as Swift's, meant the process to end.
        @Test(arguments: [("kill:11", SIGSEGV), ("kill:3", SIGQUIT), ("trap", SIGTRAP)])
        func resetHandlerEndsTheProcess(kind: String, signal: Int32) async throws {
            let run = try await CaptureRun(kind, ["--previous", "reset"])
            #expect(run.outcome.status == .signalled(signal))
            #expect(run.outcome.output == "previous\n")
        }

        /// A process that survives is captured again, but not for ever.
        @Test(arguments: [(2, 2), (20, 8)])
        func survivorIsCapturedAgain(faults: Int, reports: Int) async throws {
            let run = try await CaptureRun("segvs:\(faults)", ["--previous", "skip"])
            #expect(run.outcome.status == .exited(0))
            #expect(run.outcome.output == String(repeating: "previous\n", count: faults))
            #expect(try run.files.count == reports)
        }

        /// Stopped threads are let go after some seconds: the previous handler may need what one of them holds.
        @Test func previousHandlerThatNeedsALock() async throws {
            let run = try await CaptureRun("lock-held", ["--previous", "lock"])
            #expect(run.outcome.status == .exited(42))
            #expect(try run.onlyReport().threads.count == 2)
        }

        @Test(.notEmulated("there is no Swift in the child"))
        func swiftsBacktracerStillPrints() async throws {
            let run = try await CaptureRun("among:4", environment: ["SWIFT_BACKTRACE": "enable=yes,color=no"])
            #expect(run.outcome.status == .signalled(SIGSEGV))
            #expect(run.outcome.errors.contains("Program crashed: Bad pointer dereference"))
            #expect(try run.onlyReport().threads.count == 5)
        }

        @Test func secondInstallChangesNothing() async throws {
            #expect(try await CaptureRun.lines("second-install") == ["status 1"])
        }
    }

#endif
