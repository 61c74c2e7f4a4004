import CrashReport

/// `mayday version`.
enum VersionCommand: Command {
    static let spec = CommandSpec(
        name: "version",
        summary: "Show the version of this program and of its report format",
        options: [.json("it")],
        examples: ["mayday version --json"],
        place: .none
    )

    /// Follows `CHANGELOG.md`.
    static let version = "0.1.0"

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let format = ReportHeader.currentVersion
        if arguments.has("--json") {
            console.print(.object(["version": .string(version), "report_format": .integer(Int64(format))]))
        } else {
            console.print("mayday \(version), report format \(format)")
        }
        return .done
    }
}
