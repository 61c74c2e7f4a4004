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
        guard let deadline = mayday_reporter_deadline() else { return nil }
        return (String(cString: deadline), getenv(MAYDAY_REPORT_VARIABLE).map { String(cString: $0) } ?? "")
    }

    /// Delivers the report to every backend and exits: `MAYDAY_REPORTER_DELIVERED` when all of them have it,
    /// `MAYDAY_REPORTER_NOT_DELIVERED` when not.
    static func run(deadline: String, report: String, uploaders: [any ReportUploader], rules: OutgoingRules) -> Never {
        let left = timeLeft(of: deadline, uptime: .milliseconds(mayday_uptime_ms()))
        let deadline = ContinuousClock.now.advanced(by: left)
        // Uploads are given up a little earlier, which is written down; unless an uploader blocks every thread.
        let uploadDeadline = deadline - min(left / 10, .milliseconds(150))
        guard !Descriptors.areTooFewToReport else { refuse(report) }
        let results = waitUntil(deadline) {
            await deliverAssigned(report, to: Lane.lanes(of: uploaders, rules: rules), deadline: uploadDeadline)
        }
        let destinations = uploaders.map(\.destination).joined(separator: ", ")
        let blocked =
            "report \(name(of: report)) not delivered, \(destinations) took too long"
        let all = results ?? [.notDelivered(blocked + fate(of: report))]
        // What went wrong is said last, where it is looked for.
        for result in all where result.isDelivered { StandardError.say(result.line) }
        for result in all where !result.isDelivered { StandardError.say(result.line) }
        _exit(all.allSatisfy(\.isDelivered) ? MAYDAY_REPORTER_DELIVERED : MAYDAY_REPORTER_NOT_DELIVERED)
    }

    /// Before anything of Dispatch is used, which would end this process without a word.
    private static func refuse(_ report: String) -> Never {
        StandardError.say("report \(name(of: report)) not delivered: \(Descriptors.reason)\(fate(of: report))")
        _exit(MAYDAY_REPORTER_NOT_DELIVERED)
    }

    private static func name(of report: String) -> String {
        if report.hasPrefix("fd:") { return "in memory" }
        let file = lastComponent(report)
        return SpoolEntry(fileName: file)?.id ?? file.madeVisible(limit: 300)
    }

    private static func fate(of report: String) -> String {
        report.hasPrefix("fd:")
            ? ", and there is no spool to keep it in" : "; kept in \(report.madeVisible(limit: 300))"
    }

    /// How long the delivery may take: the deadline counts from the start of the process, and something is left for the
    /// last line.
    static func timeLeft(of deadline: String, uptime: Duration) -> Duration {
        let milliseconds = Duration.milliseconds(Int(deadline).map { min(max($0, 0), 60_000) } ?? 5_000)
        let margin = min(milliseconds / 10, .milliseconds(200))
        return max(milliseconds - margin - uptime, .zero)
    }
}

/// How the reporter's work ended for one uploader, with the line that says so.
private enum ReporterResult: Sendable {
    case delivered(String)
    case notDelivered(String)

    var line: String {
        switch self {
        case .delivered(let line), .notDelivered(let line): line
        }
    }

    var isDelivered: Bool {
        if case .delivered = self { true } else { false }
    }
}

/// Delivers the report that `MAYDAY_REPORT` names, in all lanes side by side. The results are in the lanes' order.
private func deliverAssigned(
    _ report: String,
    to lanes: [Lane],
    deadline: ContinuousClock.Instant
) async -> [ReporterResult] {
    if report.hasPrefix("fd:"), let number = Int32(report.dropFirst(3)), number > 2 {
        let memory = FileDescriptor(owning: number)
        guard let bytes = try? memory.readReport(), let id = reportID(in: bytes)
        else { return [.notDelivered("the report in memory cannot be read")] }
        let report = SpooledReport(id: id, gzip: bytes, deadline: deadline)
        return await sideBySide(lanes, deadline) { await deliverFromMemory(report, in: $0) }
    }
    let file = lastComponent(report)
    guard report.hasPrefix("/"), let entry = SpoolEntry(fileName: file), !entry.isPart else {
        return [
            .notDelivered(
                """
                \(MAYDAY_REPORTER_VARIABLE) is set and \(MAYDAY_REPORT_VARIABLE) names no report: both are for Mayday's own \
                use, unset them to run the service
                """
            )
        ]
    }
    let path = String(report.dropLast(file.count + 1))
    await AttachmentFiles.keep(in: report, within: AttachmentFiles.limit(of: deadline - .now))
    return await sideBySide(lanes, deadline) { await deliverFromSpool(entry.id, at: path, in: $0, deadline: deadline) }
}

private func sideBySide(
    _ lanes: [Lane],
    _ deadline: ContinuousClock.Instant,
    _ work: @escaping @Sendable (Lane) async -> ReporterResult
) async -> [ReporterResult] {
    let tasks = lanes.map { lane in
        Task {
            let result = await work(lane)
            // The result stands; that the uploader takes long to let go must not hold up the end of the service.
            await lane.shutdown(deadline: min(deadline, .now.advanced(by: .milliseconds(500))))
            return result
        }
    }
    var results: [ReporterResult] = []
    for task in tasks { results.append(await task.value) }
    return results
}

private func deliverFromSpool(
    _ id: String,
    at path: String,
    in lane: Lane,
    deadline: ContinuousClock.Instant
) async -> ReporterResult {
    let destination = lane.uploader.destination
    let kept = "kept in \("\(path)/\(SpoolEntry(id: id, isPart: false).fileName)".madeVisible(limit: 300))"
    do {
        let spool = try Spool(opening: path)
        if let until = lane.pause(in: spool) {
            return .notDelivered(
                "report \(id) not delivered, \(kept): \(destination) asked not to be sent to before \(until)"
            )
        }
        while true {
            switch try spool.claim(id, for: lane.name) {
            case .gone:
                return .notDelivered("report \(id) is not in the spool, another process of the service delivered it")
            case .taken:
                // Its failure would leave the report to us.
                guard deadline - .now > .milliseconds(50) else {
                    return .notDelivered("report \(id) is being delivered by another process of the service")
                }
                try? await Task.sleep(for: .milliseconds(20))
            case .claimed(let report):
                switch await lane.deliver(report, in: spool, deadline: deadline) {
                case .delivered, .settledBefore: return .delivered("report \(id) delivered to \(destination)")
                case .dropped: return .delivered("report \(id) dropped by beforeSend, and not sent to \(destination)")
                case .notWanted:
                    return .delivered("report \(id) not sent to \(destination), which takes none of its kind")
                case .rejected(let reason, let path):
                    let place = path.map { " in \($0.madeVisible(limit: 300))" } ?? " by \(destination)"
                    return .notDelivered("report \(id) rejected, set aside\(place): \(reason)")
                case .kept(let reason, _): return .notDelivered("report \(id) not delivered, \(kept): \(reason)")
                }
            }
        }
    } catch {
        return .notDelivered("report \(id) not delivered, \(kept): \(error)")
    }
}

/// A report that has no file is tried again until the deadline: after it, the dying process writes it into its log.
private func deliverFromMemory(_ report: SpooledReport, in lane: Lane) async -> ReporterResult {
    var attempt = 0
    let destination = lane.uploader.destination
    let outgoing: [UInt8]
    switch await lane.rules.verdict(on: report.gzip, for: lane.uploader, deadline: report.deadline) {
    case .send(let bytes): outgoing = bytes
    case .dropped: return .delivered("report \(report.id) dropped by beforeSend, and not sent to \(destination)")
    case .notWanted:
        return .delivered("report \(report.id) not sent to \(destination), which takes none of its kind")
    case .tooLarge(let reason): return .notDelivered("report \(report.id) not delivered to \(destination): \(reason)")
    }
    let report = SpooledReport(id: report.id, gzip: outgoing, deadline: report.deadline)
    while true {
        switch await lane.upload(report) {
        case nil: return .delivered("report \(report.id) delivered to \(destination)")
        case .rejected(let reason):
            return .notDelivered("report \(report.id) rejected, and there is no spool to set it aside in: \(reason)")
        case .retry(let after, let reason):
            let left = report.deadline - .now
            guard let delay = RetryPolicy.pauseInMemory(attempt: attempt, retryAfter: after, left: left) else {
                return .notDelivered(
                    "report \(report.id) not delivered, and there is no spool to keep it in: \(reason)"
                )
            }
            // Said at once: at the deadline, whatever went wrong last would hide it.
            if attempt == 0 { StandardError.say("report \(report.id) not delivered yet, it is tried again: \(reason)") }
            attempt += 1
            try? await Task.sleep(for: delay)
        }
    }
}
