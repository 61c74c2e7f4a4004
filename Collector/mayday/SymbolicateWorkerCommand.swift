import Digest
import Glibc
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
        let path = symbols.path
        return IsolatedDigester(arguments: arguments(symbols)) { buildID in
            var facts = stat()
            guard let file = SymbolStorePath.file(of: buildID), stat("\(path)/\(file)", &facts) == 0 else { return nil }
            return "\(facts.st_ino) \(facts.st_size) \(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec)"
        }
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
