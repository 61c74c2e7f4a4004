import CrashReport
import Query
import Store

/// `mayday list`.
enum ListCommand: Command {
    static let spec = CommandSpec(
        name: "list",
        summary: "List issues: equal crashes and errors as one, the last seen first",
        options: [
            .limit, Filters.page,
            .choice(
                "--sort",
                "ORDER",
                IssueOrder.allCases.map(\.rawValue),
                "#: by the last or first report, the number of reports or of hosts (default last)"
            ),
            .list(
                "--status",
                "STATUS",
                IssueStatus.choices,
                "only these: #, or several by commas (default unresolved: regressed and open)"
            ),
            CommandSpec.Option(
                name: "--new-in",
                value: "RELEASE",
                help: "only those whose first release this is, by version"
            ),
        ] + Filters.options + [.json("them")],
        notes: [
            "An issue is listed when one of its reports meets all that is asked for; its counts are those of all of them."
        ],
        examples: [
            "mayday list", "mayday list --status regressed,muted", "mayday list --new-in checkout@1.4.3 --sort count",
            "mayday list --json | jq '.issues[].title'",
        ],
        place: .reader
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let limit = try arguments.limit()
        var selection = IssueSelection(statuses: try statuses(arguments), limit: limit + 1)
        selection.filter = try Filters.filter(arguments, now: .now())
        selection.order = try arguments.choice("--sort").flatMap(IssueOrder.init(rawValue:)) ?? .last
        selection.offset = try arguments.offset(limit)
        let place = try arguments.place()
        selection.project = try Filters.project(arguments, in: place)
        let wanted = selection
        var list = try load(wanted, place, arguments)
        let isMore = list.entries.count > limit
        list.entries = Array(list.entries.prefix(limit))
        if arguments.has("--json") {
            console.print(list.json)
        } else if !list.entries.isEmpty {
            console.print(list.text(console.layout))
            if isMore { console.note("there are more: --page \(selection.offset / limit + 2), or --limit") }
        }
        try note(list, wanted, place, arguments, console)
        return list.entries.isEmpty ? .nothingFound : .done
    }

    private static func statuses(_ arguments: Arguments) throws(CommandError) -> [String] {
        guard let text = arguments.value("--status") else { return IssueStatus.unresolved }
        guard let statuses = IssueStatus.selection(text) else {
            let choices = IssueStatus.choices.joined(separator: ", ")
            throw arguments.usage("--status \(text): expected \(choices), or several with commas between them")
        }
        return statuses
    }

    private static func load(_ selection: IssueSelection, _ place: Place, _ arguments: Arguments) throws(CommandError)
        -> IssueList
    {
        try place.reading { reader throws(QueryError) in
            try IssueList.load(from: reader, selection, newIn: arguments.value("--new-in"))
        }
    }

    /// More than these are not counted.
    private static let countedOthers = 100

    /// `12 resolved and 3 muted issues`, which the same flags mean besides; nil when there are none, or a status was asked for.
    private static func leftOut(_ selection: IssueSelection, _ place: Place, _ arguments: Arguments)
        throws(CommandError) -> String?
    {
        guard !arguments.has("--status") else { return nil }
        var others = selection
        others.statuses = IssueStatus.names.filter { !IssueStatus.unresolved.contains($0) }
        (others.offset, others.limit) = (0, countedOthers + 1)
        let found = try load(others, place, arguments).entries.map(\.issue.status.name)
        guard found.count <= countedOthers else { return "more than \(countedOthers) muted or resolved issues" }
        let counts = others.statuses.map { name in (name, found.count { $0 == name }) }.filter { $0.1 > 0 }
        guard !counts.isEmpty else { return nil }
        return counts.map { "\($0.1) \($0.0)" }.joined(separator: " and ") + (found.count == 1 ? " issue" : " issues")
    }

    /// Says why something that was sent may not be in the list, and what to do when there is nothing.
    private static func note(
        _ list: IssueList,
        _ selection: IssueSelection,
        _ place: Place,
        _ arguments: Arguments,
        _ console: Console
    ) throws(CommandError) {
        let isServed =
            switch place {
            case .server: true
            case .store(let store, _): try CommandError.wrapping { () throws(StoreError) in try store.isServed() }
            }
        tell(list.undigested, place, isServed: isServed, console)
        let others = try leftOut(selection, place, arguments)
        if list.entries.isEmpty, !arguments.has("--json") {
            console.note(nothing(list, selection, hasOthers: others != nil, place, isServed: isServed, arguments))
        }
        if let others { console.note("\(others) left out: --status all shows them too") }
    }

    /// Why the list is empty, and what to do.
    private static func nothing(
        _ list: IssueList,
        _ selection: IssueSelection,
        hasOthers: Bool,
        _ place: Place,
        isServed: Bool,
        _ arguments: Arguments
    ) -> String {
        if selection.offset > 0 { return "there are fewer issues than that: --page 1 has the first of them" }
        let isNarrowed = selection.filter != ReportFilter() || arguments.has("--new-in")
        if isNarrowed { return "no issue is meant by these flags: `mayday list --status all` shows all" }
        if hasOthers { return "no issue is open or regressed" }
        if let status = arguments.value("--status"), status != "all" {
            return "no issue is \(status): `mayday list --status all` shows all"
        }
        return remedy(selection.project, list.undigested, place, isServed: isServed)
    }

    private static func remedy(_ project: Int?, _ undigested: DigestCounts, _ place: Place, isServed: Bool) -> String {
        let scope = project.map { " in project \($0)" } ?? ""
        guard case .store(_, let location) = place, undigested.pending + undigested.failed == 0 else {
            return "no issues yet\(scope)"
        }
        let start = isServed ? "" : "start `mayday serve \(location.flag)` and "
        return
            "no issues yet\(scope): \(start)give your service the DSN that the first start of `mayday serve` printed "
            + "(a lost one is replaced by `mayday projects rotate \(project ?? 1)`), and crash it"
    }

    private static func tell(_ undigested: DigestCounts, _ place: Place, isServed: Bool, _ console: Console) {
        if undigested.pending > 0 {
            var remedy = "`mayday serve` is at it"
            if case .store(_, let location) = place, !isServed {
                remedy = "no `mayday serve` is running on \(location): start it"
            }
            console.note(
                "\(reports(undigested.pending)) waiting for digestion, new ones not in the list yet; \(remedy)"
            )
        }
        if undigested.failed > 0 {
            console.note("\(reports(undigested.failed)) could not be digested; `mayday reports` shows them as failed")
        }
    }

    private static func reports(_ count: Int) -> String { count == 1 ? "1 report" : "\(count) reports" }
}
