/// An issue whose key was made by older rules of grouping.
public struct OutdatedIssue: Sendable {
    /// Where it is in the order in which issues were made.
    public var position: Int
    /// Its newest report, by which it goes on.
    public var newest: ReportKey
    /// The bytes of that report.
    public var body: ReportBody
}

/// What the newest report of an issue is by other rules of grouping.
public struct Regrouping: Sendable {
    /// From `OutdatedIssue`.
    public var position: Int
    /// From `OutdatedIssue`.
    public var newest: ReportKey
    /// Key of the issue in its project.
    public var fingerprint: String
    /// Headline.
    public var title: String
    /// Innermost function of the service's own code, with its place.
    public var culprit: String?
    /// What a person should know of the report now.
    public var remarks: DigestRemarks

    /// What these rules say of an outdated issue.
    public init(of issue: OutdatedIssue, fingerprint: String, title: String, culprit: String?, grouping: [String]) {
        position = issue.position
        newest = issue.newest
        self.fingerprint = fingerprint
        self.title = title
        self.culprit = culprit
        remarks = issue.body.remarks
        remarks.grouping = grouping
    }
}

/// What became of an issue by other rules.
public struct RegroupedIssue: Sendable, Equatable {
    /// The issue that its reports are in.
    public var key: IssueKey
    /// The issue that became a part of it, and is no more.
    public var joined: IssueKey?
}
