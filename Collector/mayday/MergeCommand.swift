import CrashReport
import Query
import Store

/// `mayday merge`.
enum MergeCommand: Command {
    static let spec = CommandSpec(
        name: "merge",
        summary: "Make an issue part of another, which it is the same as",
        operands: "ISSUE INTO",
        operandCount: 2...2,
        options: [.project, .json("the issue that both are then")],
        notes: [
            "All reports of ISSUE are then those of INTO, and so are those that come with its key; its number leads there. Of what "
                + "was decided about both, the more urgent holds: open, then muted, then resolved. There is no way back.",
            "Reports of it that have another key later, because their debug files come or a version of mayday groups by other "
                + "rules, are an issue of their own again.",
        ],
        examples: ["mayday merge 7 3"],
        place: .reader
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let place = try arguments.place()
        let keys = try Decision.issues(arguments, in: place)
        let (issue, target) = (keys[0], keys[1])
        guard issue != target else {
            throw arguments.usage("\(arguments.operands[0]) and \(arguments.operands[1]) are one issue already")
        }
        guard issue.project == target.project else {
            throw arguments.usage(
                "\(issue.project)/\(issue.number) and \(target.project)/\(target.number) are of different projects: issues of one "
                    + "project can be merged"
            )
        }
        let entry = try place.reading { reader throws(QueryError) in
            try reader.decide(.merge(into: target.number), on: issue, at: .now())
        }
        guard let entry else {
            throw .nothingFound("one of both issues is not there any more: `mayday list` shows the issues there are")
        }
        guard !arguments.has("--json") else {
            console.print(entry.json)
            return .done
        }
        let (gone, kept) = (arguments.operands[0], arguments.operands[1])
        console.print("issue \(gone) is part of issue \(kept) now: \(entry.issue.title.madeVisible())")
        return .done
    }
}
