internal import CrashCapture
internal import CrashReport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The service's binary, run again by a dying process to deliver its report: `start` ends here and never returns.
///
/// The dying process waits for it, so everything happens before its deadline, and what does not is said on standard error.
enum Reporter {
    /// The deadline and the report, as the dying process named them; nil in a service that runs.
    ///
    /// Whoever may have set them: a reporter that did not know itself would be a second service.
    static func assignment() -> (deadline: String, report: String)? {
        guard let deadline = getenv(MAYDAY_REPORTER_VARIABLE) else { return nil }
        return (String(cString: deadline), getenv(MAYDAY_REPORT_VARIABLE).map { String(cString: $0) } ?? "")
    }

    /// Delivers the report and exits: `MAYDAY_REPORTER_DELIVERED` when the backend has it, `MAYDAY_REPORTER_NOT_DELIVERED` when not.
    static func run(deadline: String, report: String, uploader: any ReportUploader) -> Never {
        let deadline = ContinuousClock.now.advanced(by: timeLeft(of: deadline, uptime: RunningProcess.uptime))
        let name = lastComponent(report).madeVisible(limit: 300)
        let outcome = waitUntil(deadline) { await deliverAssigned(report, to: uploader, deadline: deadline) }
        switch outcome ?? .undecided {
        case .delivered(let id):
            StandardError.say("report \(id) delivered to \(uploader.destination)")
            _exit(MAYDAY_REPORTER_DELIVERED)
        case .failed(let line):
            StandardError.say(line)
        case .undecided:
            StandardError.say("report \(name) not delivered, \(uploader.destination) took too long\(fate(of: report))")
        }
        _exit(MAYDAY_REPORTER_NOT_DELIVERED)
    }

    private static func fate(of report: String) -> String {
        report.hasPrefix("fd:") ? "; it is lost" : "; kept in \(report.madeVisible(limit: 300))"
    }

    /// How long the delivery may take: the deadline counts from the start of the process, and something is left for the
    /// last line.
    static func timeLeft(of deadline: String, uptime: Duration) -> Duration {
        let milliseconds = Duration.milliseconds(Int(deadline).map { min(max($0, 0), 60_000) } ?? 5_000)
        let margin = min(milliseconds / 10, .milliseconds(200))
        return max(milliseconds - margin - uptime, .zero)
    }
}

/// How the reporter's work ended.
private enum ReporterOutcome: Sendable {
    case delivered(id: String)
    /// With the line that says what happened.
    case failed(String)
    /// The deadline came first.
    case undecided
}

/// Delivers the report that `MAYDAY_REPORT` names.
private func deliverAssigned(
    _ report: String,
    to uploader: any ReportUploader,
    deadline: ContinuousClock.Instant
) async -> ReporterOutcome {
    if report.hasPrefix("fd:"), let number = Int32(report.dropFirst(3)), number > 2 {
        return await deliverFromMemory(FileDescriptor(owning: number), to: uploader, deadline: deadline)
    }
    let file = lastComponent(report)
    guard report.hasPrefix("/"), let entry = SpoolEntry(fileName: file), !entry.isPart else {
        return .failed(
            """
            \(MAYDAY_REPORTER_VARIABLE) is set and \(MAYDAY_REPORT_VARIABLE) names no report: both are for Mayday's own \
            use, unset them to run the service
            """
        )
    }
    let path = String(report.dropLast(file.count + 1))
    return await deliverFromSpool(entry.id, in: path, to: uploader, deadline: deadline)
}

private func deliverFromSpool(
    _ id: String,
    in path: String,
    to uploader: any ReportUploader,
    deadline: ContinuousClock.Instant
) async -> ReporterOutcome {
    let file = "\(path)/\(SpoolEntry(id: id, isPart: false).fileName)".madeVisible(limit: 300)
    do {
        let spool = try Spool(opening: path)
        while true {
            switch try spool.claim(id) {
            case .gone: return .failed("report \(id) is not in the spool, another process of the service delivered it")
            case .taken:
                // Its failure would leave the report to us.
                guard deadline - .now > .milliseconds(50) else {
                    return .failed("report \(id) is being delivered by another process of the service")
                }
                try? await Task.sleep(for: .milliseconds(20))
            case .claimed(let report):
                switch await deliver(report, in: spool, to: uploader, deadline: deadline) {
                case .delivered: return .delivered(id: id)
                case .rejected(let reason, let path):
                    return .failed("report \(id) rejected, set aside in \(path.madeVisible(limit: 300)): \(reason)")
                case .kept(let reason, _): return .failed("report \(id) not delivered, kept in \(file): \(reason)")
                }
            }
        }
    } catch {
        return .failed("report \(id) not delivered, kept in \(file): \(error)")
    }
}

/// A report that has no file is tried again until the deadline: after it, it is lost.
private func deliverFromMemory(
    _ memory: consuming FileDescriptor,
    to uploader: any ReportUploader,
    deadline: ContinuousClock.Instant
) async -> ReporterOutcome {
    guard let size = try? memory.status().st_size, size > 0, size <= Spool.largestReport,
        let bytes = try? memory.read(limit: Int(size)), let id = reportID(in: bytes)
    else { return .failed("the report in memory cannot be read; it is lost") }
    var attempt = 0
    while true {
        do throws(UploadError) {
            try await uploader.upload(SpooledReport(id: id, gzip: bytes, deadline: deadline))
            return .delivered(id: id)
        } catch {
            switch error {
            case .rejected(let reason):
                return .failed(
                    "report \(id) rejected; it is lost, there was no spool: \(uploader.destination): \(reason)"
                )
            case .retry(let after, let reason):
                let delay = memoryRetryDelay(attempt: attempt, retryAfter: after, left: deadline - .now)
                guard let delay else {
                    return .failed(
                        "report \(id) not delivered; it is lost, there was no spool: \(uploader.destination): \(reason)"
                    )
                }
                attempt += 1
                try? await Task.sleep(for: delay)
            }
        }
    }
}

/// The pause before the next attempt: 100 ms, doubled each time, or what the backend asks for; nil when none fits in.
func memoryRetryDelay(attempt: Int, retryAfter: Duration?, left: Duration) -> Duration? {
    let delay = max(.milliseconds(100 << min(attempt, 6)), retryAfter ?? .zero)
    return delay < left ? delay : nil
}
