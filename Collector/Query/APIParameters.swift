import CrashReport
public import Store

/// Parameters of the read API: written by a client, read by the collector.
public struct APIParameters: Sendable, Equatable {
    /// By name, as in a URL before it is percent-encoded.
    public private(set) var values: [String: String]

    /// Those of a request.
    public init(_ values: [String: String] = [:]) { self.values = values }

    private mutating func set(_ name: String, _ value: String?) { if let value { values[name] = value } }

    // MARK: Writing

    /// Those of a selection of issues.
    public init(_ selection: IssueSelection) {
        self.init(selection.filter)
        set("project", selection.project.map(String.init))
        set("number", selection.number.map(String.init))
        set("status", selection.statuses.isEmpty ? nil : selection.statuses.joined(separator: ","))
        set("sort", selection.order.rawValue)
        set("limit", "\(selection.limit)")
        set("offset", "\(selection.offset)")
    }

    /// Those of a selection of reports.
    public init(_ selection: ReportSelection, after position: Int? = nil) {
        self.init(selection.filter)
        set("project", (selection.issue?.project ?? selection.project).map(String.init))
        set("issue", selection.issue.map { "\($0.number)" })
        set("id", selection.idPrefix)
        set("limit", "\(selection.limit)")
        set("offset", "\(selection.offset)")
        set("after", position.map(String.init))
    }

    /// Those of a question.
    public init(_ question: StatisticsQuestion) {
        self.init(question.filter)
        set("project", (question.issue?.project ?? question.project).map(String.init))
        set("issue", question.issue.map { "\($0.number)" })
        set("limit", "\(question.limit)")
        switch question.part {
        case .time(let length): set("piece", "\(length / 1_000_000)")
        case .field, .tag: set("by", question.part.name)
        }
    }

    /// Those of a decision.
    public init(_ decision: IssueDecision) {
        self.init()
        switch decision {
        case .resolve(let release):
            set("decision", "resolve")
            set("in", release)
        case .mute(let until, let more):
            set("decision", "mute")
            set("until", until?.description)
            set("more", more.map(String.init))
        case .reopen: set("decision", "reopen")
        case .merge(let number):
            set("decision", "merge")
            set("into", "\(number)")
        }
    }

    private init(_ filter: ReportFilter) {
        self.init()
        set("release", filter.release)
        set("environment", filter.environment)
        set("kind", filter.kind)
        set("signal", filter.signal)
        set("host", filter.host)
        set("tag", filter.tag.map { "\($0.name)=\($0.value)" })
        set("text", filter.text)
        set("since", filter.since?.description)
        set("until", filter.until?.description)
    }

    /// Those of a question for the names of projects alone.
    public static let names = APIParameters(["only": "names"])

    // MARK: Reading

    /// Names of those of all reports.
    private static let filters = [
        "release", "environment", "kind", "signal", "host", "tag", "text", "since", "until",
    ]
    /// Names of the others, by what is asked for.
    static let ofProjects = ["only"]
    static let ofIssues = ["project", "number", "status", "sort", "limit", "offset"] + filters
    static let ofReports = ["project", "issue", "id", "limit", "offset", "after"] + filters
    static let ofQuestions = ["project", "issue", "by", "piece", "limit"] + filters
    static let ofDecisions = ["decision", "in", "until", "more", "into"]

    /// Refuses a parameter that is none of these: passed over, a slip of the pen would be answered with more than was meant.
    func allow(_ names: [String]) throws(QueryError) {
        guard let name = values.keys.filter({ !names.contains($0) }).min() else { return }
        let known = names.isEmpty ? "there are none here" : "here are \(names.joined(separator: ", "))"
        throw .wrong("\(name.prefix(64)): no parameter of this: \(known)")
    }

    func onlyNames() throws(QueryError) -> Bool { try choice("only", ["names"]) != nil }

    func issues(_ project: Int?) throws(QueryError) -> IssueSelection {
        let project = try self.project(project)
        var selection = IssueSelection(project: project, limit: try limit(100))
        selection.number = try number("number", 1...(.max))
        if let text = values["status"] {
            guard let statuses = IssueStatus.selection(text) else {
                throw .wrong("status: expected \(IssueStatus.choices.joined(separator: ", ")), or several by commas")
            }
            selection.statuses = statuses
        }
        selection.order =
            (try choice("sort", IssueOrder.allCases.map(\.rawValue)))
            .flatMap(IssueOrder.init(rawValue:)) ?? .last
        selection.offset = try number("offset", 0...(.max)) ?? 0
        selection.filter = try filter()
        return selection
    }

    func reports(_ project: Int?) throws(QueryError) -> ReportSelection {
        var selection = ReportSelection(project: try self.project(project), limit: try limit(100))
        selection.issue = try issue(of: selection.project)
        selection.idPrefix = values["id"]
        selection.offset = try number("offset", 0...(.max)) ?? 0
        selection.filter = try filter()
        return selection
    }

    func question(_ project: Int?) throws(QueryError) -> StatisticsQuestion {
        let project = try self.project(project)
        let part = values["by"].flatMap(StatisticsQuestion.Part.init)
        if values["by"] != nil, part == nil {
            let fields = StatisticsQuestion.Field.allCases.map(\.rawValue)
            throw .wrong("by: expected \((fields + ["tag:NAME"]).joined(separator: ", "))")
        }
        let piece = Int64(try number("piece", 1...(1 << 40)) ?? 3_600) * 1_000_000
        return StatisticsQuestion(
            project: project,
            issue: try issue(of: project),
            filter: try filter(),
            part: part ?? .time(piece),
            limit: try limit(20)
        )
    }

    func decision() throws(QueryError) -> IssueDecision {
        switch try choice("decision", ["resolve", "mute", "reopen", "merge"]) {
        case "resolve": return .resolve(in: values["in"])
        case "mute": return .mute(until: try time("until"), more: try number("more", 1...(1 << 40)))
        case "reopen": return .reopen
        case "merge":
            guard let into = try number("into", 1...(.max)) else { throw .wrong("into: give the number of an issue") }
            return .merge(into: into)
        default: throw .wrong("decision: expected resolve, mute, reopen, merge")
        }
    }

    private func project(_ named: Int?) throws(QueryError) -> Int? {
        if let named { return named }
        return try number("project", 1...(.max))
    }

    private func issue(of project: Int?) throws(QueryError) -> IssueKey? {
        guard let number = try number("issue", 1...(.max)) else { return nil }
        guard let project else { throw .wrong("issue: give the project too") }
        return IssueKey(project: project, number: number)
    }

    private func filter() throws(QueryError) -> ReportFilter {
        var filter = ReportFilter()
        filter.release = values["release"]
        filter.environment = values["environment"]
        filter.kind = values["kind"]
        filter.signal = values["signal"]
        filter.host = values["host"]
        filter.text = values["text"]
        if let text = values["tag"] {
            guard let tag = ReportFilter.Tag(text) else { throw .wrong("tag: expected NAME=VALUE") }
            filter.tag = tag
        }
        filter.since = try time("since")
        filter.until = try time("until")
        return filter
    }

    func limit(_ usual: Int) throws(QueryError) -> Int {
        try number("limit", 1...ReadAPI.maximumLimit) ?? usual
    }

    func number(_ name: String, _ range: ClosedRange<Int>) throws(QueryError) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let end = range.upperBound == .max ? "" : " to \(range.upperBound)"
            throw .wrong("\(name): expected a number from \(range.lowerBound)\(end)")
        }
        return number
    }

    private func choice(_ name: String, _ choices: [String]) throws(QueryError) -> String? {
        guard let text = values[name] else { return nil }
        guard choices.contains(text) else { throw .wrong("\(name): expected \(choices.joined(separator: ", "))") }
        return text
    }

    private func time(_ name: String) throws(QueryError) -> Timestamp? {
        guard let text = values[name] else { return nil }
        guard let time = Timestamp(text) else { throw .wrong("\(name): expected a time as 2026-11-30T09:07:14Z") }
        return time
    }
}

extension ReportFilter.Tag {
    /// `region=eu-1`; nil for other texts.
    public init?(_ text: String) {
        guard let equals = text.firstIndex(of: "="), equals != text.startIndex else { return nil }
        self.init(name: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
    }
}
