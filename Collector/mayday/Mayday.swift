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
        let names = commands.map { $0.spec.name }.joined(separator: ", ")
        throw .usage("unknown command \(name): there are \(names); see `mayday --help`")
    }
}
