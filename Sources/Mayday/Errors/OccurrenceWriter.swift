internal import CrashCapture
internal import CrashReport
internal import Synchronization

/// Writes reports of handled errors into the spool, and has them delivered. Without a spool they are sent at once, and what is
/// not delivered then is lost, and said.
final class OccurrenceWriter: Sendable {
    private let service: Service
    /// Where there is no spool: what sends, and what was discarded and not told yet, by uploader.
    private let lanes: [Lane]
    private let discarded = Mutex<[UploaderName: [DiscardReason: Int]]>([:])

    init(_ service: Service) {
        self.service = service
        lanes = service.delivery == nil ? Lane.lanes(of: service.uploaders, rules: service.rules) : []
    }

    func write(_ occurrences: [CountedOccurrence]) async {
        var reports = occurrences.compactMap { $0.occurrence.report(count: $0.count) }
        for index in reports.indices { await AttachmentFiles.read(into: &reports[index], within: .seconds(5)) }
        guard let delivery = service.delivery else {
            for report in reports { await send(report) }
            return
        }
        // Found when something is written: most runs of a service write nothing.
        let path = String(cString: mayday_started_spool())
        do {
            let spool = try Spool(opening: path)
            for report in reports { try spool.add(report.encode(), id: report.header.id) }
        } catch {
            StandardError.warn("handled errors cannot be written to the spool \(path): \(error)")
        }
        await delivery.deliverInBackground()
    }

    /// Writes down what is not reported, for every uploader to tell its backend.
    func note(_ counts: [DiscardReason: Int]) {
        DiscardTotals.add(counts)
        if service.delivery == nil {
            for lane in lanes { note(counts, for: lane) }
        } else if let spool = try? Spool(opening: String(cString: mayday_started_spool())) {
            for uploader in service.uploaders { spool.note(counts, discardedFor: UploaderName(uploader.name)) }
        }
    }

    private func note(_ counts: [DiscardReason: Int], for lane: Lane) {
        discarded.withLock { $0[lane.name, default: [:]].add(counts) }
    }

    private func send(_ report: Report) async {
        let file = report.encode()
        for lane in lanes {
            if let reason = lane.pausedReason {
                lose(report, reason)
                continue
            }
            let deadline = ContinuousClock.now.advanced(by: .seconds(10))
            switch await lane.rules.verdict(on: file, for: lane.uploader, deadline: deadline) {
            case .send(let gzip):
                let counts = discarded.withLock { $0.removeValue(forKey: lane.name) } ?? [:]
                let spooled = SpooledReport(id: report.header.id, gzip: gzip, deadline: deadline, discarded: counts)
                if let error = await lane.upload(spooled) {
                    note(counts, for: lane)
                    if case .retry(let after?, _) = error { lane.pause(after) }
                    lose(report, error.reason)
                }
            case .dropped:
                note([.beforeSend: 1], for: lane)
                DiscardTotals.add([.beforeSend: 1])
            case .notWanted: break
            case .tooLarge(let reason): lose(report, "\(lane.uploader.destination): \(reason)")
            }
        }
    }

    private func lose(_ report: Report, _ reason: String) {
        StandardError.warn(
            "report \(report.header.id) of a handled error not delivered, and there is no spool to keep it in: \(reason)"
        )
    }

    /// Has every uploader let go of what it holds, where there is no spool.
    func shutdown(deadline: ContinuousClock.Instant) async {
        for lane in lanes { await lane.shutdown(deadline: deadline) }
    }
}
