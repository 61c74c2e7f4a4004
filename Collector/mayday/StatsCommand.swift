import CrashReport
import Query
import Store

/// `mayday stats`.
enum StatsCommand: Command {
    static let spec = CommandSpec(
        name: "stats",
        summary: "Count reports over time, or by what they have in common",
        operands: "[ISSUE]",
        operandCount: 0...1,
        options: [
            .choice(
                "--by",
                "WHAT",
                choices,
                "a bar for each: #, or tag:NAME for the values of a tag (default time)"
            ),
            CommandSpec.Option(name: "--limit", value: "N", help: "at most N bars, but of time (default 20)"),
        ] + Filters.options + [.json("the counts")],
        notes: [
            "Without --since, the last 24 hours by time, and all reports by anything else. What retention has removed is "
                + "not counted; `mayday show ISSUE` has an issue's counts by hour from before that."
        ],
        examples: [
            "mayday stats", "mayday stats 3 --since 30d", "mayday stats --by release --kind crash --since 7d",
            "mayday stats --by tag:region",
        ],
        place: .reader
    )

    private static var choices: [String] { ["time"] + StatisticsQuestion.Field.allCases.map(\.rawValue) }

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let now = Timestamp.now()
        var filter = try Filters.filter(arguments, now: now)
        let by = arguments.value("--by") ?? "time"
        let named = StatisticsQuestion.Part(by)
        guard named != nil || by == "time" else {
            throw arguments.usage("--by \(by): expected \(choices.joined(separator: ", ")) or tag:NAME")
        }
        let limit = try arguments.number("--limit", upTo: 999) ?? 20
        if named == nil, filter.since == nil {
            let end = filter.until ?? now
            filter.since = Timestamp(microseconds: end.microseconds - 24 * HourCount.length)
        }
        let part: StatisticsQuestion.Part =
            named
            ?? .time(StatisticsReport.piece(since: filter.since ?? now, until: filter.until ?? now))
        let wanted = try Filters.wanted(arguments)
        let place = try arguments.place()
        let project = try Filters.project(arguments, in: place)
        var issue: IssueKey?
        if let wanted { issue = try Filters.find(wanted, in: place, arguments).issue.key }
        let question = StatisticsQuestion(project: project, issue: issue, filter: filter, part: part, limit: limit + 1)
        var found = try place.reading { reader throws(QueryError) in try reader.statistics(question) }
        let isMore = named != nil && found.counts.count > limit
        if isMore { found.counts.removeLast() }
        let report = StatisticsReport(question: question, statistics: found, now: now)
        if arguments.has("--json") { console.print(report.json) } else { console.print(report.text(console.layout)) }
        if isMore, !arguments.has("--json") { console.note("there are more than these \(limit): --limit") }
        return found.reports == 0 ? .nothingFound : .done
    }
}
