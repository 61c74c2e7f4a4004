import CrashReport
import Digest
import Store

/// `mayday check`.
enum CheckCommand: Command {
    static let spec = CommandSpec(
        name: "check",
        summary: "Verify that the store is undamaged and that its counts fit",
        options: [
            CommandSpec.Option(name: "--reports", value: nil, help: "read every report too, which takes a while"),
            .json("what was found"),
        ],
        notes: ["It may run while the store is served. Exit code 1 when something is wrong."],
        examples: ["mayday check --reports"]
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let (found, read) = try console.progress { progress throws(CommandError) in
            progress.show("checking the database")
            let store = try arguments.openStore()
            return try CommandError.wrapping { () throws(StoreError) in
                let found = try store.check()
                guard arguments.has("--reports") else { return (found, 0) }
                let (damaged, read) = try readAll(store, progress)
                return (found + damaged, read)
            }
        }
        if arguments.has("--json") {
            console.print(
                .object(["findings": .array(found.map { .string($0) }), "reports_read": .integer(Int64(read))])
            )
        } else {
            let what = arguments.has("--reports") ? ", \(read) reports read" : ""
            console.print(found.isEmpty ? ["ok\(what)"] : found.map { $0.madeVisible() })
        }
        return found.isEmpty ? .done : .nothingFound
    }

    /// Opens every report, as it came and with symbols.
    private static func readAll(_ store: any Store, _ progress: Progress) throws(StoreError)
        -> (damaged: [String], read: Int)
    {
        var (damaged, read, position) = ([String](), 0, 0)
        let total = try store.projectSummaries().map(\.reports).reduce(0, +)
        while true {
            let done = read
            progress.show("\(done) of \(total) reports read")
            let page = try store.bodies(after: position, limit: 100)
            guard let last = page.last else { return (damaged, read) }
            position = last.position
            read += page.count
            for stored in page {
                let name = "report \(stored.key.id) of project \(stored.key.project)"
                do throws(ReportDecodingError) {
                    let id = try stored.body.open().report.header.id
                    if id != stored.key.id { damaged.append("\(name) holds report \(id)") }
                } catch {
                    damaged.append("\(name) cannot be read: \(error)")
                }
            }
        }
    }
}
