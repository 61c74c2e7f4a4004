#if os(Linux)

    import CrashReport
    import Foundation
    import TestSupport
    import Testing

    /// A service that ran out of descriptors.
    @Suite struct DescriptorTests {
        /// With a handler before ours, which may let the process live on, and in a sandbox, the descriptors stay common.
        @Test(arguments: [[], ["--previous", "reset"], ["--sandbox", "yes"]], ["soft", "hard"])
        func noneLeft(options: [String], limit: String) async throws {
            let out = try TemporaryDirectory()
            let run = try await CaptureRun(
                "among:4",
                options + ["--descriptors", limit, "--reporter", "ok", "--out", out.path]
            )
            #expect(run.outcome.status == .signalled(SIGSEGV))
            #expect(run.outcome.errors.hasSuffix(" delivered\n"))
            let report = try CaptureRun.report(at: "\(out.path)/delivered")
            #expect(report.crashedThread?.frames.isEmpty == false)
            #expect(report.threads.count == 5)
            #expect(report.threads.allSatisfy { $0.crashed || ($0.name == "idler" && $0.state != nil) })
            #expect(report.end?.cut == [])
        }

        /// Other threads take each descriptor that becomes free.
        @Test(arguments: [[], ["--previous", "reset"]])
        func othersWaitForOne(options: [String]) async throws {
            for _ in 0..<20 {
                let run = try await CaptureRun("takers:4", options + ["--descriptors", "hard"])
                #expect(run.outcome.status == .signalled(SIGSEGV))
                let report = try run.onlyReport()
                #expect(report.threads.count == 5)
                #expect(report.threads.allSatisfy { $0.truncated == nil })
            }
        }

        /// Where few are left from the beginning, none is held: what the service opens later has the numbers of what was let go,
        /// and nothing is read from it.
        @Test(.notEmulated("an emulator has descriptors of its own"), arguments: [8, 9, 12, 20, 34])
        func fewFromTheBeginning(limit: Int) async throws {
            let plain = ["--descriptor-limit", "\(limit)"]
            #expect(try await CaptureRun("count-descriptors", plain).outcome.output == "0 held\n")
            for options in [plain, plain + ["--descriptors", "hard"], plain + ["--descriptors", "pipes"]] {
                let run = try await CaptureRun("among:4", options)
                #expect(run.outcome.status == .signalled(SIGSEGV))
                let report = try run.onlyReport()
                #expect(report.threads.count == 5, "\(options)")
                #expect(report.threads.allSatisfy { !$0.frames.isEmpty && $0.truncated == nil }, "\(options)")
                #expect(report.end?.unwinder == "libunwind")
                #expect(report.end?.cut == [])
            }
        }

        /// Enough are left: some are held.
        @Test(.notEmulated("an emulator has descriptors of its own"), arguments: [35, 64])
        func enough(limit: Int) async throws {
            let run = try await CaptureRun("count-descriptors", ["--descriptor-limit", "\(limit)"])
            #expect(run.outcome.output == "5 held\n")
        }

        /// Handlers that were there before ours may let the process live on: nothing of the service is closed, and where somebody
        /// has the numbers of libunwind's pipe, stacks are found by frame pointers.
        @Test(.notEmulated("an emulator has descriptors of its own"))
        func fewAndAPreviousHandler() async throws {
            let options = ["--descriptor-limit", "20", "--descriptors", "pipes", "--previous", "reset"]
            let run = try await CaptureRun("among:4", options)
            #expect(run.outcome.status == .signalled(SIGSEGV))
            let report = try run.onlyReport()
            #expect(report.threads.count == 5)
            #expect(report.crashedThread?.frames.isEmpty == false)
            #expect(report.end?.unwinder == "frame-pointer")
        }

        /// A service that closes all that it does not know, as daemons do, and may open others in their place. What is in the
        /// place of libunwind's pipe is closed by libunwind during the capture: that must not be the report.
        @Test(arguments: ["segv", "among:4"], ["bare", "busy"])
        func heldOnesAreSomebodyElses(kind: String, daemon: String) async throws {
            let run = try await CaptureRun(kind, ["--daemon", daemon])
            #expect(run.outcome.status == .signalled(SIGSEGV))
            let report = try run.onlyReport()
            #expect(report.threads.count == (kind == "segv" ? 1 : 5))
            #expect(report.end?.unwinder == "libunwind")
            #expect(report.end?.cut == [])
        }
    }

#endif
