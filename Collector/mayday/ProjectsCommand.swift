import CrashReport
import Query
import Store

/// `mayday projects`.
enum ProjectsCommand: Command {
    static let spec = CommandSpec(
        name: "projects",
        summary: "List projects, add one, replace its key, or say what it keeps",
        operands: "list | add NAME | rotate ID|TOKEN | keep|limit ID",
        operandCount: 1...2,
        options: [
            CommandSpec.Option(name: "--age", value: "TIME", help: "keep: reports of so long, such as 90d"),
            CommandSpec.Option(name: "--reports", value: "N", help: "keep: so many reports"),
            CommandSpec.Option(name: "--bytes", value: "N", help: "keep: so many bytes of reports, such as 20G"),
            CommandSpec.Option(name: "--per-minute", value: "N", help: "limit: so many reports in any minute"),
            CommandSpec.Option(name: "--per-day", value: "N", help: "limit: so many reports in any day"),
            .url, .json("the result"),
        ],
        notes: [
            "add and rotate print the DSN once: the store keeps only its hash. After rotate the old key is refused.",
            "keep says what a project keeps at most; what is not given has no limit. `mayday serve` removes the oldest "
                + "reports above that, but never the first and the last of an issue.",
            "limit says how many reports a project may send to each `mayday serve`; what is not given has no limit. Above it "
                + "they are answered 429, and services send them again later.",
            "`rotate admin` replaces the token that reads over HTTP; `rotate symbols` makes, or replaces, one that can only "
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
        switch (arguments.operands[0], operand) {
        case ("list", nil): return try list(arguments, console)
        case ("add", let name?): return try add(name, arguments, console)
        case ("rotate", "admin"): return try rotateToken("admin", arguments, console)
        case ("rotate", "symbols"): return try rotateToken("symbols", arguments, console)
        case ("rotate", let text?):
            guard let id = Int(text) else {
                throw arguments.usage("rotate \(text): expected the id of a project, admin or symbols")
            }
            return try rotate(id, arguments, console)
        case ("keep", let text?):
            guard let id = Int(text) else { throw arguments.usage("keep \(text): expected the id of a project") }
            return try keep(id, arguments, console)
        case ("limit", let text?):
            guard let id = Int(text) else { throw arguments.usage("limit \(text): expected the id of a project") }
            return try limit(id, arguments, console)
        case ("limit", nil): throw arguments.usage("limit needs the id of a project: limit ID")
        case ("keep", nil): throw arguments.usage("keep needs the id of a project: keep ID")
        case ("add", nil): throw arguments.usage("add needs a name: add NAME")
        case ("rotate", nil): throw arguments.usage("rotate needs the id of a project, admin or symbols: rotate ID")
        default: throw arguments.usage("expected \(spec.operands)")
        }
    }

    private static func list(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let projects = try arguments.place().reading { reader throws(QueryError) in try reader.projects() }
        if arguments.has("--json") {
            console.print(ProjectName.json(projects))
        } else {
            console.print(
                ["ID  NAME"]
                    + projects.map { project in
                        let id = "\(project.id)"
                        return String(repeating: " ", count: max(0, 2 - id.count))
                            + "\(id)  \(project.name.madeVisible())"
                    }
            )
        }
        return projects.isEmpty ? .nothingFound : .done
    }

    private static func add(_ name: String, _ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode
    {
        let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        guard isPlain, (1...64).contains(name.count) else {
            throw arguments.usage("add \(name): a name has 1 to 64 letters, digits, dashes, dots and underscores")
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

    private static func rotate(_ id: Int, _ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let url = try givenURL(arguments)
        let store = try arguments.openStore()
        let key = Secret.random()
        let (isThere, base) = try CommandError.wrapping { () throws(StoreError) in
            (try store.replaceKey(ofProject: id, with: key.hash), try baseURL(url, store))
        }
        guard isThere else { throw .nothingFound("no project \(id): see `mayday projects list`") }
        show(id, base.dsn(key: key, project: id), arguments, console)
        return .done
    }

    private static func keep(_ id: Int, _ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let retention = Retention(
            age: try arguments.duration("--age"),
            count: try arguments.number("--reports"),
            bytes: try arguments.bytes("--bytes")
        )
        let store = try arguments.openStore()
        let isThere = try CommandError.wrapping { () throws(StoreError) in
            try store.setRetention(retention, ofProject: id)
        }
        guard isThere else { throw .nothingFound("no project \(id): see `mayday projects list`") }
        if arguments.has("--json") {
            func number(_ value: Int64?) -> JSONValue { value.map { .integer($0) } ?? .null }
            console.print(
                .object([
                    "project": .integer(Int64(id)), "age_seconds": number(retention.age.map { $0 / 1_000_000 }),
                    "reports": number(retention.count.map { Int64($0) }),
                    "bytes": number(retention.bytes.map { Int64($0) }),
                ])
            )
        } else {
            let limits = [
                arguments.value("--age").map { "of the last \($0)" }, retention.count.map { "at most \($0)" },
                retention.bytes.map { "at most \($0) bytes" },
            ].compactMap { $0 }
            console.print(
                "project \(id) keeps \(limits.isEmpty ? "all reports" : "reports " + limits.joined(separator: ", "))"
            )
        }
        return .done
    }

    private static func limit(_ id: Int, _ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let limits = IngestLimits(
            perMinute: try arguments.number("--per-minute"),
            perDay: try arguments.number("--per-day")
        )
        let store = try arguments.openStore()
        let isThere = try CommandError.wrapping { () throws(StoreError) in
            try store.setLimits(limits, ofProject: id)
        }
        guard isThere else { throw .nothingFound("no project \(id): see `mayday projects list`") }
        if arguments.has("--json") {
            func number(_ value: Int?) -> JSONValue { value.map { .integer(Int64($0)) } ?? .null }
            console.print(
                .object([
                    "project": .integer(Int64(id)), "per_minute": number(limits.perMinute),
                    "per_day": number(limits.perDay),
                ])
            )
        } else {
            let allowed = [
                limits.perMinute.map { "\($0) reports a minute" }, limits.perDay.map { "\($0) reports a day" },
            ].compactMap { $0 }
            console.print(
                "project \(id) may send \(allowed.isEmpty ? "as many reports as it has" : allowed.joined(separator: ", "))"
            )
        }
        return .done
    }

    private static func rotateToken(_ name: String, _ arguments: Arguments, _ console: Console) throws(CommandError)
        -> ExitCode
    {
        let store = try arguments.openStore()
        let token = Secret.random()
        try CommandError.wrapping { () throws(StoreError) in
            if name == "admin" {
                try store.replaceAdminToken(with: token.hash)
            } else {
                try store.replaceSymbolsToken(with: token.hash)
            }
        }
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
