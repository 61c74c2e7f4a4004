import Digest
import Symbolication
import SymbolStore

/// `mayday symbolicate-worker`: what the collector runs to read debug files. Not for people, so it is in no help.
enum SymbolicateWorkerCommand: Command {
    static let spec = CommandSpec(
        name: "symbolicate-worker",
        summary: "Read debug files for the collector, which starts this itself",
        options: [CommandSpec.Option(name: "--symbols", value: "DIR", help: "directory of the symbol store")],
        examples: [],
        place: .none
    )

    /// A digester with the process that this program starts for it.
    static func digester(_ symbols: SymbolStore) -> IsolatedDigester {
        IsolatedDigester(arguments: arguments(symbols))
    }

    /// What makes this program such a process.
    static func arguments(_ symbols: SymbolStore) -> [String] { [spec.name, "--symbols", symbols.path] }

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let symbols = arguments.value("--symbols")
        DigestService(limits: WorkerLimits()).run(
            Symbolicator(symbolStore: symbols, answers: symbols.map { "\($0)/answers" }, mapsFiles: true)
        )
        return .done
    }
}
