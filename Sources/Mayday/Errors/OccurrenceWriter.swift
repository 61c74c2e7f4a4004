internal import CrashCapture
internal import CrashReport

/// Writes reports of handled errors into the spool, and has them delivered. Without a spool they are sent at once, and what is
/// not delivered then is lost, and said.
struct OccurrenceWriter: Sendable {
    private let service: Service

    init(_ service: Service) { self.service = service }

    func write(_ occurrences: [Occurrence]) async {
        let reports = occurrences.compactMap { $0.report() }
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

    private func send(_ report: Report) async {
        guard let gzip = service.rules.apply(to: report.encode()) else { return }
        for lane in Lane.lanes(of: service.uploaders) {
            let deadline = ContinuousClock.now.advanced(by: .seconds(10))
            switch await lane.upload(SpooledReport(id: report.header.id, gzip: gzip, deadline: deadline)) {
            case nil: break
            case .retry(_, let reason), .rejected(let reason):
                StandardError.warn(
                    "report \(report.header.id) of a handled error not delivered, and there is no spool to keep it in: \(reason)"
                )
            }
        }
    }
}
