import CrashReport
import Query
import Store

/// `mayday projects`.
enum ProjectsCommand: Command {
    static let spec = CommandSpec(
        name: "projects",
        summary: "List, add and remove projects, replace keys, see and set limits",
        operands: "list | add NAME | rotate|keep|limit|remove ID",
        operandCount: 1...3,
        options: [
            CommandSpec.Option(name: "--age", value: "TIME", help: "keep: reports of so long, such as 90d"),
            CommandSpec.Option(name: "--reports", value: "N", help: "keep: so many reports"),
            CommandSpec.Option(
                name: "--bytes",
                value: "N",
                help: "keep: so many bytes of reports, such as 20G, from 1M on"
            ),
            CommandSpec.Option(name: "--per-minute", value: "N", help: "limit: so many reports in any minute"),
            CommandSpec.Option(name: "--per-day", value: "N", help: "limit: so many reports in any day"),
            CommandSpec.Option(name: "--none", value: nil, help: "keep, limit: without any limit, as at first"),
            CommandSpec.Option(name: "--yes", value: nil, help: "keep, remove: reports go without asking"),
            .url, .json("the result"),
        ],
        notes: [
            "add and rotate print the DSN once: the store keeps only its hash. After rotate the old key is refused.",
            "keep says what a project keeps at most. `mayday serve` removes the oldest reports above that, every 10 minutes, but "
                + "never the first and the last of an issue. When reports would go at once, it says how many and asks on a terminal, and "
                + "needs --yes elsewhere.",
            "limit says how many reports a project may send to each `mayday serve`. Above it they are answered 429, and "
                + "services send them again later. Reports that are alike may be half of a limit of ten or more.",
            "Without flags, keep and limit show what is set; a flag changes only what it names, and --none takes all away.",
            "remove takes away a project; when it has reports, it asks on a terminal, and needs --yes elsewhere. They are deleted with it.",
            "ID is that of a project, or its name.",
            "`rotate admin` replaces the token that reads and decides over HTTP; `rotate reader` makes, or replaces, one that "
                + "only reads, `rotate reader ID` one that only reads that project; `rotate symbols` one that can only "
                + "add debug files (`mayday symbols add --server`), for build machines.",
        ],
        examples: [
            "mayday projects add checkout", "mayday projects rotate 1", "mayday projects keep 1 --age 90d --bytes 20G",
            "mayday projects limit 1 --per-minute 600 --per-day 100000",
        ],
        place: .reader
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        if arguments.has("--server"), arguments.operands[0] != "list" {
            throw arguments.usage("--server: over HTTP projects are only listed; run this where the collector is")
        }
        let operand = arguments.operands.count > 1 ? arguments.operands[1] : nil
        let word = arguments.operands[0]
        guard arguments.operands.count < 3 || (word, operand) == ("rotate", "reader") else {
            throw arguments.usage("\(arguments.operands[2]): expected \(spec.operands)")
        }
        switch (word, operand) {
        case ("list", nil): return try list(arguments, console)
        case ("add", let name?): return try add(name, arguments, console)
        case ("rotate", "admin"): return try rotateToken(.admin, "admin", arguments, console)
        case ("rotate", "symbols"): return try rotateToken(.symbols, "symbols", arguments, console)
        case ("rotate", "reader"):
            return try rotateReaderToken(arguments, console)
        case ("rotate", let text?): return try rotate(text, arguments, console)
        case ("keep", let text?): return try keep(text, arguments, console)
        case ("limit", let text?): return try limit(text, arguments, console)
        case ("remove", let text?): return try remove(text, arguments, console)
        case ("remove", nil), ("limit", nil), ("keep", nil):
            throw arguments.usage("\(word) needs the id or the name of a project: \(word) ID")
        case ("add", nil): throw arguments.usage("add needs a name: add NAME")
        case ("rotate", nil):
            throw arguments.usage("rotate needs a project, admin, reader or symbols: rotate ID")
        default: throw arguments.usage("expected \(spec.operands)")
        }
    }

    private static func id(_ text: String, _ store: any Store, _ arguments: Arguments) throws(CommandError) -> Int {
        try Filters.project(text, in: .store(store, try arguments.location())).id
    }

    private static func list(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let projects = try arguments.place().reading { reader throws(QueryError) in try reader.projectSummaries() }
        if arguments.has("--json") {
            console.print(ProjectSummary.json(projects))
        } else {
            console.print(ProjectSummary.text(projects))
        }
        return projects.isEmpty ? .nothingFound : .done
    }

    private static func add(_ name: String, _ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode
    {
        let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        guard isPlain, (1...64).contains(name.count) else {
            throw arguments.usage("add \(name): a name has 1 to 64 letters, digits, dashes, dots and underscores")
        }
        if let meaning = otherMeaning(name) {
            throw arguments.usage(
                "add \(name): \(meaning) in these commands: give another name, such as project-\(name)"
            )
        }
        let url = try givenURL(arguments)
        let store = try arguments.openStore()
        let key = Secret.random()
        let (project, base) = try CommandError.wrapping { () throws(StoreError) in
            (try store.addProject(name: name, key: key.hash, at: .now()), try baseURL(url, store))
        }
        guard let project else { throw .nothingFound("a project \(name) is there already: see `mayday projects list`") }
        show(project.id, base.dsn(key: key, project: project.id), arguments, console)
        return .done
    }

    /// What commands would take a name for; nil for nothing. One that is there already is meant by its id.
    private static func otherMeaning(_ name: String) -> String? {
        if name.allSatisfy({ $0.isNumber }) { return "a number is the id of a project" }
        if ["admin", "reader", "symbols"].contains(name) { return "that is a token" }
        return name.hasPrefix("-") ? "what begins with a dash is a flag" : nil
    }

    private static func rotate(_ text: String, _ arguments: Arguments, _ console: Console) throws(CommandError)
        -> ExitCode
    {
        let url = try givenURL(arguments)
        let store = try arguments.openStore()
        let id = try id(text, store, arguments)
        let key = Secret.random()
        let (isThere, base) = try CommandError.wrapping { () throws(StoreError) in
            (try store.replaceKey(ofProject: id, with: key.hash), try baseURL(url, store))
        }
        guard isThere else { throw missing(id) }
        show(id, base.dsn(key: key, project: id), arguments, console)
        return .done
    }

    private static func keep(_ text: String, _ arguments: Arguments, _ console: Console) throws(CommandError)
        -> ExitCode
    {
        let isChange = try changes(["--age", "--reports", "--bytes"], not: ["--per-minute", "--per-day"], arguments)
        let age = try arguments.duration("--age")
        let (count, bytes) = (try arguments.number("--reports"), try arguments.bytes("--bytes"))
        let store = try arguments.openStore()
        let id = try id(text, store, arguments)
        let retention = try CommandError.wrapping { () throws(StoreError) -> Retention? in
            guard var set = try store.retention(ofProject: id) else { return nil }
            guard isChange else { return set }
            if arguments.has("--none") { set = Retention() }
            (set.age, set.count, set.bytes) = (age ?? set.age, count ?? set.count, bytes ?? set.bytes)
            return set
        }
        guard let retention else { throw missing(id) }
        if isChange {
            try confirm(retention, id, store, arguments, console)
            let isSet = try CommandError.wrapping { () throws(StoreError) in
                try store.setRetention(retention, ofProject: id)
            }
            guard isSet else { throw missing(id) }
        }
        var text = retention.text.map { "at most \($0)" } ?? "all reports"
        if isChange, retention != Retention() {
            text += "; what is beyond that goes within 10 minutes of `mayday serve`"
        }
        show(id, retention.json, "project \(id) keeps \(text)", arguments, console)
        return .done
    }

    /// Asks when reports would go at once: a letter that was left out behind a number destroys as much as `delete` does.
    private static func confirm(
        _ retention: Retention,
        _ id: Int,
        _ store: any Store,
        _ arguments: Arguments,
        _ console: Console
    ) throws(CommandError) {
        if arguments.has("--yes") { return }
        let (beyond, total) = try CommandError.wrapping { () throws(StoreError) in
            let beyond = try store.countBeyond(retention, ofProject: id, at: .now(), upTo: countedBeyond + 1)
            guard beyond > 0 else { return (0, 0) }
            return (beyond, try store.projectSummaries().first { $0.id == id }?.reports ?? beyond)
        }
        guard beyond > 0 else { return }
        let count = beyond > countedBeyond ? "more than \(countedBeyond)" : "\(beyond)"
        let limits = retention.text.map { ", all beyond \($0)," } ?? ""
        try Deletion.confirm("\(count) of \(Deletion.text(total)) of project \(id)\(limits)", arguments, console)
    }

    /// More than these are not counted.
    private static let countedBeyond = 10_000

    private static func missing(_ id: Int) -> CommandError {
        .nothingFound("no project \(id): see `mayday projects list`")
    }

    private static func limit(_ text: String, _ arguments: Arguments, _ console: Console) throws(CommandError)
        -> ExitCode
    {
        let isChange = try changes(["--per-minute", "--per-day"], not: ["--age", "--reports", "--bytes"], arguments)
        let (perMinute, perDay) = (try arguments.number("--per-minute"), try arguments.number("--per-day"))
        let store = try arguments.openStore()
        let id = try id(text, store, arguments)
        let limits = try CommandError.wrapping { () throws(StoreError) -> IngestLimits? in
            guard var set = try store.project(id)?.limits else { return nil }
            guard isChange else { return set }
            if arguments.has("--none") { set = IngestLimits() }
            (set.perMinute, set.perDay) = (perMinute ?? set.perMinute, perDay ?? set.perDay)
            return try store.setLimits(set, ofProject: id) ? set : nil
        }
        guard let limits else { throw missing(id) }
        let text = limits.text.map { "at most \($0)" } ?? "as many as it has"
        show(id, limits.json, "project \(id) may send \(text)", arguments, console)
        return .done
    }

    /// True when something is to be changed; looking changes nothing.
    private static func changes(_ flags: [String], not others: [String], _ arguments: Arguments) throws(CommandError)
        -> Bool
    {
        let word = arguments.operands[0]
        if let other = others.first(where: arguments.has) {
            throw arguments.usage("\(other) is no flag of \(word): it takes \(flags.joined(separator: ", ")) or --none")
        }
        let given = flags.first(where: arguments.has)
        if let given, arguments.has("--none") {
            throw arguments.usage("--none takes every limit away, and \(given) sets one: give one of them")
        }
        return given != nil || arguments.has("--none")
    }

    private static func show(
        _ id: Int,
        _ value: JSONValue,
        _ text: String,
        _ arguments: Arguments,
        _ console: Console
    ) {
        guard arguments.has("--json") else { return console.print(text) }
        guard case .object(var members) = value else { return }
        members["project"] = .integer(Int64(id))
        console.print(.object(members))
    }

    private static func remove(_ text: String, _ arguments: Arguments, _ console: Console) throws(CommandError)
        -> ExitCode
    {
        let store = try arguments.openStore()
        let id = try id(text, store, arguments)
        let projects = try CommandError.wrapping { () throws(StoreError) in try store.projectSummaries() }
        guard let project = projects.first(where: { $0.id == id }) else {
            throw missing(id)
        }
        guard projects.count > 1 else {
            throw .nothingFound("project \(id) is the only one, and a collector needs one: add another first")
        }
        if project.reports > 0 {
            let what = "project \(id), \(project.name), with \(Deletion.text(project.reports))"
            try Deletion.confirm(what, arguments, console)
        }
        let count = try console.progress { progress throws(CommandError) in
            try CommandError.wrapping { () throws(StoreError) in
                var count = 0
                progress.show("\(0) of \(Deletion.text(project.reports)) deleted")
                // From here on nobody can send more.
                _ = try store.replaceKey(ofProject: id, with: Secret.random().hash)
                try Deletion.deleteAll(ReportSelection(project: id, limit: 200), in: store) { piece in
                    count += piece
                    let done = count
                    progress.show("\(done) of \(Deletion.text(project.reports)) deleted")
                }
                _ = try store.removeProject(id)
                return count
            }
        }
        let value = JSONValue.object(["reports": .integer(Int64(count))])
        show(id, value, "project \(id), \(project.name), is removed, with \(Deletion.text(count))", arguments, console)
        return .done
    }

    private static func rotateReaderToken(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        guard arguments.operands.count > 2 else {
            return try rotateToken(.reader(project: nil), "reader", arguments, console)
        }
        let project = try id(arguments.operands[2], try arguments.openStore(), arguments)
        return try rotateToken(.reader(project: project), "reader", arguments, console)
    }

    private static func rotateToken(
        _ kind: TokenKind,
        _ name: String,
        _ arguments: Arguments,
        _ console: Console
    ) throws(CommandError) -> ExitCode {
        let store = try arguments.openStore()
        let token = Secret.random()
        let isDone = try CommandError.wrapping { () throws(StoreError) in
            try store.replaceToken(kind, with: token.hash)
        }
        guard isDone else { throw .nothingFound("the project was removed meanwhile: see `mayday projects list`") }
        if arguments.has("--json") {
            console.print(.object(["\(name)_token": .string(token.text)]))
        } else {
            console.print("MAYDAY_\(name.uppercased())_TOKEN=\(token.text)")
        }
        return .done
    }

    private static func show(_ id: Int, _ dsn: String, _ arguments: Arguments, _ console: Console) {
        if arguments.has("--json") {
            console.print(.object(["project": .integer(Int64(id)), "dsn": .string(dsn)]))
        } else {
            console.print("MAYDAY_DSN=\(dsn)")
        }
    }

    private static func givenURL(_ arguments: Arguments) throws(CommandError) -> BaseURL? {
        try arguments.value("--url").map { text throws(CommandError) in try BaseURL(text, arguments) }
    }

    private static func baseURL(_ given: BaseURL?, _ store: any Store) throws(StoreError) -> BaseURL {
        if let given { return given }
        return BaseURL(text: try store.publicURL() ?? "http://127.0.0.1:7171")
    }
}
