internal import CrashReport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Delivers what waits in the spool of a running service, one report at a time, the oldest first.
///
/// Nothing runs at rest: there is a task only while there are reports to deliver.
actor Delivery {
    private let uploader: any ReportUploader
    /// The service's directory in the spool.
    private let path: String
    private var last: Task<DeliverySummary, Never>?

    init(uploader: any ReportUploader, path: String) {
        self.uploader = uploader
        self.path = path
    }

    /// Delivers until the spool holds nothing more that can be delivered now, after a round that is under way.
    ///
    /// - Parameter limit: how long each report may take.
    @discardableResult
    func deliverAll(limit: Duration) async -> DeliverySummary {
        let (previous, uploader, path) = (last, uploader, path)
        let round = Task {
            _ = await previous?.value
            let summary = await deliverRound(from: path, to: uploader, limit: limit)
            for line in summary.lines(destination: uploader.destination) { StandardError.say(line) }
            return summary
        }
        last = round
        let summary = await round.value
        if last == round { last = nil }
        return summary
    }
}

/// How a round of deliveries went.
struct DeliverySummary: Sendable, Equatable {
    var delivered = 0
    /// Reports that were set aside, with the reasons.
    var rejected: [String] = []
    /// Files that have the name of a report and cannot be read, with the reasons. They hold up nothing.
    var unreadable: [String] = []
    /// Reports that other processes of the service are delivering.
    var elsewhere = 0
    /// Why the round stopped with reports left in the spool; nil when nothing is left.
    var kept: String?

    /// True when the spool has nothing left to deliver.
    var isDone: Bool { kept == nil && elsewhere == 0 }

    /// What to say of the round on standard error; nothing when there was nothing to do.
    func lines(destination: String) -> [String] {
        var lines: [String] = []
        if delivered > 0 {
            let reports = delivered == 1 ? "1 report" : "\(delivered) reports"
            lines.append("\(reports) from the spool delivered to \(destination)")
        }
        lines += rejected.map { "report rejected, set aside: \($0)" }
        lines += unreadable.map { "left alone in the spool: \($0)" }
        if let kept { lines.append("reports stay in the spool: \(kept)") }
        return lines
    }
}

/// One pass over a spool. The first report that must be tried again later ends it: the others would fare alike.
private func deliverRound(from path: String, to uploader: any ReportUploader, limit: Duration) async -> DeliverySummary
{
    var summary = DeliverySummary()
    do {
        let spool = try Spool(opening: path)
        for entry in try spool.entries() where entry.isPart {
            do { try spool.settle(entry, now: time(nil)) } catch {
                summary.unreadable.append("\(entry.fileName): \(error)")
            }
        }
        for entry in try spool.entries() where !entry.isPart && summary.kept == nil {
            await deliver(entry, in: spool, to: uploader, limit: limit, summary: &summary)
        }
    } catch {
        summary.kept = "\(error)"
    }
    return summary
}

private func deliver(
    _ entry: SpoolEntry,
    in spool: borrowing Spool,
    to uploader: any ReportUploader,
    limit: Duration,
    summary: inout DeliverySummary
) async {
    do {
        switch try spool.claim(entry.id) {
        case .taken: summary.elsewhere += 1
        case .gone: break
        case .claimed(let report):
            switch await deliver(report, in: spool, to: uploader, deadline: .now.advanced(by: limit)) {
            case .delivered: summary.delivered += 1
            case .rejected(let reason, _): summary.rejected.append("\(entry.id): \(reason)")
            case .kept(let reason, _): summary.kept = reason
            }
        }
    } catch {
        summary.unreadable.append("\(entry.fileName): \(error)")
    }
}

/// What became of one report.
enum DeliveryOutcome: Sendable, Equatable {
    case delivered
    /// The backend will never take it; it lies in `path` now.
    case rejected(reason: String, path: String)
    /// Not delivered, but nothing is lost.
    case kept(reason: String, retryAfter: Duration?)
}

/// Delivers a claimed report and takes it out of the spool after the backend's answer, never before.
func deliver(
    _ report: consuming ClaimedReport,
    in spool: borrowing Spool,
    to uploader: any ReportUploader,
    deadline: ContinuousClock.Instant
) async -> DeliveryOutcome {
    do throws(SystemError) {
        guard let bytes = try report.read() else {
            let reason = "the file is empty or above \(Spool.largestReport >> 20) MiB"
            return .rejected(reason: reason, path: try spool.reject(report, reason: reason))
        }
        do throws(UploadError) {
            try await uploader.upload(SpooledReport(id: report.entry.id, gzip: bytes, deadline: deadline))
        } catch {
            switch error {
            case .retry(let after, let reason):
                return .kept(reason: "\(uploader.destination): \(reason)", retryAfter: after)
            case .rejected(let reason):
                let reason = "\(uploader.destination): \(reason)"
                return .rejected(reason: reason, path: try spool.reject(report, reason: reason))
            }
        }
        try spool.remove(report)
        return .delivered
    } catch {
        return .kept(reason: "the spool \(spool.path) cannot be changed: \(error)", retryAfter: nil)
    }
}
