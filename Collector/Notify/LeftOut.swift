import CrashReport
import Store

/// Notices that were not sent: how many, since when, and of which issues the first were.
struct LeftOut: Sendable, Equatable {
    /// A notice that is named.
    struct Item: Sendable, Equatable {
        var issue: IssueKey
        /// `new`, `regressed`, `unmuted`.
        var event: String
    }

    /// When the first was left out.
    var since: Timestamp
    /// All of them.
    private(set) var count: Int
    /// The first of them.
    private(set) var items: [Item] = []
    /// So many are named.
    static let largest = 20

    /// One of them.
    init(_ notice: any Notice, since: Timestamp) {
        if let summary = notice as? LeftOutNotice {
            self = summary.leftOut
            return
        }
        self.since = since
        count = 1
        if let issue = notice.issue { items = [Item(issue: issue, event: notice.name)] }
    }

    /// How many are not named.
    var more: Int { count - items.count }

    /// Those and, behind them, these.
    func added(to others: LeftOut?) -> LeftOut {
        guard var all = others else { return self }
        all.since = min(all.since, since)
        all.count += count
        all.items += items.prefix(Self.largest - all.items.count)
        return all
    }
}

/// How they are kept over a restart, and told to programs: `{"since": "…", "count": 2, "issues": [{"project": 1, "id": 3, "event": "new"}]}`.
extension LeftOut {
    var members: [String: JSONValue] {
        let issues = items.map { item in
            JSONValue.object([
                "project": .integer(Int64(item.issue.project)), "id": .integer(Int64(item.issue.number)),
                "event": .string(item.event),
            ])
        }
        return ["since": .string(since.description), "count": .integer(Int64(count)), "issues": .array(issues)]
    }

    /// Nil for what is nothing of the kind.
    init?(json: [UInt8]) {
        guard let value = try? JSONReader.parse(json), case .string(let text)? = value["since"],
            let since = Timestamp(text), case .integer(let count)? = value["count"], count > 0,
            let count = Int(exactly: count), case .array(let issues)? = value["issues"]
        else { return nil }
        self.since = since
        self.count = count
        for issue in issues.prefix(min(count, Self.largest)) {
            guard case .integer(let project)? = issue["project"], case .integer(let number)? = issue["id"],
                case .string(let event)? = issue["event"], let project = Int(exactly: project),
                let number = Int(exactly: number)
            else { return nil }
            items.append(Item(issue: IssueKey(project: project, number: number), event: event))
        }
    }
}

/// Says what was left out, once that is over.
struct LeftOutNotice: Notice {
    let leftOut: LeftOut
    let name = "left_out"
    let issue: IssueKey? = nil

    var label: String { sentence }

    var sentence: String {
        let issues = leftOut.items.map { "\($0.issue.project)/\($0.issue.number) \($0.event)" }
        let more = leftOut.more > 0 ? (issues.isEmpty ? [] : ["and \(leftOut.more) more"]) : []
        let named = (issues + more).joined(separator: ", ")
        let notices = leftOut.count == 1 ? "1 notice was" : "\(leftOut.count) notices were"
        return "\(notices) left out since \(leftOut.since.description.prefix(19))Z"
            + (named.isEmpty ? "" : ": \(named)")
    }

    var text: String { "\(sentence)\n\(command)" }

    private let command = "mayday list"

    var json: JSONValue {
        var members = leftOut.members
        members["event"] = .string(name)
        members["text"] = .string(text)
        members["command"] = .string(command)
        members["more"] = .integer(Int64(leftOut.more))
        return .object(members)
    }

    var variables: [String: String] {
        [
            "MAYDAY_EVENT": name, "MAYDAY_TEXT": text, "MAYDAY_COMMAND": command, "MAYDAY_COUNT": "\(leftOut.count)",
        ]
    }
}
