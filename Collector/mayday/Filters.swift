import CrashReport
import Query
import Store

/// The flags that say which reports are meant, the same for every command that lists or counts.
enum Filters {
    static let options: [CommandSpec.Option] = [
        .project,
        CommandSpec.Option(name: "--release", value: "RELEASE", help: "only of this release, checkout@1.4.2"),
        CommandSpec.Option(name: "--environment", value: "NAME", help: "only of this environment"),
        .choice("--kind", "KIND", ["crash", "error", "message"], "only of this kind: #"),
        CommandSpec.Option(name: "--signal", value: "NAME", help: "only of this signal, SIGSEGV"),
        CommandSpec.Option(name: "--host", value: "NAME", help: "only of this host"),
        CommandSpec.Option(name: "--tag", value: "NAME=VALUE", help: "only with this tag of the service"),
        CommandSpec.Option(name: "--text", value: "TEXT", help: "only with this in the title or the culprit"),
        CommandSpec.Option(
            name: "--since",
            value: "TIME",
            help: "not before: 7d (ago), 2026-11-30 (in UTC), 2026-11-30T09:00:00Z"
        ),
        CommandSpec.Option(name: "--until", value: "TIME", help: "not after"),
    ]
    static let page = CommandSpec.Option(name: "--page", value: "N", help: "the Nth --limit of them (default 1)")

    static func filter(_ arguments: Arguments, now: Timestamp) throws(CommandError) -> ReportFilter {
        var filter = ReportFilter()
        filter.release = arguments.value("--release")
        filter.environment = arguments.value("--environment")
        filter.kind = try arguments.choice("--kind")
        filter.signal = arguments.value("--signal").map(signal)
        filter.host = arguments.value("--host")
        filter.text = arguments.value("--text")
        if let text = arguments.value("--tag") {
            guard let tag = ReportFilter.Tag(text) else {
                throw arguments.usage("--tag \(text): expected NAME=VALUE, such as region=eu-1")
            }
            filter.tag = tag
        }
        filter.since = try arguments.moment("--since", now: now)
        filter.until = try arguments.moment("--until", now: now)
        if let since = filter.since, let until = filter.until, since > until {
            throw arguments.usage("--since is after --until: exchange them")
        }
        return filter
    }

    /// `segv` and `SEGV` are `SIGSEGV`.
    private static func signal(_ text: String) -> String {
        let name = text.uppercased()
        return name.hasPrefix("SIG") ? name : "SIG" + name
    }

    /// The issue that stands behind the flags, as it was typed.
    static func wanted(_ arguments: Arguments) throws(CommandError) -> (project: Int?, number: Int)? {
        guard let text = arguments.operands.first else { return nil }
        guard case .issue(let named, let number) = Reference(text) else {
            throw arguments.usage("\"\(text)\" is no issue: give a number of `mayday list`")
        }
        return (named, number)
    }

    /// The project of `--project`, by its id or its name.
    static func project(_ arguments: Arguments, in place: Place) throws(CommandError) -> Int? {
        guard let text = arguments.value("--project") else { return nil }
        return try project(text, in: place).id
    }

    /// A project by its id or its name.
    static func project(_ text: String, in place: Place) throws(CommandError) -> ProjectName {
        let projects = try place.reading { reader throws(QueryError) in try reader.projects() }
        guard let found = projects.first(where: { "\($0.id)" == text }) ?? projects.first(where: { $0.name == text })
        else { throw .nothingFound("no project \(text): `mayday projects list` shows those there are") }
        return found
    }

    /// The issue that was typed, in the project of `--project` where none was typed with it.
    static func find(
        _ wanted: (project: Int?, number: Int),
        in place: Place,
        _ arguments: Arguments
    ) throws(CommandError) -> IssueList.Entry {
        let given = try project(arguments, in: place)
        if let named = wanted.project, let given, named != given {
            throw arguments.usage(
                "--project \(arguments.value("--project") ?? "") is not the project of \(named)/\(wanted.number): leave one out"
            )
        }
        return try place.reading { reader throws(QueryError) in
            try Reference.issue(project: wanted.project ?? given, number: wanted.number, in: reader)
        }
    }
}

extension Arguments {
    /// One of the values that the flag takes.
    func choice(_ name: String) throws(CommandError) -> String? {
        guard let text = value(name) else { return nil }
        let choices = spec.allOptions.first { $0.name == name }?.choices ?? []
        guard choices.contains(text) else {
            throw usage("\(name) \(text): expected \(choices.joined(separator: ", "))")
        }
        return text
    }

    /// A point in time: so long ago, a day in UTC, or a time as RFC 3339 has it.
    func moment(_ name: String, now: Timestamp) throws(CommandError) -> Timestamp? {
        guard let text = value(name) else { return nil }
        if let time = Timestamp(text) ?? Timestamp("\(text)T00:00:00Z") { return time }
        guard text.last.map({ "smhd".contains($0) }) ?? false, let ago = try? duration(name) else {
            throw usage("\(name) \(text): expected 7d (ago), 2026-11-30 or 2026-11-30T09:00:00Z")
        }
        return Timestamp(microseconds: now.microseconds - ago)
    }

    /// How many to leave out in front of the page.
    func offset(_ limit: Int) throws(CommandError) -> Int {
        (try number("--page", upTo: 1_000_000) ?? 1) * limit - limit
    }
}
