import CrashReport
import Query
import Store

/// `mayday reports`.
enum ReportsCommand: Command {
    static let spec = CommandSpec(
        name: "reports",
        summary: "List reports, of one issue or all, the newest first",
        operands: "[ISSUE]",
        operandCount: 0...1,
        options: [.limit, Filters.page] + Filters.options + [.json("them")],
        notes: ["ISSUE is a number of `mayday list`; `mayday show` takes the beginning of a report's id."],
        examples: [
            "mayday reports 3", "mayday reports --signal SIGSEGV --since 7d", "mayday reports --limit 1 --json",
        ],
        place: .reader
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let limit = try arguments.limit()
        var selection = ReportSelection(limit: limit + 1)
        selection.filter = try Filters.filter(arguments, now: .now())
        selection.offset = try arguments.offset(limit)
        let isNarrowed = selection.filter != ReportFilter() || arguments.has("--project")
        let issue = try Filters.wanted(arguments)
        let place = try arguments.place()
        if let issue { selection.issue = try Filters.find(issue, in: place, arguments).issue.key }
        selection.project = try Filters.project(arguments, in: place)
        let wanted = selection
        let (found, projects) = try place.reading { reader throws(QueryError) in
            (try reader.reports(wanted), try reader.projects())
        }
        let list = ReportList(reports: Array(found.prefix(limit)), projects: projects, issue: wanted.issue)
        if arguments.has("--json") {
            console.print(list.json)
        } else if list.reports.isEmpty {
            console.note(
                selection.offset > 0
                    ? "there are fewer reports than that: --page 1 has the first of them"
                    : isNarrowed ? "no report is meant by these flags: `mayday reports` shows all" : "no reports yet"
            )
        } else {
            console.print(list.text(console.layout))
            if found.count > limit {
                console.note("there are more: --page \(selection.offset / limit + 2), or --limit")
            }
        }
        return list.reports.isEmpty ? .nothingFound : .done
    }
}
