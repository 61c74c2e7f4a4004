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
    /// Name of the project.
    public var project: String
    /// The release of that report.
    public var release: String?
    /// Its environment.
    public var environment: String?
    /// The host that it came from.
    public var host: String?
    /// Notices that were left out before this one, because there were too many.
    public var suppressed = 0

    /// A notice by its parts.
    public init(event: IssueEvent, entry: IssueList.Entry, report: ReportKey, project: String, release: String?) {
        self.project = project
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

    /// What shows the issue, wherever it is typed on the collector's machine or with its `--server`.
    public var command: String { "mayday show \(entry.issue.key.project)/\(entry.issue.key.number)" }

    /// For a person: a sentence, and `command` on a line of its own.
    public var text: String { "\(sentence)\n\(command)" }

    /// The same for a chat: what it quotes of a report is code there, which calls nobody and links nowhere.
    public var chatText: String { "\(sentence { $0.codeInChat(limit: $1) })\n\(command)" }

    /// One line. What it quotes of a report has no control characters.
    var sentence: String { sentence { $0.madeVisible(limit: $1) } }

    /// - Parameter quote: shows a text of somebody else's, in so many characters. All of them together fit into a message of
    ///   Discord's, the shortest with 2,000, and into a variable of the environment.
    private func sentence(_ quote: (String, Int) -> String) -> String {
        let what =
            switch event {
            case .new: "New issue"
            case .regressed: "Regressed: issue"
            case .unmuted: "Not muted any more: issue"
            }
        let issue = entry.issue
        let place = issue.culprit.map { " in \(quote($0, 300))" } ?? ""
        let facts =
            [release, environment].compactMap { $0.map { quote($0, 100) } }
            + (host.map { ["on \(quote($0, 100))"] } ?? [])
        let seen = facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))"
        let more = suppressed > 0 ? "; \(suppressed) notices before it were left out" : ""
        let id = "\(issue.key.project)/\(issue.key.number)"
        return "\(what) \(id) of project \(quote(project, 100))\(seen): \(quote(issue.title, 700))\(place)\(more)"
    }

    /// The notice for a program. `text` is what chat services show of a webhook; everything else is as it was reported.
    public var json: JSONValue {
        .object([
            "event": .string(name), "text": .string(chatText), "command": .string(command), "issue": entry.json,
            "project": .object(["id": .integer(Int64(report.project)), "name": .string(project)]),
            "report": .string(report.id), "release": .optional(release), "environment": .optional(environment),
            "host": .optional(host), "suppressed": .integer(Int64(suppressed)),
        ])
    }
}
