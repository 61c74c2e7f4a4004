internal import CrashReport

/// How much may wait in the spool; what is above goes, the oldest first, and a line on standard error says so.
///
/// The same limits hold once more for what was set aside in `rejected`. They are applied by a service that runs, before it
/// delivers, never by one that dies.
public struct SpoolLimits: Sendable, Equatable {
    /// Number of reports.
    public var reports: Int
    /// Bytes of their files.
    public var bytes: Int
    /// How long a report may wait.
    public var age: Duration

    /// Limits; by default 1,000 reports, 256 MiB and 30 days.
    public init(reports: Int = 1_000, bytes: Int = 256 << 20, age: Duration = .seconds(30 * 86_400)) {
        self.reports = reports
        self.bytes = bytes
        self.age = age
    }

    /// What is above the limits, the oldest first. The age is that in the id; an id of the future has none.
    func excess(_ files: StoredFiles, now: Timestamp) -> [WaitingReport] {
        var excess: [WaitingReport] = []
        var (kept, size) = (files.count, files.bytes)
        for file in files.oldest.sorted {
            let isOld = ReportID.time(of: file.id).map { now - $0 > age } ?? false
            guard isOld || kept > max(reports, 0) || size > max(bytes, 0) else { break }
            excess.append(file)
            kept -= 1
            size -= file.size
        }
        return excess
    }
}

/// The report files of a spool: how many, how large, and the oldest of them.
struct StoredFiles: Sendable {
    private(set) var count = 0
    private(set) var bytes = 0
    private(set) var oldest = FirstReports(limit: Spool.window)

    mutating func add(_ file: WaitingReport) {
        count += 1
        bytes += file.size
        oldest.add(file)
    }
}
