/// Finds the command and runs it.
enum Mayday {
    /// In the order of the help.
    static var commands: [any Command.Type] {
        [
            ServeCommand.self, ListCommand.self, ReportsCommand.self, ShowCommand.self, ResolveCommand.self,
            MuteCommand.self, ReopenCommand.self, MergeCommand.self, DeleteCommand.self, StatsCommand.self,
            ExportCommand.self,
            SymbolsCommand.self,
            SymbolicateCommand.self, ProjectsCommand.self, ImportCommand.self,
            BackupCommand.self,
            CheckCommand.self, DoctorCommand.self,
            CompletionCommand.self, ManCommand.self, VersionCommand.self,
        ]
    }

    static func run(_ arguments: [String], _ console: Console) -> ExitCode {
        do throws(CommandError) {
            return try dispatch(arguments, console)
        } catch {
            console.note(error.text)
            return error.code
        }
    }

    private static func dispatch(_ arguments: [String], _ console: Console) throws(CommandError) -> ExitCode {
        switch arguments.first {
        case nil, "--help", "-h":
            console.print(HelpText.overview(commands))
            return arguments.isEmpty ? .usage : .done
        case "help":
            guard let name = arguments.dropFirst().first else {
                console.print(HelpText.overview(commands))
                return .done
            }
            console.print(HelpText.text(try command(name).spec))
            return .done
        case "--version":
            return try dispatch(["version"], console)
        case let name?:
            let command = try command(name)
            let parsed = try Arguments(arguments.dropFirst(), for: command.spec)
            if parsed.has("--help") {
                console.print(HelpText.text(command.spec))
                return .done
            }
            return try command.run(parsed, console)
        }
    }

    private static func command(_ name: String) throws(CommandError) -> any Command.Type {
        if let command = (commands + [SymbolicateWorkerCommand.self]).first(where: { $0.spec.name == name }) {
            return command
        }
        let names = commands.map { $0.spec.name }
        let near = names.map { (name: $0, edits: edits(name, $0)) }.filter { $0.edits <= 2 }.min { $0.edits < $1.edits }
        if let near { throw .usage("unknown command \(name): did you mean `mayday \(near.name)`? see `mayday --help`") }
        throw .usage("unknown command \(name): there are \(names.joined(separator: ", ")); see `mayday --help`")
    }

    /// How many characters have to be put in, taken out or replaced; many where a word is longer than any command.
    private static func edits(_ word: String, _ other: String) -> Int {
        guard word.utf8.count <= 32 else { return .max }
        let (word, other) = (Array(word), Array(other))
        var row = Array(0...other.count)
        for (index, character) in word.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (character == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[other.count]
    }
}
