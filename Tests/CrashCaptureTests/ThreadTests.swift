#if os(Linux)

    import CrashReport
    import Foundation
    import TestSupport
    import Testing

    /// Other threads: they stand still, they are in the report, and they change nothing about the end.
    @Suite struct ThreadTests {
        /// Who asks whom to stop is another thing each time, and on one processor.
        @Test(arguments: [[], ["--processors", "one"]])
        func otherThreadsAreInTheReport(options: [String]) async throws {
            let symbols = try await ChildSymbols()
            for _ in 0..<15 {
                let report = try await CaptureRun("among:8", options).onlyReport()
                #expect(report.threads.count == 9)
                #expect(report.threads.first?.crashed == true)
                #expect(report.end?.cut == [])
                for thread in report.threads.dropFirst() {
                    #expect(thread.name == "idler")
                    #expect(thread.state == "S")
                    #expect(thread.truncated == nil)
                    #expect(symbols.names(thread).contains("idle"))
                }
            }
        }

        /// Threads that have stopped ask those behind them, and leave alone what the crashing thread would.
        @Test(arguments: [[], ["--processors", "one"]])
        func threadsThatBlockTheSignalAreNotAsked(options: [String]) async throws {
            for _ in 0..<5 {
                let run = try await CaptureRun("among-blocked:6", options)
                #expect(run.outcome.status == .signalled(SIGSEGV))
                let report = try run.onlyReport()
                #expect(report.threads.filter { $0.truncated == nil }.count == 7)
                #expect(report.threads.filter { $0.truncated == "unreadable" }.count == 6)
                #expect(report.end?.cut == [])
            }
        }

        @Test func hundredsOfThreads() async throws {
            let run = try await CaptureRun("among:300")
            #expect(run.outcome.status == .signalled(SIGSEGV))
            let report = try run.onlyReport()
            #expect(report.threads.count == 301)
        }

        @Test func moreThreadsThanAreKept() async throws {
            let run = try await CaptureRun("among:1100")
            #expect(run.outcome.status == .signalled(SIGSEGV))
            let report = try run.onlyReport()
            #expect(report.threads.count == (Emulation.isOn ? 1024 : 1025))  // without the emulator's own
            #expect(report.end?.cut.contains(CutStage(stage: "park", reason: "limit")) == true)
        }

        @Test func threadThatBlocksEverySignalIsNotWaitedFor() async throws {
            let run = try await CaptureRun("beside-blocked")
            #expect(run.outcome.status == .signalled(SIGSEGV))
            let report = try run.onlyReport()
            #expect(report.threads.count == 2)
            #expect(report.threads.last?.truncated == "unreadable")
        }

        @Test func threadsThatCrashTogetherMakeOneReport() async throws {
            for _ in 0..<10 {
                let run = try await CaptureRun("together")
                #expect(run.outcome.status == .signalled(SIGSEGV))
                let report = try run.onlyReport()
                #expect(report.threads.count == 5)
                #expect(report.threads.filter(\.crashed).count == 1)
            }
        }

        @Test func mainCannotExitUnderTheCrash() async throws {
            for _ in 0..<10 {
                let run = try await CaptureRun(
                    "exit-under-crash",
                    ["--reporter", "hang", "--reporter-deadline", "100"]
                )
                #expect(run.outcome.status == .signalled(SIGSEGV))
                #expect(try run.onlyReport().crashedThread?.name == "crasher")
            }
        }

        /// Above RLIMIT_SIGPENDING the signal that stops a thread comes without what was queued with it.
        @Test func threadsStopWithoutRoomForPendingSignals() async throws {
            let run = try await CaptureRun("exit-under-crash", ["--signal-limit", "0"])
            #expect(run.outcome.status == .signalled(SIGSEGV))
            let report = try run.onlyReport()
            // In an emulator the handler may have run out of its time by then; that nothing exits is what counts.
            if Emulation.isOn { return }
            #expect(report.threads.count == 2)
            #expect(report.end?.cut == [])
        }

        @Test func cancelledThreadStillReports() async throws {
            let run = try await CaptureRun("cancelled")
            #expect(run.outcome.status == .signalled(SIGSEGV))
            #expect(try run.onlyReport().threads.count == 2)
        }

        @Test func forkedChildHasAReportOfItsOwn() async throws {
            let run = try await CaptureRun("fork")
            #expect(run.outcome.status == .exited(0))
            let header = try run.onlyReport().header
            #expect(header.process.forked)
            #expect(run.outcome.output == "child \(header.process.pid) ended by signal 11\n")
        }

        @Test func alternateStacksComeAndGoWithTheirThreads() async throws {
            #expect(try await CaptureRun.lines("alternate-stack") == ["large"])
            #expect(try await CaptureRun.lines("thread-churn") == ["nothing left"])
        }

        /// Unwinders ask for them when a library's constructor throws.
        @Test func objectsAreToldBeforeTheConstructorRan() async throws {
            #expect(try await CaptureRun.lines("early-objects") == ["told"])
        }

        /// Two descriptors are the pipe by which libunwind checks addresses, two are ours (here is no spool); no program that
        /// the service executes gets any of them.
        @Test(.notEmulated("the emulator has a thread of its own")) func nothingRunsAtRest() async throws {
            #expect(try await CaptureRun.lines("at-rest") == ["tasks 1", "timers 0", "descriptors 4", "inherited 0"])
        }
    }

#endif
