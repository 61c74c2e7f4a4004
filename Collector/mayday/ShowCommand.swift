import CrashReport
import Grouping
import Foundation
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
            CommandSpec.Option(name: "--full", value: nil, help: "all threads, registers, images, names and paths"),
            .project, .json("it, with all that is in the report,"),
        ],
        notes: [
            "ISSUE is a number of `mayday list`, REPORT the beginning of a report's id, FILE a report file as in a "
                + "service's spool, which needs no store. A file named like a number: ./17."
        ],
        examples: ["mayday show 3", "mayday show 0193a7f2-6e1c --full", "mayday show spool/checkout/ID.jsonl.gz"]
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let project = try arguments.number("--project")
        switch Reference(arguments.operands[0]) {
        case .issue(let named, let number):
            let store = try arguments.openStore()
            let detail = try CommandError.querying { () throws(QueryError) in
                let issue = try Reference.issue(project: named ?? project, number: number, in: store)
                return try IssueDetail.load(issue, from: store)
            }
            show(detail.json, detail.text, arguments, console)
        case .report(let prefix):
            let store = try arguments.openStore()
            let detail = try CommandError.querying { () throws(QueryError) in
                try ReportDetail.load(Reference.report(prefix: prefix, in: store), from: store)
            }
            show(detail.json, detail.text, arguments, console)
        case .file(let path):
            let bytes = try contents(of: path)
            let digester = Digester()
            let detail = try CommandError.querying { () throws(QueryError) in
                try ReportDetail.load(file: bytes, named: path, digest: digester.digest)
            }
            show(detail.json, detail.text, arguments, console)
        }
        return .done
    }

    private static func show(
        _ json: @autoclosure () -> JSONValue,
        _ text: (TextLayout, Bool) -> [String],
        _ arguments: Arguments,
        _ console: Console
    ) {
        if arguments.has("--json") {
            console.print(json())
        } else {
            console.print(text(console.layout, arguments.has("--full")))
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
