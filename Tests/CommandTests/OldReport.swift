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

        /// Of a program that the collector can only have by its build id.
        static func symbolless(buildID: String) -> Report {
            var report = symbolless()
            report.header.process.path = "/srv/gone/CaptureChild"
            report.images[0] = Image(
                path: "/srv/gone/CaptureChild",
                base: 0x5500_0000_0000,
                size: 1 << 22,
                buildID: buildID
            )
            report.threads[0].frames = (0..<40).map {
                Frame(address: 0x5500_0000_0000 + 997 * $0, image: 0, offset: 997 * $0, trust: .cfi)
            }
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
