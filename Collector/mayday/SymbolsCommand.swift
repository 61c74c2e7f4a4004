import CrashReport
import Digest
import Foundation
import Store
import Symbolication
import SymbolStore

/// `mayday symbols`.
enum SymbolsCommand: Command {
    static let spec = CommandSpec(
        name: "symbols",
        summary: "Keep debug files for reports, list them, or check a binary",
        operands: "add PATH… | list | check BINARY…",
        operandCount: 1...10_000,
        options: [
            CommandSpec.Option(
                name: "--server",
                value: "URL",
                help: "add, check: at a collector, such as https://mayday.example.com (add: or MAYDAY_SERVER)"
            ),
            CommandSpec.Option(
                name: "--token",
                value: "TOKEN",
                help: "add --server: of `mayday projects rotate symbols` (or MAYDAY_SYMBOLS_TOKEN, MAYDAY_ADMIN_TOKEN)"
            ),
            CommandSpec.Option(name: "--project", value: "ID", help: "add --server: the project (default 1)"),
            .json("the result"),
        ],
        notes: [
            "PATH is a program, a library, a .debug file, or a directory that is searched, such as a container's root. "
                + "Files are kept packed by build id; reports that lacked them are digested again.",
            "They are in the directory of the store, or in that of MAYDAY_SYMBOLS.",
            "With --server files are sent packed; what a broken connection left is taken up, by another run too.",
            "check fails (exit code 1) when reports of BINARY would lack functions or lines: for the end of a build. What is "
                + "kept here already counts, or with --server what that collector keeps.",
        ],
        examples: [
            "mayday symbols add .build/release/checkout", "mayday symbols check .build/release/checkout",
            "mayday symbols add --server https://mayday.example.com .build/release/checkout",
        ]
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let operands = Array(arguments.operands.dropFirst())
        if arguments.has("--server"), arguments.operands[0] == "list" {
            throw arguments.usage("--server: debug files are not listed over HTTP; run this where the collector is")
        }
        switch arguments.operands[0] {
        case "list" where operands.isEmpty: return try list(arguments, console)
        case "add" where !operands.isEmpty && (arguments.has("--server") || arguments.serverVariable != nil):
            return try send(operands, arguments, console)
        case "add" where !operands.isEmpty: return try add(operands, arguments, console)
        case "check" where !operands.isEmpty: return try check(operands, arguments, console)
        case "add": throw arguments.usage("add needs a file or a directory: add PATH")
        case "check": throw arguments.usage("check needs a program or a library: check BINARY")
        default: throw arguments.usage("expected \(spec.operands)")
        }
    }

    // MARK: add

    private static func add(_ paths: [String], _ arguments: Arguments, _ console: Console) throws(CommandError)
        -> ExitCode
    {
        let reports = try arguments.openStore()
        let symbols = try arguments.symbols()
        let result = try addAll(paths, console) { file, facts, _, _ throws(CommandError) in
            do throws(SymbolStoreError) {
                let time = Timestamp.now().description
                return try symbols.add(facts, from: file.path, named: name(file), at: time)
            } catch {
                throw CommandError(code: .unreachable, text: "\(error)")
            }
        }
        // Also for files that are there already: a report may have been digested at the moment at which its file came.
        let builds = (result.stored + result.duplicates).map(\.buildID)
        let again = try CommandError.wrapping { () throws(StoreError) in
            try SymbolArrival.digestAgain(builds, waiting: WaitingReports(symbols), store: reports)
        }
        if again > 0 { try LocalDigest.run(reports, arguments, console) }
        show(result, again, arguments, console)
        return result.refused.isEmpty ? .done : .nothingFound
    }

    private struct Added {
        var stored: [SymbolStore.Entry] = []
        var duplicates: [SymbolStore.Entry] = []
        var refused: [String] = []
    }

    /// Adds one file, and says how far it is and what has to be told.
    private typealias Add = (
        SymbolSearch.Found, DebugFileFacts, _ sending: (@escaping Progress.Line) -> Void, _ telling: (String) -> Void
    ) throws(CommandError) -> SymbolStore.Addition

    /// Adds what is at the paths, one by one.
    private static func addAll(_ paths: [String], _ console: Console, _ add: Add) throws(CommandError) -> Added {
        try console.progress { progress throws(CommandError) in try addAll(paths, progress, add) }
    }

    private static func addAll(_ paths: [String], _ progress: Progress, _ add: Add) throws(CommandError) -> Added {
        var result = Added()
        for path in paths {
            progress.show("\(path): looking for debug files")
            guard let files = SymbolSearch.files(at: path) else {
                result.refused.append("\(path): \(String(cString: strerror(errno)))")
                continue
            }
            if files.isEmpty { result.refused.append("\(path): no program or library with names and a build id in it") }
            for (index, file) in files.enumerated() {
                let line = "\(name(file)), \(index + 1) of \(files.count)"
                progress.show(line)
                guard let facts = file.facts else {
                    result.refused.append("\(file.path): no program or library (ELF)")
                    continue
                }
                switch try add(file, facts, { sent in progress.show("\(line): \(sent())") }, progress.note) {
                case .stored(let entry): result.stored.append(entry)
                case .duplicate(let entry): result.duplicates.append(entry)
                case .refused(let reason): result.refused.append("\(file.path): \(reason)")
                }
            }
        }
        return result
    }

    private static func name(_ file: SymbolSearch.Found) -> String {
        String(file.path.split(separator: "/").last ?? "")
    }

    private static func send(_ paths: [String], _ arguments: Arguments, _ console: Console) throws(CommandError)
        -> ExitCode
    {
        let client = try SymbolClient(arguments)
        let result = try addAll(paths, console) { file, facts, sending, telling throws(CommandError) in
            try client.add(facts, from: file.path, named: name(file), sending: sending, waiting: telling)
        }
        show(result, 0, arguments, console)
        return result.refused.isEmpty ? .done : .nothingFound
    }

    private static func show(_ result: Added, _ again: Int, _ arguments: Arguments, _ console: Console) {
        for text in result.refused { console.note(text) }
        if arguments.has("--json") {
            return console.print(
                .object([
                    "added": .array(result.stored.map(\.json)), "there_already": .array(result.duplicates.map(\.json)),
                    "refused": .array(result.refused.map { .string($0) }), "digested_again": .integer(Int64(again)),
                ])
            )
        }
        for entry in result.stored { console.print("added \(line(entry))") }
        if !result.duplicates.isEmpty { console.print("\(result.duplicates.count) there already") }
        if again > 0 {
            console.print(again == 1 ? "1 report is digested again" : "\(again) reports are digested again")
        }
    }

    // MARK: list

    private static func list(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        _ = try arguments.openStore()
        let symbols = try arguments.symbols()
        let (entries, builds) = (symbols.entries, WaitingReports(symbols).builds)
        if arguments.has("--json") {
            let waiting = builds.map { build in
                JSONValue.object([
                    "build_id": .string(build.buildID), "image": .string(build.image),
                    "reports": .integer(Int64(build.reports)),
                ])
            }
            console.print(.object(["symbols": .array(entries.map(\.json)), "waiting": .array(waiting)]))
        } else {
            for entry in entries { console.print(line(entry)) }
            if !builds.isEmpty {
                console.print((entries.isEmpty ? [] : [""]) + ["Reports wait for"])
                for build in builds {
                    let count = build.reports == 1 ? "1 report" : "\(build.reports) reports"
                    console.print("  \(build.buildID)  \(count), \(build.image.madeVisible())")
                }
            }
            if entries.isEmpty, builds.isEmpty { console.note("no debug files yet: `mayday symbols add PATH`") }
        }
        return entries.isEmpty && builds.isEmpty ? .nothingFound : .done
    }

    private static func line(_ entry: SymbolStore.Entry) -> String {
        "\(entry.buildID)  \(entry.name.madeVisible()), \(entry.content.rawValue), \(size(entry.size)) in \(size(entry.stored))"
    }

    static func size(_ bytes: Int) -> String {
        bytes < 1 << 20 ? "\((bytes + 1023) >> 10) KiB" : "\(bytes >> 20).\((bytes >> 10 & 1023) * 10 / 1024) MiB"
    }

    // MARK: check

    private static func check(_ paths: [String], _ arguments: Arguments, _ console: Console) throws(CommandError)
        -> ExitCode
    {
        let client = arguments.has("--server") ? try SymbolClient(arguments) : nil
        let symbols = try arguments.symbols()
        var failures = 0
        var values: [JSONValue] = []
        for path in paths {
            let (isGood, text) = try finding(path) { buildID throws(CommandError) in
                if let client { return try client.has(buildID) ? "the collector" : nil }
                return symbols.entry(of: buildID)?.content == .debugInformation ? symbols.path : nil
            }
            if !isGood { failures += 1 }
            values.append(.object(["path": .string(path), "ok": .bool(isGood), "text": .string(text)]))
            if !arguments.has("--json") { console.print("\(path.madeVisible()): \(text.madeVisible())") }
        }
        if arguments.has("--json") { console.print(.array(values)) }
        return failures == 0 ? .done : .nothingFound
    }

    private static func finding(_ path: String, keeper: (String) throws(CommandError) -> String?)
        throws(CommandError) -> (isGood: Bool, text: String)
    {
        let file: BinaryFile
        do throws(BinaryFileError) { file = try BinaryFile(path: path) } catch {
            return (false, "\(error)")
        }
        guard let buildID = file.buildID else { return (false, "no build id: link with --build-id") }
        guard let shortcoming = file.shortcoming else {
            return (true, "functions and lines of build \(buildID), from \(file.debugFile ?? path)")
        }
        if let keeper = try keeper(buildID) {
            return (true, "functions and lines of build \(buildID), kept by \(keeper)")
        }
        let text: String =
            switch shortcoming {
            case .stripped:
                "stripped, and no debug file of build \(buildID): do not strip it, or `mayday symbols add` what was split off"
            case .noDebugInformation: "names and no lines: build with -g, and do not strip"
            case .cut: "cut short: copy or build it again"
            case .shared: "names and no lines: its debug information is shared out by dwz; add it from before dwz"
            case .compressed: "names and no lines: the libdw here cannot unpack its debug information; use zlib"
            default: "its debug information is damaged: build it again"
            }
        return (false, text)
    }
}
