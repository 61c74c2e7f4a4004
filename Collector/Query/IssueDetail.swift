public import CrashReport
public import Store

/// One issue with its releases and newest reports.
public struct IssueDetail: Sendable, Equatable {
    /// The issue and its releases.
    public var entry: IssueList.Entry
    /// Its reports by hour, of the last `shownHours`, oldest first.
    public var hours: [HourCount]
    /// Its newest reports, newest first.
    public var reports: [StoredReport]
    /// The newest of them, opened.
    public var newest: ReportDetail?

    /// How many reports are listed.
    public static let shownReports = 20
    /// How far back hours are counted: two weeks.
    public static let shownHours: Int64 = 14 * 24

    /// An issue by its parts.
    public init(entry: IssueList.Entry, hours: [HourCount], reports: [StoredReport], newest: ReportDetail?) {
        self.entry = entry
        self.hours = hours
        self.reports = reports
        self.newest = newest
    }

    /// Opens an issue and its newest report.
    public static func load(_ issue: Issue, from store: any Store) throws(QueryError) -> IssueDetail {
        let entry: IssueList.Entry
        let hours: [HourCount]
        let reports: [StoredReport]
        do throws(StoreError) {
            entry = IssueList.Entry(issue: issue, releases: try store.releases(of: issue.key))
            let start = Timestamp.now().microseconds - (shownHours - 1) * HourCount.length
            hours = try store.hours(of: issue.key, since: Timestamp(microseconds: start))
            reports = try store.reports(ReportSelection(issue: issue.key, limit: shownReports))
        } catch {
            throw .store(error)
        }
        var newest: ReportDetail?
        if let first = reports.first { newest = try ReportDetail.load(first, from: store) }
        return IssueDetail(entry: entry, hours: hours, reports: reports, newest: newest)
    }

    /// The issue as listed, `hours`, `reports`, and `newest_report` with all that is in it.
    public var json: JSONValue {
        var members = entry.members
        members["reports"] = .array(reports.map { .object($0.members) })
        members["hours"] = .array(
            hours.map { .object(["hour": .string($0.hour.description), "count": .integer(Int64($0.count))]) }
        )
        members["newest_report"] = newest?.json ?? .null
        return .object(members)
    }
}
