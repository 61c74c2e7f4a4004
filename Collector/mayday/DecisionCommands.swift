import CrashReport
import Query
import Store

/// `mayday resolve`.
enum ResolveCommand: Command {
    static let spec = CommandSpec(
        name: "resolve",
        summary: "Say that issues are fixed; they come back if they are not",
        operands: "ISSUE…",
        operandCount: 1...(.max),
        options: [
            CommandSpec.Option(
                name: "--in",
                value: "RELEASE",
                help: "fixed in this release and later ones (default those that it was not seen in yet)"
            ),
            .project, .json("them"),
        ],
        notes: [
            "An issue regresses when it is reported by the release that has the fix or a later one, by version; reports "
                + "of older releases count, and change nothing. Commits' hashes have no order: there, and where a service names "
                + "no release, a crash after this command is a regression, unless its release was seen with the issue before.",
            "It warns when the project has had no release that RELEASE could be compared with.",
        ],
        examples: ["mayday resolve 3", "mayday resolve 3 --in checkout@1.4.3"],
        place: .reader
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        try Decision.apply(.resolve(in: arguments.value("--in")), at: .now(), arguments, console)
    }
}

/// `mayday mute`.
enum MuteCommand: Command {
    static let spec = CommandSpec(
        name: "mute",
        summary: "Hear no more of issues, for ever, for a time or for some reports",
        operands: "ISSUE…",
        operandCount: 1...(.max),
        options: [
            CommandSpec.Option(name: "--for", value: "TIME", help: "for a time: 90m, 12h, 7d (default for ever)"),
            CommandSpec.Option(name: "--until-more", value: "N", help: "until it occurred N more times"),
            .project, .json("them"),
        ],
        notes: ["Reports of a muted issue are kept and counted. With both flags, what comes first ends it."],
        examples: ["mayday mute 3 --for 7d", "mayday mute 3 --until-more 100"],
        place: .reader
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let now = Timestamp.now()
        let until = try arguments.duration("--for").map { Timestamp(microseconds: now.microseconds + $0) }
        let decision = IssueDecision.mute(until: until, more: try arguments.number("--until-more", upTo: 1 << 40))
        return try Decision.apply(decision, at: now, arguments, console)
    }
}

/// `mayday reopen`.
enum ReopenCommand: Command {
    static let spec = CommandSpec(
        name: "reopen",
        summary: "Take back a resolve or a mute",
        operands: "ISSUE…",
        operandCount: 1...(.max),
        options: [.project, .json("them")],
        examples: ["mayday reopen 3"],
        place: .reader
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        try Decision.apply(.reopen, at: .now(), arguments, console)
    }
}

/// What they have in common.
enum Decision {
    /// Warns of a release that looks like none of the projects' own: a slip of the pen would keep an issue resolved for ever, or
    /// have the next report of it regress.
    private static func warn(
        _ release: String,
        _ issues: [IssueKey],
        _ reader: any Reader,
        _ console: Console
    ) throws(QueryError) {
        for project in Set(issues.map(\.project)).sorted() {
            let question = StatisticsQuestion(
                project: project,
                filter: ReportFilter(),
                part: .field(.release),
                limit: 1_000
            )
            let seen = try reader.statistics(question).counts.compactMap(\.value)
            guard let example = seen.first, !seen.contains(release) else { continue }
            let isOrdered = seen.contains { ReleaseVersion.precedes($0, release) != nil }
            // Where no release has an order, as commits, a new one is like those before.
            let isLikeOthers = ReleaseVersion(release) == nil && seen.allSatisfy { ReleaseVersion($0) == nil }
            guard !isOrdered, !isLikeOthers || name(release) != name(example) else { continue }
            console.note(
                "project \(project) has had no release that \(release) comes before or after (it has \(example)): "
                    + "a later report is a regression, unless the issue was seen in its release before; `mayday resolve` again with "
                    + "another --in corrects it"
            )
        }
    }

    private static func name(_ release: String) -> Substring? {
        release.lastIndex(of: "@").map { release[..<$0] }
    }

    /// The issues that were named.
    static func issues(_ arguments: Arguments, in place: Place) throws(CommandError) -> [IssueKey] {
        var wanted: [(project: Int?, number: Int)] = []
        for text in arguments.operands {
            guard case .issue(let named, let number) = Reference(text) else {
                throw arguments.usage("\"\(text)\" is no issue: give a number of `mayday list`")
            }
            wanted.append((named, number))
        }
        var found: [IssueKey] = []
        for issue in wanted { found.append(try Filters.find(issue, in: place, arguments).issue.key) }
        return found
    }

    /// Finds all issues before it changes any.
    static func apply(
        _ decision: IssueDecision,
        at time: Timestamp,
        _ arguments: Arguments,
        _ console: Console
    ) throws(CommandError) -> ExitCode {
        let place = try arguments.place()
        let keys = try issues(arguments, in: place)
        let list = try place.reading { reader throws(QueryError) in
            if case .resolve(let release?) = decision { try warn(release, keys, reader, console) }
            var entries: [IssueList.Entry] = []
            for key in keys {
                if let entry = try reader.decide(decision, on: key, at: time) { entries.append(entry) }
            }
            return IssueList(entries: entries, undigested: try reader.undigested(nil), projects: try reader.projects())
        }
        console.print(arguments.has("--json") ? [list.json.text] : list.decisions(console.layout))
        return .done
    }
}
