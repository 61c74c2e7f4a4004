import Store
import SymbolStore

/// `mayday backup`.
enum BackupCommand: Command {
    static let spec = CommandSpec(
        name: "backup",
        summary: "Copy the store as it is at one moment, also while it is served",
        operands: "DIR",
        operandCount: 1...1,
        notes: [
            "DIR is made, and is a data directory as any other: `mayday list --data DIR` reads it, `mayday serve --data "
                + "DIR` goes on with it. What has the name is whole: it is written beside it first.",
            "In it are projects, hashes of keys, reports, issues, and the debug files of the data directory; not those that "
                + "are elsewhere, by MAYDAY_SYMBOLS.",
            "A PostgreSQL database is backed up by its own tools: pg_dump.",
        ],
        examples: ["mayday backup /backup/mayday-$(date +%F)"]
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let (location, target) = (try arguments.location(), DataDirectory(arguments.operands[0]))
        if case .database = location {
            throw arguments.usage(
                "\(location) is backed up, while it runs, by its own tools: pg_dump --format=custom --file=FILE URL"
            )
        }
        let symbols = try arguments.symbols()
        let entries = try console.progress { progress throws(CommandError) in
            progress.show("copying the database")
            let store = try arguments.openStore()
            var entries: [SymbolStore.Entry] = []
            try CommandError.wrapping { () throws(StoreError) in
                try store.backUp(into: target) { path throws(StoreError) in
                    // Others share what is elsewhere, and it outlives this store.
                    guard case .directory(let own) = location, symbols.path == own.symbols else { return }
                    progress.show("copying debug files")
                    do throws(SymbolStoreError) {
                        entries = try symbols.copy(to: SymbolStore(DataDirectory(path).symbols))
                    } catch {
                        throw .failed(reason: "\(error)")
                    }
                }
            }
            return entries
        }
        let size = entries.map(\.stored).reduce(0, +)
        let count = entries.count == 1 ? "1 debug file" : "\(entries.count) debug files"
        let more = entries.isEmpty ? "no debug files" : "\(count) (\(SymbolsCommand.size(size)))"
        console.print("backup in \(target.path): reports, issues, projects, and \(more)")
        return .done
    }
}
