import Query
import Store

/// `mayday reports`.
enum ReportsCommand: Command {
    static let spec = CommandSpec(
        name: "reports",
        summary: "List reports, of one issue or all, the newest first",
        operands: "[ISSUE]",
        operandCount: 0...1,
        options: [.limit, .project, .json("them")],
        notes: ["ISSUE is a number of `mayday list`; `mayday show` takes the beginning of a report's id."],
        examples: ["mayday reports 3", "mayday reports --limit 1 --json"]
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        var selection = ReportSelection(project: try arguments.number("--project"), limit: try arguments.limit())
        let wanted = try arguments.operands.first.map { text throws(CommandError) in
            guard case .issue(let project, let number) = Reference(text) else {
                throw arguments.usage("\"\(text)\" is no issue: give a number of `mayday list`")
            }
            return (project: project ?? selection.project, number: number)
        }
        let store = try arguments.openStore()
        if let wanted {
            selection.issue = try CommandError.querying { () throws(QueryError) in
                try Reference.issue(project: wanted.project, number: wanted.number, in: store).key
            }
        }
        let list = try CommandError.wrapping { () throws(StoreError) in try ReportList.load(from: store, selection) }
        if arguments.has("--json") {
            console.print(list.json)
        } else if list.reports.isEmpty {
            console.note("no reports yet")
        } else {
            console.print(list.text(console.layout))
        }
        return list.reports.isEmpty ? .nothingFound : .done
    }
}
