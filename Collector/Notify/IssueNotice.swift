public import CrashReport
public import Query
public import Store

/// Something happened to an issue that somebody should hear of.
public struct IssueNotice: Sendable, Equatable {
    /// What happened.
    public var event: IssueEvent
    /// The issue, as it is listed.
    public var entry: IssueList.Entry
    /// The report that it happened with.
    public var report: ReportKey
    /// The release of that report.
    public var release: String?
    /// Notices that were left out before this one, because there were too many.
    public var suppressed = 0

    /// A notice by its parts.
    public init(event: IssueEvent, entry: IssueList.Entry, report: ReportKey, release: String?) {
        self.event = event
        self.entry = entry
        self.report = report
        self.release = release
    }

    /// `new`, `regressed` or `unmuted`.
    public var name: String {
        switch event {
        case .new: "new"
        case .regressed: "regressed"
        case .unmuted: "unmuted"
        }
    }

    /// One line for a person. What it quotes of a report has no control characters.
    public var text: String {
        let what =
            switch event {
            case .new: "New issue"
            case .regressed: "Regressed: issue"
            case .unmuted: "Not muted any more: issue"
            }
        let issue = entry.issue
        let place = issue.culprit.map { " in \($0)" } ?? ""
        let seen = release.map { " (\($0))" } ?? ""
        let more = suppressed > 0 ? "; \(suppressed) notices before it were left out" : ""
        return "\(what) \(issue.key.number) of project \(issue.key.project)\(seen): \(issue.title)\(place)\(more)"
            .madeVisible()
    }

    /// The notice for a program. `text` is what chat services show of a webhook.
    public var json: JSONValue {
        .object([
            "event": .string(name), "text": .string(text), "issue": entry.json,
            "report": .string(report.id), "release": release.map { .string($0) } ?? .null,
            "suppressed": .integer(Int64(suppressed)),
        ])
    }
}
