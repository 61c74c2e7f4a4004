public import CrashReport
public import Query
public import Store

/// Something happened to an issue that somebody should hear of.
public struct IssueNotice: Notice, Equatable {
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

    var label: String { "issue \(entry.issue.key.project)/\(entry.issue.key.number), \(name)" }

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
        let id = "\(issue.key.project)/\(issue.key.number)"
        return "\(what) \(id) of project \(quote(project, 100))\(seen): \(quote(issue.title, 700))\(place)"
    }

    /// The notice for a program. `text` is what chat services show of a webhook; everything else is as it was reported.
    public var json: JSONValue {
        .object([
            "event": .string(name), "text": .string(chatText), "command": .string(command), "issue": entry.json,
            "project": .object(["id": .integer(Int64(report.project)), "name": .string(project)]),
            "report": .string(report.id), "release": .optional(release), "environment": .optional(environment),
            "host": .optional(host),
        ])
    }

    var issue: IssueKey? { entry.issue.key }

    var variables: [String: String] {
        var all = [
            "MAYDAY_EVENT": name, "MAYDAY_TEXT": text, "MAYDAY_COMMAND": command,
            "MAYDAY_PROJECT": "\(entry.issue.key.project)", "MAYDAY_PROJECT_NAME": project,
            "MAYDAY_ISSUE": "\(entry.issue.key.number)", "MAYDAY_REPORT": report.id,
        ]
        // Not MAYDAY_RELEASE and MAYDAY_ENVIRONMENT, which would be settings of a command that is itself a service.
        all["MAYDAY_REPORT_RELEASE"] = release
        all["MAYDAY_REPORT_ENVIRONMENT"] = environment
        all["MAYDAY_REPORT_HOST"] = host
        return all
    }
}
