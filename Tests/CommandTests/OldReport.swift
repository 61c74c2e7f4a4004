#if os(Linux)
    import CrashReport
    import TestSupport

    extension SampleReport {
        /// Of a service that is not on this machine.
        static func symbolless() -> Report {
            var report = SampleReport(seed: 77).report()
            report.end = nil
            return report
        }

        /// So long ago that lists show its date.
        static func old(
            _ seed: UInt64,
            hours: Int64 = 0,
            message: String? = "Fatal error: Index out of range",
            function: String = "Cart.total(of:)"
        ) -> SampleReport {
            SampleReport(
                seed: seed,
                isSymbolicated: true,
                message: message,
                time: Timestamp(microseconds: 1_705_300_000_000_000 + hours * 3_600_000_000),
                function: function
            )
        }
    }
#endif
