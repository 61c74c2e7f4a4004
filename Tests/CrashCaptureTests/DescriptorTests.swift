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
