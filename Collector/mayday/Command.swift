/// One command of `mayday`.
protocol Command {
    /// What it is and takes; its help and the reading of its arguments are made from this.
    static var spec: CommandSpec { get }

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode
}

/// What a command is and takes.
struct CommandSpec: Sendable {
    /// A flag, with or without a value.
    struct Option: Sendable {
        /// `--limit`.
        var name: String
        /// Name of its value; nil when it has none.
        var value: String?
        /// What it does, its default included.
        var help: String
        /// All values that it takes, when they are few.
        var choices: [String] = []
        /// True when it takes several of them, with commas between.
        var isList = false
    }

    /// What a command works on.
    enum Place: Sendable {
        /// Nothing that is kept.
        case none
        /// The store of this machine, or its database.
        case store
        /// That, or another collector over HTTP.
        case reader
        /// As `reader`, but it brings reports there, which takes the admin token.
        case intake
    }

    /// `list`.
    var name: String
    /// One line, for the list of commands.
    var summary: String
    /// What stands after the flags: `[ISSUE]`; empty for nothing.
    var operands = ""
    /// How many operands there may be.
    var operandCount: ClosedRange<Int> = 0...0
    /// Its own flags; `--data`, `--store` and `--help` are added.
    var options: [Option] = []
    /// What else a person should know, a paragraph each.
    var notes: [String] = []
    /// Command lines to copy.
    var examples: [String]
    /// What it works on.
    var place = Place.store

    var allOptions: [Option] {
        let data = Option(
            name: "--data",
            value: "DIR",
            help: "directory of the store (default ./mayday-data, or MAYDAY_DATA)"
        )
        let store = Option(
            name: "--store",
            value: "URL",
            help: "a PostgreSQL database instead: postgres://USER@HOST/DATABASE (or MAYDAY_STORE)"
        )
        let server = Option(
            name: "--server",
            value: "URL",
            help:
                "another collector instead, with a token in MAYDAY_READER_TOKEN or MAYDAY_ADMIN_TOKEN (or MAYDAY_SERVER)"
        )
        let intake = Option(
            name: "--server",
            value: "URL",
            help: "another collector instead, with its admin token in MAYDAY_ADMIN_TOKEN (or MAYDAY_SERVER)"
        )
        let places =
            switch place {
            case .none: [Option]()
            case .store: [data, store]
            case .reader: [data, store, server]
            case .intake: [data, store, intake]
            }
        return options + places + [Option(name: "--help", value: nil, help: "show this help")]
    }
}

extension CommandSpec.Option {
    static func json(_ what: String) -> CommandSpec.Option {
        CommandSpec.Option(name: "--json", value: nil, help: "print \(what) as JSON")
    }

    static func choice(_ name: String, _ value: String, _ choices: [String], _ help: String) -> CommandSpec.Option {
        CommandSpec.Option(
            name: name,
            value: value,
            help: help.replacing("#", with: choices.joined(separator: ", ")),
            choices: choices
        )
    }

    /// One that takes several of its values.
    static func list(_ name: String, _ value: String, _ choices: [String], _ help: String) -> CommandSpec.Option {
        var option = choice(name, value, choices, help)
        option.isList = true
        return option
    }

    static let limit = CommandSpec.Option(name: "--limit", value: "N", help: "show at most N (default 50)")
    static let project = CommandSpec.Option(
        name: "--project",
        value: "PROJECT",
        help: "only this one, by its id or name (default all)"
    )
    static let url = CommandSpec.Option(
        name: "--url",
        value: "URL",
        help: "how services reach the collector, for DSNs (default the address of serve)"
    )
}
