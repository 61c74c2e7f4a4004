internal import CrashCapture
internal import CrashReport

/// Writes reports of handled errors into the spool, and has them delivered.
struct OccurrenceWriter: Sendable {
    let delivery: Delivery

    /// Made when something is written: most runs of a service write nothing.
    private var spoolPath: String { String(cString: mayday_started_spool()) }

    func write(_ occurrences: [Occurrence]) async {
        do {
            let spool = try Spool(opening: spoolPath)
            for occurrence in occurrences {
                guard let report = occurrence.report() else { continue }
                try spool.add(report.encode(), id: report.header.id)
            }
        } catch {
            StandardError.warn("handled errors cannot be written to the spool \(spoolPath): \(error)")
        }
        await delivery.deliverInBackground()
    }
}
