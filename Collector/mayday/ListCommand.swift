import Query
import Store

/// `mayday list`.
enum ListCommand: Command {
    static let spec = CommandSpec(
        name: "list",
        summary: "List issues: equal crashes and errors as one, the last seen first",
        options: [
            .limit, .project,
            CommandSpec.Option(
                name: "--status",
                value: "STATUS",
                help: "only these: \(IssueStatus.names.joined(separator: ", ")) (default all)"
            ),
            .json("them"),
        ],
        examples: ["mayday list", "mayday list --json | jq '.issues[].title'"]
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let (limit, project) = (try arguments.limit(), try arguments.number("--project"))
        let status = arguments.value("--status")
        if let status, !IssueStatus.names.contains(status) {
            throw arguments.usage("--status \(status): expected \(IssueStatus.names.joined(separator: ", "))")
        }
        let selection = IssueSelection(project: project, status: status, limit: limit)
        let (location, store) = (try arguments.location(), try arguments.openStore())
        let (list, isServed) = try CommandError.wrapping { () throws(StoreError) in
            (try IssueList.load(from: store, selection), try store.isServed())
        }
        if arguments.has("--json") {
            console.print(list.json)
        } else if !list.entries.isEmpty {
            console.print(list.text(console.layout))
        }
        tell(list.undigested, location, isServed: isServed, console)
        if list.entries.isEmpty, !arguments.has("--json") {
            if let status { return note(status, console) }
            console.note(try remedy(project, list.undigested, location, isServed: isServed, store))
        }
        return list.entries.isEmpty ? .nothingFound : .done
    }

    private static func note(_ status: String, _ console: Console) -> ExitCode {
        console.note("no issue is \(status): `mayday list` shows all")
        return .nothingFound
    }

    /// Says what to do when there is nothing to list.
    private static func remedy(
        _ project: Int?,
        _ undigested: DigestCounts,
        _ location: StoreLocation,
        isServed: Bool,
        _ store: any Store
    ) throws(CommandError) -> String {
        let found = try CommandError.wrapping { () throws(StoreError) in
            try project.map { id throws(StoreError) in try store.project(id) != nil } ?? true
        }
        if let project, !found { return "no project \(project): `mayday projects list` shows those there are" }
        let place = project.map { " in project \($0)" } ?? ""
        if undigested.pending + undigested.failed > 0 { return "no issues yet\(place)" }
        let start = isServed ? "" : "start `mayday serve \(location.flag)` and "
        return
            "no issues yet\(place): \(start)give your service the DSN that the first start of `mayday serve` printed "
            + "(a lost one is replaced by `mayday projects rotate \(project ?? 1)`), and crash it"
    }

    /// Says why something that was sent may not be in the list.
    private static func tell(
        _ undigested: DigestCounts,
        _ location: StoreLocation,
        isServed: Bool,
        _ console: Console
    ) {
        if undigested.pending > 0 {
            let remedy =
                isServed ? "`mayday serve` is at it" : "no `mayday serve` is running on \(location): start it"
            console.note("\(reports(undigested.pending)) waiting for digestion, not in the list yet; \(remedy)")
        }
        if undigested.failed > 0 {
            console.note("\(reports(undigested.failed)) could not be digested; `mayday reports` shows them as failed")
        }
    }

    private static func reports(_ count: Int) -> String { count == 1 ? "1 report" : "\(count) reports" }
}
