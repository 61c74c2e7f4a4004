import CrashReport
import Query
import Store

/// `mayday export`.
enum ExportCommand: Command {
    static let spec = CommandSpec(
        name: "export",
        summary: "Write reports for other programs, in the order in which they came",
        operands: "[ISSUE]",
        operandCount: 0...1,
        options: [
            .choice(
                "--format",
                "FORMAT",
                ExportFormat.allCases.map(\.rawValue),
                "#: an object a line, or a table (default jsonl)"
            ),
            CommandSpec.Option(name: "--full", value: nil, help: "all that is in each report, as jsonl"),
            CommandSpec.Option(name: "--limit", value: "N", help: "at most N (default all)"),
        ] + Filters.options,
        notes: [
            "Reports that come meanwhile are in it or not; none is in it twice. In csv control characters are replaced, "
                + "and what a spreadsheet would take for a formula has an apostrophe before it."
        ],
        examples: [
            "mayday export --since 7d > reports.jsonl", "mayday export 3 --format csv > issue-3.csv",
            "mayday export --full --limit 1 | jq .threads",
        ],
        place: .reader
    )

    private static let page = 500

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let format = try arguments.choice("--format").flatMap(ExportFormat.init(rawValue:)) ?? .jsonl
        if arguments.has("--full"), format == .csv { throw arguments.usage("--full is a tree and no table: use jsonl") }
        let limit = try arguments.number("--limit") ?? .max
        let filter = try Filters.filter(arguments, now: .now())
        let issue = try Filters.wanted(arguments)
        let place = try arguments.place()
        var selection = ReportSelection(project: try Filters.project(arguments, in: place), limit: Self.page)
        if let issue { selection.issue = try Filters.find(issue, in: place, arguments).issue.key }
        selection.filter = filter
        if let heading = format.heading { console.print(heading) }
        let all = selection
        let count = try console.progress(printing: true) { progress throws(CommandError) in
            var (selection, count, position) = (all, 0, 0)
            while count < limit {
                let done = count
                progress.show("\(Deletion.text(done)) exported")
                selection.limit = min(Self.page, limit - count)
                let (wanted, start) = (selection, position)
                let found = try place.reading { reader throws(QueryError) in try reader.page(of: wanted, after: start) }
                for report in found.reports {
                    guard arguments.has("--full") else {
                        console.print(format.line(report))
                        continue
                    }
                    console.print(try place.reading { reader throws(QueryError) in try reader.open(report).json })
                }
                count += found.reports.count
                guard let next = found.next else { break }
                position = next
            }
            return count
        }
        if count == 0 {
            let isNarrowed = filter != ReportFilter() || selection.issue != nil || selection.project != nil
            console.note(
                isNarrowed ? "no report is meant by these flags: `mayday reports` shows all" : "no reports yet"
            )
        }
        return count == 0 ? .nothingFound : .done
    }
}
