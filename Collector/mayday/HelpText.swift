import CrashReportText

/// The help of one command and of all, made from their specs.
enum HelpText {
    static func overview(_ commands: [any Command.Type]) -> [String] {
        let specs = commands.map { $0.spec }
        let width = specs.map(\.name.count).max() ?? 0
        var lines = [
            "mayday collects crashes and errors of Swift services, grouped into issues.", "",
            "Usage: mayday COMMAND [FLAGS]", "", "Commands:",
        ]
        lines += specs.map { "  \(padded($0.name, width))  \($0.summary)" }
        lines += ["", "`mayday COMMAND --help` says what a command takes, with an example.", ""]
        let codes = exitCodes.map { "\($0.code) \($0.text)" }.joined(separator: ", ")
        return lines + "Exit codes: \(codes).".wrapped(to: 72)
    }

    /// What the process ends with.
    static let exitCodes: [(code: Int, text: String)] = [
        (0, "done"), (1, "nothing found or the check failed"), (2, "wrong usage"), (3, "no store or server there"),
    ]

    static func text(_ spec: CommandSpec) -> [String] {
        let options = spec.allOptions.map { (text: $0.name + ($0.value.map { " \($0)" } ?? ""), help: $0.help) }
        let indent = (options.map(\.text.count).max() ?? 0) + 4
        let operands = spec.operands.isEmpty ? "" : " \(spec.operands)"
        var lines = "\(spec.summary).".wrapped(to: width)
        lines += ["", "Usage: mayday \(spec.name) [FLAGS]\(operands)", "", "Flags:"]
        for option in options {
            for (index, help) in option.help.wrapped(to: width - indent).enumerated() {
                lines.append(padded(index == 0 ? "  \(option.text)" : "", indent) + help)
            }
        }
        for note in spec.notes { lines += [""] + note.wrapped(to: width) }
        return lines + ["", spec.examples.count == 1 ? "Example:" : "Examples:"] + spec.examples.map { "  \($0)" }
    }

    private static let width = 80

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
