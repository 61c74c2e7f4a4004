import CrashReport

/// The manual page in the language of man(7), made from the commands' specs as their help is.
enum ManualPage {
    static func page(_ commands: [CommandSpec], version: String) -> [String] {
        var lines = [
            ".TH MAYDAY 1 \"\" \"mayday \(version)\" \"User Commands\"", ".SH NAME",
            "mayday \\- collect crashes and errors of Swift services, grouped into issues", ".SH SYNOPSIS",
            ".B mayday", ".I COMMAND", "[\\fIFLAGS\\fR]", ".SH COMMANDS",
        ]
        for command in commands {
            let operands = command.operands.isEmpty ? "" : " \(command.operands)"
            lines.append(".SS " + text("mayday \(command.name)\(operands)"))
            lines.append(text("\(command.summary)."))
            for option in command.options {
                lines += entry(option)
            }
            for note in command.notes { lines += [".PP", text(note)] }
            lines += [".PP", command.examples.count == 1 ? "Example:" : "Examples:", ".PP", ".nf", ".RS"]
            lines += command.examples.map(text)
            lines += [".RE", ".fi"]
        }
        lines += [".SH WHERE", "Flags of every command that works on a collector:"]
        for option in CommandSpec(name: "", summary: "", examples: [], place: .reader).allOptions {
            lines += entry(option)
        }
        lines.append(".SH EXIT STATUS")
        for code in HelpText.exitCodes { lines += [".TP", ".B \(code.code)", text(code.text)] }
        return lines
    }

    private static func entry(_ option: CommandSpec.Option) -> [String] {
        let value = option.value.map { " \($0)" } ?? ""
        return [".TP", ".B " + text(option.name + value), text(option.help)]
    }

    /// Hyphens that are typed, backslashes, and a dot or an apostrophe at the start of a line are roff's own otherwise.
    private static func text(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }
}
