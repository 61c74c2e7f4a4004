import CrashReport
import CrashReportText
import Digest
import Foundation
import Import
import Query
import Store

/// `mayday show`.
enum ShowCommand: Command {
    static let spec = CommandSpec(
        name: "show",
        summary: "Show an issue with its newest report, a report, or a report file",
        operands: "ISSUE|REPORT|FILE",
        operandCount: 1...1,
        options: [
            CommandSpec.Option(name: "--full", value: nil, help: "all frames, threads, registers, images and paths"),
            CommandSpec.Option(name: "--raw", value: nil, help: "as --full, with addresses and linker names"),
            CommandSpec.Option(name: "--why", value: nil, help: "only what makes it one issue with others"),
            CommandSpec.Option(name: "--thread", value: "THREAD", help: "the stack of this thread, by its id or name"),
            CommandSpec.Option(
                name: "--sources",
                value: "DIR",
                help: "the service's sources, when they are not where it was built"
            ),
            .project, .json("it, with all that is in the report,"),
            CommandSpec.Option(
                name: "--attachment",
                value: "NAME",
                help: "write that attachment's bytes to standard output"
            ),
        ],
        notes: [
            "ISSUE is a number of `mayday list`, REPORT the beginning of a report's id, FILE a report file as in a "
                + "service's spool, or what Swift's backtracer wrote as JSON, which needs no store. A file named like a "
                + "number: ./17.",
            "The service's own functions are marked with > and have their source lines where the sources are on this "
                + "machine. What is longer than the terminal goes through $PAGER, or less.",
        ],
        examples: [
            "mayday show 3", "mayday show 3 --why", "mayday show 0193a7f2-6e1c --full",
            "mayday show 3 --sources ~/checkout",
            "mayday show 3 --attachment app.log > app.log",
            "mayday show spool/checkout/ID.jsonl.gz",
        ],
        place: .reader
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let reading = try reading(arguments)
        switch Reference(arguments.operands[0]) {
        case .issue(let named, let number):
            let place = try arguments.place()
            let entry = try Filters.find((named, number), in: place, arguments)
            let detail = try place.reading { reader throws(QueryError) in try IssueDetail.load(entry, from: reader) }
            try show(detail.json, detail.text, reading, of: detail.newest?.report, arguments, console)
        case .report(let prefix):
            let detail = try arguments.place().reading { reader throws(QueryError) in
                try reader.open(try Reference.report(prefix: prefix, in: reader))
            }
            try show(detail.json, detail.text, reading, of: detail.report, arguments, console)
        case .file(let path):
            let bytes = try contents(of: path)
            let digester = SymbolicateWorkerCommand.digester(try arguments.symbols())
            let written = try backtracerReport(in: bytes, of: path)
            let detail = try CommandError.querying { () throws(QueryError) in
                if let written {
                    return ReportDetail.load(written, warnings: []) { report in try digester.digest(report) }
                }
                return try ReportDetail.load(file: bytes, named: path) { report in try digester.digest(report) }
            }
            try show(detail.json, detail.text, reading, of: detail.report, arguments, console)
        }
        return .done
    }

    private static func show(
        _ json: @autoclosure () -> JSONValue,
        _ text: (TextLayout, Reading) -> [String],
        _ reading: Reading,
        of report: Report?,
        _ arguments: Arguments,
        _ console: Console
    ) throws(CommandError) {
        var reading = reading
        if let report { reading.thread = try thread(arguments, of: report) }
        if let name = arguments.value("--attachment") {
            console.write(try attachment(name, of: report))
        } else if arguments.has("--json") {
            console.print(json())
        } else {
            console.page(text(console.layout, reading))
        }
    }

    private static func reading(_ arguments: Arguments) throws(CommandError) -> Reading {
        if arguments.has("--full"), arguments.has("--raw") {
            throw arguments.usage("--full and --raw: give one of them")
        }
        var reading = Reading(sources: arguments.value("--sources"))
        reading.why = arguments.has("--why")
        if arguments.has("--full") { reading.detail = .full }
        if arguments.has("--raw") { reading.detail = .raw }
        var facts = stat()
        if let sources = reading.sources, stat(sources, &facts) != 0 || facts.st_mode & S_IFMT != S_IFDIR {
            throw arguments.usage("--sources \(sources): there is no such directory")
        }
        return reading
    }

    /// The thread of `--thread`, by its kernel id or its name.
    private static func thread(_ arguments: Arguments, of report: Report) throws(CommandError) -> Int? {
        guard let text = arguments.value("--thread") else { return nil }
        if let id = Int(text), report.threads.contains(where: { $0.id == id }) { return id }
        let named = report.threads.filter { $0.name == text }
        if named.count == 1 { return named[0].id }
        let listed = named.isEmpty ? report.threads : named
        let texts = listed.prefix(12).map { thread in "\(thread.id)" + (thread.name.map { " \($0)" } ?? "") }
        let threads = texts.joined(separator: ", ") + (listed.count > 12 ? " …" : "")
        throw .nothingFound(
            named.isEmpty
                ? "the report has no thread \(text): it has \(threads)"
                : "\(named.count) threads are called \(text): say which by its id, \(threads)"
        )
    }

    private static func attachment(_ name: String, of report: Report?) throws(CommandError) -> [UInt8] {
        let attachments = report?.attachments ?? []
        guard let file = attachments.first(where: { $0.name == name }) else {
            let names = attachments.map { $0.name.madeVisible() }.joined(separator: ", ")
            throw .nothingFound("no attachment \(name.madeVisible()): the report has \(names.isEmpty ? "none" : names)")
        }
        guard let data = file.data else {
            throw .nothingFound(
                "the attachment \(name.madeVisible()) was not attached: \((file.problem ?? "not read yet").madeVisible())"
            )
        }
        return data
    }

    /// The one crash in a file or log of Swift's backtracer; nil where there is none, as in a report file.
    private static func backtracerReport(in bytes: [UInt8], of path: String) throws(CommandError) -> Report? {
        guard !bytes.starts(with: [0x1f, 0x8b]) else { return nil }
        var scanner = BacktracerScanner()
        let found = scanner.feed(bytes) + scanner.finish()
        guard found.count < 2 else {
            throw .nothingFound("\(path) holds \(found.count) crashes: `mayday import` takes them all, then show each")
        }
        do throws(BacktracerLogError) { return try found.first?.report() } catch {
            throw .nothingFound("\(path): \(error)")
        }
    }

    /// Larger files are no reports: the reader takes 64 MiB expanded.
    private static let maximumFile = 64 << 20

    private static func contents(of path: String) throws(CommandError) -> [UInt8] {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw .nothingFound(
                "\(path): \(String(cString: strerror(errno))); give an issue of `mayday list`, the beginning of a "
                    + "report's id, or the path of a report file"
            )
        }
        var status = stat()
        if fstat(file.fileDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw .nothingFound("\(path) is a directory and cannot be read: give a report file in it")
        }
        do {
            let data = try file.read(upToCount: maximumFile + 1) ?? Data()
            guard data.count <= maximumFile else {
                throw CommandError.nothingFound("\(path) is not a report: larger than \(maximumFile) bytes")
            }
            return [UInt8](data)
        } catch let error as CommandError {
            throw error
        } catch {
            throw .nothingFound("\(path) cannot be read: \(error.localizedDescription)")
        }
    }
}
