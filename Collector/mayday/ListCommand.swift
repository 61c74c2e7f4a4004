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
            .choice("--status", "STATUS", IssueStatus.names, "only these: # (default all)"),
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
            "mayday list", "mayday list --status regressed", "mayday list --new-in checkout@1.4.3 --sort count",
            "mayday list --json | jq '.issues[].title'",
        ],
        place: .reader
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let (limit, project) = (try arguments.limit(), try arguments.number("--project"))
        var selection = IssueSelection(project: project, status: try arguments.choice("--status"), limit: limit + 1)
        selection.filter = try Filters.filter(arguments, now: .now())
        selection.order = try arguments.choice("--sort").flatMap(IssueOrder.init(rawValue:)) ?? .last
        selection.offset = try arguments.offset(limit)
        let isNarrowed =
            selection.status != nil || selection.filter != ReportFilter() || selection.offset > 0
            || arguments.has("--new-in")
        let place = try arguments.place()
        let wanted = selection
        var list = try place.reading { reader throws(QueryError) in
            try IssueList.load(from: reader, wanted, newIn: arguments.value("--new-in"))
        }
        let isMore = list.entries.count > limit
        list.entries = Array(list.entries.prefix(limit))
        if arguments.has("--json") {
            console.print(list.json)
        } else if !list.entries.isEmpty {
            console.print(list.text(console.layout))
            if isMore { console.note("there are more: --page \(selection.offset / limit + 2), or --limit") }
        }
        try note(list, isNarrowed: isNarrowed, project, place, arguments, console)
        return list.entries.isEmpty ? .nothingFound : .done
    }

    /// Says why something that was sent may not be in the list, and what to do when there is nothing.
    private static func note(
        _ list: IssueList,
        isNarrowed: Bool,
        _ project: Int?,
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
        guard list.entries.isEmpty, !arguments.has("--json") else { return }
        let projects = try place.reading { reader throws(QueryError) in try reader.projects() }
        if let project, !projects.contains(where: { $0.id == project }) {
            console.note("no project \(project): `mayday projects list` shows those there are")
        } else if isNarrowed {
            let status = arguments.value("--status")
            let isOnlyStatus = status != nil && arguments.flagCount == 1
            let what = isOnlyStatus ? "no issue is \(status ?? "")" : "no issue is meant by these flags"
            console.note("\(what): `mayday list` shows all")
        } else {
            console.note(remedy(project, list.undigested, place, isServed: isServed))
        }
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
            console.note("\(reports(undigested.pending)) waiting for digestion, not in the list yet; \(remedy)")
        }
        if undigested.failed > 0 {
            console.note("\(reports(undigested.failed)) could not be digested; `mayday reports` shows them as failed")
        }
    }

    private static func reports(_ count: Int) -> String { count == 1 ? "1 report" : "\(count) reports" }
}
