import CrashReport
import Foundation
import Query
import Store

/// `mayday delete`.
enum DeleteCommand: Command {
    static let spec = CommandSpec(
        name: "delete",
        summary: "Remove reports, or issues with all their reports, for good",
        operands: "REPORT|ISSUE…",
        operandCount: 1...(.max),
        options: [.project, Deletion.yes, .json("how many reports were removed")],
        notes: [
            "Counts are corrected, and an issue goes with its last report. A report that its service sends again, or that an issue gets "
                + "afterwards, is new. Backups have what they had.",
            "On a terminal it asks; elsewhere it needs --yes.",
        ],
        examples: ["mayday delete 0193a7f2-6e1c", "mayday delete 3 --yes"]
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let references = arguments.operands.map { Reference($0) }
        for (reference, text) in zip(references, arguments.operands) {
            guard case .file = reference else { continue }
            throw arguments.usage(
                "\"\(text)\" is no report and no issue: give what `mayday reports` or `mayday list` shows"
            )
        }
        let store = try arguments.openStore()
        let place = Place.store(store, try arguments.location())
        var (reports, issues): ([ReportKey], [IssueList.Entry]) = ([], [])
        for reference in references {
            switch reference {
            case .report(let prefix):
                let found = try place.reading { reader throws(QueryError) in
                    try Reference.report(prefix: prefix, in: reader)
                }
                reports.append(found.key)
            case .issue(let named, let number):
                let entry = try Filters.find((named, number), in: place, arguments)
                guard entry.issue.key.number == number else {
                    throw arguments.usage(
                        "issue \(number) is part of issue \(entry.issue.key.number) now: that number deletes all of it"
                    )
                }
                issues.append(entry)
            case .file: break
            }
        }
        let what =
            issues.map {
                "issue \($0.issue.key.number) of project \($0.issue.key.project) (\($0.issue.title)) with all its reports"
            }
            + reports.map { "report \($0.id)" }
        try Deletion.confirm(what.joined(separator: ", "), arguments, console)
        let (all, keys) = (reports, issues.map(\.issue.key))
        let total = all.count + issues.map(\.issue.count).reduce(0, +)
        let count = try console.progress { progress throws(CommandError) in
            try CommandError.wrapping { () throws(StoreError) in
                progress.show("\(0) of \(Deletion.text(total)) deleted")
                var count = try store.delete(all)
                for key in keys {
                    try Deletion.deleteAll(ReportSelection(issue: key, limit: 200), in: store) { piece in
                        count += piece
                        let done = count
                        progress.show("\(done) of \(Deletion.text(total)) deleted")
                    }
                }
                return count
            }
        }
        if arguments.has("--json") {
            console.print(.object(["reports": .integer(Int64(count))]))
        } else {
            console.print("\(Deletion.text(count)) deleted")
        }
        return .done
    }
}

/// What commands that delete have in common.
enum Deletion {
    static let yes = CommandSpec.Option(name: "--yes", value: nil, help: "do not ask")

    /// `1 report`, `2 reports`.
    static func text(_ count: Int) -> String { count == 1 ? "1 report" : "\(count) reports" }

    /// Asks on a terminal, unless `--yes` was given; ends the command unless the answer is yes.
    static func confirm(_ what: String, _ arguments: Arguments, _ console: Console) throws(CommandError) {
        if arguments.has("--yes") { return }
        guard isatty(STDIN_FILENO) != 0 else {
            throw arguments.usage(
                "this deletes \(what.madeVisible()) for good, and nobody can be asked here: give --yes"
            )
        }
        console.ask("Delete \(what) for good? [y/N] ")
        guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
            throw .nothingFound("nothing was deleted")
        }
    }

    /// Deletes all reports of a selection, in pieces, so that others wait for milliseconds.
    ///
    /// - Parameter deleted: told how many each piece had.
    static func deleteAll(_ selection: ReportSelection, in store: any Store, deleted: (Int) -> Void) throws(StoreError)
    {
        while true {
            let piece = try store.reports(selection).map(\.key)
            if piece.isEmpty { return }
            deleted(try store.delete(piece))
        }
    }
}
