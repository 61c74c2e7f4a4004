#if os(Linux)

    import CrashReport
    import Foundation
    import TestSupport
    import Testing

    /// Every signal, raised by a real fault in a real child: the process ends as without us, and the report says what happened.
    @Suite struct CrashCaptureTests {
        @Test(arguments: [
            ("segv", "SIGSEGV", "SEGV_MAPERR", true),
            ("ill", "SIGILL", "ILL_ILLOPN", true),
        ])
        func faultIsReportedAndEndsTheProcessAsBefore(kind: String, signal: String, code: String, hasAddress: Bool)
            async throws
        {
            let run = try await CaptureRun(kind)
            let plain = try await CaptureRun.plain(kind)
            #expect(run.outcome.status == plain.status)

            let report = try run.onlyReport()
            let crash = try #require(report.crash)
            #expect(crash.signal.name == signal)
            #expect(crash.signal.codeName == code)
            #expect((crash.faultAddress != nil) == hasAddress)
            #expect(crash.sender == nil)
            #expect(report.end?.cut == [])
            #expect(report.end?.unwinder == "libunwind")
        }
    }

#endif
