import CrashReport
import Import
import Query
import Remote
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
                + "or in a log: whatever stands around is ignored. - is standard input. What is packed by gzip is expanded.",
            "In a directory, and those in it, files are taken whose names end in .jsonl.gz, .log or .json, and rotated ones "
                + "(.log.1, .log.2.gz, .log-20261130.gz). What else is there is named as left out, which is no failure; exit code 1 "
                + "when something was damaged, refused or not readable, or no reports were found.",
            "A report that is there already is left as it is, so the same log may be imported again.",
            "With --server it needs the admin token (`mayday projects rotate admin` there makes another) in MAYDAY_ADMIN_TOKEN: a reader's does "
                + "not do. A collector that asks to wait is waited for, ten minutes at most for a "
                + "report.",
        ],
        examples: [
            "kubectl logs --previous checkout | mayday import -", "mayday import /var/lib/mayday/checkout",
            "mayday import --release checkout@1.4.2 /var/crashes",
        ],
        place: .intake
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let place = try arguments.place()
        let project = try project(place, arguments)
        let naming = ReportNaming(service: arguments.value("--service"), release: arguments.value("--release"))
        let outcome = try console.progress { progress throws(CommandError) in
            progress.show("reading")
            var importer = Importer(naming: naming) { bytes, reports in
                progress.show("\(SymbolsCommand.size(bytes)) read, \(Deletion.text(reports)) found")
            } keep: { report, gzip throws(CommandError) in
                try keep(report, gzip, project, in: place, progress)
            }
            do throws(CommandError) {
                for path in arguments.operands { try importer.add(path: path) }
            } catch {
                let found = importer.outcome.found
                guard found > 0 else { throw error }
                let there = found == 1 ? "1 report is there" : "\(found) reports are there"
                throw CommandError(code: error.code, text: "\(error.text); \(there), import again for the rest")
            }
            return importer.outcome
        }
        if case .store(let store, _) = place { try LocalDigest.run(store, arguments, console) }
        return show(outcome, arguments, console)
    }

    private static func keep(
        _ report: Report,
        _ gzip: [UInt8],
        _ project: Int,
        in place: Place,
        _ progress: Progress
    ) throws(CommandError) -> KeptReport {
        switch place {
        case .store(let store, _):
            let new = NewReport(project: project, received: .now(), report: report, gzip: gzip)
            switch try CommandError.wrapping({ () throws(StoreError) in try store.add(new) }) {
            case .stored: return .new
            // It came without a key, so that none was looked at.
            case .duplicate, .unauthorized: return .known
            }
        case .server(let collector):
            let addition = try CommandError.querying { () throws(QueryError) in
                try collector.add(gzip, to: project) { pause, reason in
                    progress.show("\(reason); waiting for \(pause.components.seconds) s")
                }
            }
            switch addition {
            case .new: return .new
            case .known: return .known
            case .refused(let reason): return .refused(reason)
            }
        }
    }

    private static func project(_ place: Place, _ arguments: Arguments) throws(CommandError) -> Int {
        if let project = try Filters.project(arguments, in: place) { return project }
        let projects = try place.reading { reader throws(QueryError) in try reader.projects() }
        guard projects.count == 1, let only = projects.first else {
            throw arguments.usage("there are \(projects.count) projects: say which with --project PROJECT")
        }
        return only.id
    }

    private static func show(_ outcome: ImportOutcome, _ arguments: Arguments, _ console: Console) -> ExitCode {
        for text in outcome.unreadable + outcome.damaged + outcome.refused + outcome.remarks { console.note(text) }
        // A directory may hold anything.
        for text in outcome.leftOut.prefix(20) { console.note("left out: \(text)") }
        if outcome.leftOut.count > 20 { console.note("left out: \(outcome.leftOut.count - 20) more, see --json") }
        if arguments.has("--json") {
            func texts(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
            console.print(
                .object([
                    "imported": texts(outcome.imported), "duplicates": texts(outcome.duplicates),
                    "damaged": texts(outcome.damaged), "left_out": texts(outcome.leftOut),
                    "unreadable": texts(outcome.unreadable),
                    "refused": texts(outcome.refused), "remarks": texts(outcome.remarks),
                ])
            )
        } else {
            let counts = [
                (outcome.damaged.count, "damaged"), (outcome.refused.count, "refused"),
                (outcome.unreadable.count, "not readable"), (outcome.leftOut.count, "left out"),
            ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
            let found = [(outcome.imported.count, "imported"), (outcome.duplicates.count, "there already")]
                .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
            console.print(((found.isEmpty ? ["no reports found"] : found) + counts).joined(separator: ", "))
        }
        let isWhole = outcome.damaged.isEmpty && outcome.refused.isEmpty && outcome.unreadable.isEmpty
        return outcome.found > 0 && isWhole ? .done : .nothingFound
    }
}
