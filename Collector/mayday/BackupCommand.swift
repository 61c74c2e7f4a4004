import Store

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
            "A PostgreSQL database is backed up by its own tools: pg_dump.",
        ],
        examples: ["mayday backup /backup/mayday-$(date +%F)"]
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let store = try arguments.openStore()
        let target = DataDirectory(arguments.operands[0])
        try CommandError.wrapping { () throws(StoreError) in try store.backUp(into: target) }
        console.print("backup in \(target.path)")
        return .done
    }
}
