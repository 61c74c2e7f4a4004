/// `mayday completion`.
enum CompletionCommand: Command {
    static let spec = CommandSpec(
        name: "completion",
        summary: "Print what a shell completes this program's command lines by",
        operands: "bash | zsh | fish",
        operandCount: 1...1,
        notes: ["`make install` puts all three, and the manual page, where they are found."],
        examples: [
            "source <(mayday completion bash)", "mayday completion fish > ~/.config/fish/completions/mayday.fish",
        ],
        place: .none
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let shell = arguments.operands[0]
        guard Completions.shells.contains(shell) else {
            throw arguments.usage("\"\(shell)\": expected \(Completions.shells.joined(separator: ", "))")
        }
        console.print(Completions.script(shell, Mayday.commands.map { $0.spec }))
        return .done
    }
}

/// `mayday man`.
enum ManCommand: Command {
    static let spec = CommandSpec(
        name: "man",
        summary: "Print the manual page",
        examples: ["mayday man | man -l -"],
        place: .none
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        console.print(ManualPage.page(Mayday.commands.map { $0.spec }, version: VersionCommand.version))
        return .done
    }
}
