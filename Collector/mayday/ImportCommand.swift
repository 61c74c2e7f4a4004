import CrashReport
import Import
import Store

/// `mayday import`.
enum ImportCommand: Command {
    static let spec = CommandSpec(
        name: "import",
        summary: "Bring reports from files, directories and logs into the store",
        operands: "FILE…|DIR…|-",
        operandCount: 1...(.max),
        options: [
            CommandSpec.Option(
                name: "--project",
                value: "PROJECT",
                help: "the project they are of, by its id or name (default the only one there is)"
            ),
            CommandSpec.Option(
                name: "--service",
                value: "NAME",
                help: "the service that Swift's backtracer wrote of (default its executable's name)"
            ),
            CommandSpec.Option(
                name: "--release",
                value: "NAME@VERSION",
                help: "the release that Swift's backtracer wrote of, which it does not know"
            ),
            .json("what became of them"),
        ],
        notes: [
            "FILE is a report, as in a service's spool, or a log in which a service wrote its report for want of a "
                + "better place, or what Swift's backtracer wrote as JSON (SWIFT_BACKTRACE=enable=yes,format=json), alone "
                + "or in a log: whatever stands around is ignored. In a directory, files are taken whose names end in "
                + ".jsonl.gz, .log or .json. - is standard input.",
            "A report that is there already is left as it is, so the same log may be imported again.",
        ],
        examples: [
            "kubectl logs --previous checkout | mayday import -", "mayday import /var/lib/mayday/checkout",
            "mayday import --release checkout@1.4.2 /var/crashes",
        ]
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let store = try arguments.openStore()
        let project = try project(store, arguments)
        let naming = ReportNaming(service: arguments.value("--service"), release: arguments.value("--release"))
        let outcome = try console.progress { progress throws(CommandError) in
            progress.show("reading")
            var importer = Importer(into: project, of: store, naming: naming, now: { .now() }) { bytes, reports in
                progress.show("\(SymbolsCommand.size(bytes)) read, \(Deletion.text(reports)) found")
            }
            do throws(StoreError) {
                for path in arguments.operands { try importer.add(path: path) }
            } catch {
                let outcome = importer.outcome
                let done = outcome.imported.count + outcome.duplicates.count
                throw CommandError(
                    code: .unreachable,
                    text: "\(error); \(done) reports are there, import again for the rest"
                )
            }
            return importer.outcome
        }
        try LocalDigest.run(store, arguments, console)
        return show(outcome, arguments, console)
    }

    private static func project(_ store: any Store, _ arguments: Arguments) throws(CommandError) -> Int {
        if let project = try Filters.project(arguments, in: .store(store, try arguments.location())) { return project }
        let projects = try CommandError.wrapping { () throws(StoreError) in try store.projects().map(\.id) }
        guard projects.count == 1, let only = projects.first else {
            throw arguments.usage("there are \(projects.count) projects: say which with --project PROJECT")
        }
        return only
    }

    private static func show(_ outcome: Importer.Outcome, _ arguments: Arguments, _ console: Console) -> ExitCode {
        for text in outcome.unreadable + outcome.damaged + outcome.remarks { console.note(text) }
        if arguments.has("--json") {
            func texts(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
            console.print(
                .object([
                    "imported": texts(outcome.imported), "duplicates": texts(outcome.duplicates),
                    "damaged": texts(outcome.damaged), "unreadable": texts(outcome.unreadable),
                    "remarks": texts(outcome.remarks),
                ])
            )
        } else {
            let counts = [
                (outcome.imported.count, "imported"), (outcome.duplicates.count, "there already"),
                (outcome.damaged.count, "damaged"), (outcome.unreadable.count, "not readable"),
            ].filter { $0.0 > 0 }
            console.print(
                counts.isEmpty ? "no reports found" : counts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
            )
        }
        let found = outcome.imported.count + outcome.duplicates.count
        return found > 0 && outcome.damaged.isEmpty && outcome.unreadable.isEmpty ? .done : .nothingFound
    }
}
