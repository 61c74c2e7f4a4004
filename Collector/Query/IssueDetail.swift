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
    /// Numbers of issues that became part of it.
    public var joined: [Int]
    /// All projects there are, for text.
    public var projects: [ProjectName]

    /// How many reports are listed.
    public static let shownReports = 20
    /// How far back hours are counted: two weeks.
    public static let shownHours: Int64 = 14 * 24

    /// An issue by its parts.
    public init(
        entry: IssueList.Entry,
        hours: [HourCount],
        reports: [StoredReport],
        newest: ReportDetail?,
        joined: [Int] = [],
        projects: [ProjectName] = []
    ) {
        self.projects = projects
        self.joined = joined
        self.entry = entry
        self.hours = hours
        self.reports = reports
        self.newest = newest
    }

    /// Opens an issue and its newest report.
    public static func load(_ entry: IssueList.Entry, from reader: some Reader) throws(QueryError) -> IssueDetail {
        let key = entry.issue.key
        let start = Timestamp.now().microseconds - (shownHours - 1) * HourCount.length
        let hours = try reader.hours(of: key, since: Timestamp(microseconds: start))
        let reports = try reader.reports(ReportSelection(issue: key, limit: shownReports))
        var newest: ReportDetail?
        if let first = reports.first { newest = try reader.open(first) }
        let projects = try reader.projects()
        return IssueDetail(
            entry: entry,
            hours: hours,
            reports: reports,
            newest: newest,
            joined: try reader.joined(to: key),
            projects: projects
        )
    }

    /// The issue as listed, `joined`, `hours`, `reports`, and `newest_report` with all that is in it.
    public var json: JSONValue {
        var members = entry.members
        members["reports"] = .array(reports.map { .object($0.members) })
        members["hours"] = .array(
            hours.map { .object(["hour": .string($0.hour.description), "count": .integer(Int64($0.count))]) }
        )
        members["joined"] = .array(joined.map { .integer(Int64($0)) })
        members["newest_report"] = newest?.json ?? .null
        return .object(members)
    }
}
