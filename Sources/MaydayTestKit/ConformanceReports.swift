internal import CrashReport
internal import Mayday

/// Reports of every shape that a service may leave in its spool.
enum ConformanceReports {
    /// A crash with a few frames.
    static func plain(_ number: Int, deadline: Duration) -> SpooledReport {
        spooled(report(number), deadline: deadline)
    }

    /// Every text holds what is not ASCII: wide, combining, right to left, control characters and quotes.
    static func unicode(deadline: Duration) -> SpooledReport {
        let text =
            "Größe 大きさ 👩‍👩‍👧 \u{202e}right\u{202c} e\u{301}\u{301} \u{0}\u{1b}[31m \"quoted\" \\ </script> \r\n\t\u{10ffff}"
        var report = report(20)
        report.header.release = text
        report.header.environment = text
        report.header.host?.name = text
        report.crash?.message = text
        report.context = Context(
            tags: [text: text],
            user: ["id": .string(text)],
            custom: [text: .array([.string(text)])]
        )
        report.breadcrumbs = [
            Breadcrumb(time: report.header.time, message: text, category: text, data: [text: .string(text)])
        ]
        for thread in report.threads.indices {
            report.threads[thread].name = text
            for frame in report.threads[thread].frames.indices {
                report.threads[thread].frames[frame].symbols = [
                    FrameSymbol(function: text, file: "/\(text)/\(text)", line: 1)
                ]
            }
        }
        return spooled(report, deadline: deadline)
    }

    /// Some megabytes of threads and texts, as much as a big service gives.
    static func large(deadline: Duration) -> SpooledReport {
        var report = report(21)
        let frames = (0..<190).map { Frame(address: 0x1000 + UInt64($0), image: 0, offset: UInt64($0), trust: .cfi) }
        report.threads += (1...400).map { ThreadStack(id: 100 + $0, name: "worker \($0)", frames: frames) }
        report.crash?.message = String(repeating: "long ", count: 20_000)
        report.context = Context(custom: ["payload": .string(String(repeating: "x", count: 500_000))])
        return spooled(report, deadline: deadline)
    }

    /// The process was killed after the first line.
    static func short(deadline: Duration) -> SpooledReport {
        spooled(Report(header: report(22).header), deadline: deadline)
    }

    /// The file ends in the middle.
    static func cut(deadline: Duration) -> SpooledReport {
        let whole = plain(23, deadline: deadline)
        return SpooledReport(
            id: whole.id,
            gzip: Array(whole.gzip.prefix(whole.gzip.count / 2)),
            deadline: whole.deadline
        )
    }

    /// Somebody put it there.
    static func garbage(deadline: Duration) -> SpooledReport {
        SpooledReport(id: report(24).header.id, gzip: Array("this is no report".utf8), deadline: .now + deadline)
    }

    private static func spooled(_ report: Report, deadline: Duration) -> SpooledReport {
        SpooledReport(id: report.header.id, gzip: report.encode(), deadline: .now + deadline)
    }

    private static func report(_ number: Int) -> Report {
        let digits = String(number, radix: 16)
        let last = String(repeating: "0", count: 12 - digits.utf8.count) + digits
        let process = ProcessFacts(
            pid: 4_711,
            name: "checkout",
            path: "/srv/checkout/checkout",
            uptimeMilliseconds: 60_000
        )
        var report = Report(
            header: ReportHeader(
                id: "01a22b88-27e3-7c86-b54b-\(last)",
                kind: .crash,
                time: "2026-11-30T08:17:53.123456Z",
                service: "checkout",
                release: "checkout@1.4.2",
                environment: "conformance",
                process: process,
                host: HostFacts(name: "web-3", os: "Debian GNU/Linux 12", arch: "x86_64", cpus: 2),
                sdk: SDKFacts(name: "mayday-swift", version: HTTPPost.clientVersion)
            )
        )
        report.crash = Crash(
            signal: CrashSignal(number: 4, name: "SIGILL", code: 2, codeName: "ILL_ILLOPN"),
            faultAddress: 0x1000,
            thread: 4_711,
            message: "Fatal error: Index out of range",
            messageSource: "swift",
            registers: [Register(name: "rip", value: 0x1000)]
        )
        let frames = (0..<5).map { index in
            Frame(address: 0x1000 + UInt64(index), image: 0, offset: UInt64(index), trust: index == 0 ? .context : .cfi)
        }
        report.threads = [
            ThreadStack(id: 4_711, name: "checkout", crashed: true, frames: frames),
            ThreadStack(id: 4_712, frames: frames),
        ]
        report.images = [Image(path: "/srv/checkout/checkout", base: 0x1000, size: 0x1000, buildID: "c1675e0bb980a575")]
        report.end = CaptureEnd(stages: ["report", "crash"], durationMicroseconds: 900, unwinder: "libunwind")
        return report
    }
}
