import CrashReport

/// Completion scripts of shells, made from the commands' specs as their help is.
enum Completions {
    static let shells = ["bash", "zsh", "fish"]

    static func script(_ shell: String, _ commands: [CommandSpec]) -> [String] {
        switch shell {
        case "bash": bash(commands)
        case "zsh": zsh(commands)
        default: fish(commands)
        }
    }

    // MARK: bash

    private static func bash(_ commands: [CommandSpec]) -> [String] {
        let names = commands.map(\.name).joined(separator: " ")
        var lines = [
            "# Completion of mayday for bash: source it, or put it into /usr/share/bash-completion/completions/mayday.",
            "_mayday() {",
            "    local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\" words= kind= list=",
            "    if [ \"$COMP_CWORD\" -eq 1 ]; then",
            "        words=\"\(names) help\"",
            "    else",
            "        case \"${COMP_WORDS[1]} $previous\" in",
        ]
        for command in commands {
            for option in command.allOptions where option.value != nil {
                lines.append("        '\(command.name) \(option.name)') \(bash(option)) ;;")
            }
        }
        lines += ["        help\\ *) words=\"\(names)\" ;;", "        *) case \"${COMP_WORDS[1]}\" in"]
        for command in commands {
            let flags = command.allOptions.map(\.name).joined(separator: " ")
            let operands = (command.operandWords + [flags]).joined(separator: " ")
            let files = command.takesFiles ? " kind=-f" : ""
            lines.append("            \(command.name)) words=\"\(operands)\"\(files) ;;")
        }
        return lines + [
            "            esac ;;", "        esac", "    fi", "    COMPREPLY=()",
            // Behind a comma another one may stand.
            "    case \"$list$current\" in 1*,*) words=\"${current%,*},${words// / ${current%,*},}\" ;; esac",
            "    [ -z \"$words\" ] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")",
            "    case \"$current\" in -*) ;; *)",
            "        [ -z \"$kind\" ] || mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen \"$kind\" -- \"$current\") ;;",
            "    esac", "}", "complete -o filenames -F _mayday mayday",
        ]
    }

    private static func bash(_ option: CommandSpec.Option) -> String {
        if !option.choices.isEmpty {
            return "words=\"\(option.choices.joined(separator: " "))\"" + (option.isList ? " list=1" : "")
        }
        return option.value == "DIR" ? "kind=-d" : ":"
    }

    // MARK: zsh

    private static func zsh(_ commands: [CommandSpec]) -> [String] {
        var lines = ["#compdef mayday", "_mayday() {", "    local -a commands=("]
        lines += commands.map { "        \(quoted("\($0.name):\($0.summary)"))" }
        lines += [
            "    )", "    if (( CURRENT == 2 )); then", "        _describe command commands", "        return",
            "    fi",
        ]
        lines += ["    local name=$words[2]", "    shift words", "    (( CURRENT-- ))", "    case $name in"]
        for command in commands {
            lines.append("    \(command.name)) _arguments \\")
            for option in command.allOptions {
                let action =
                    if option.isList {
                        ":\(option.value ?? ""):_values -s , what \(option.choices.joined(separator: " "))"
                    } else if !option.choices.isEmpty {
                        ":\(option.value ?? ""):(\(option.choices.joined(separator: " ")))"
                    } else if option.value == "DIR" {
                        ":DIR:_directories"
                    } else {
                        option.value.map { ":\($0.replacing(":", with: "\\:")): " } ?? ""
                    }
                let help = option.help.replacing("[", with: "\\[").replacing("]", with: "\\]").replacing(
                    ":",
                    with: "\\:"
                )
                lines.append("        \(quoted("\(option.name)[\(help)]\(action)")) \\")
            }
            let words = command.operandWords.joined(separator: " ")
            let first = words.isEmpty ? "" : "'1:what:(\(words))' "
            let rest = command.takesFiles ? "'*:operand:_files'" : "'*:operand: '"
            lines.append("        \(first)\(rest) ;;")
        }
        return lines + ["    esac", "}", "_mayday \"$@\""]
    }

    // MARK: fish

    private static func fish(_ commands: [CommandSpec]) -> [String] {
        var lines = [
            "# Completion of mayday for fish: put it into ~/.config/fish/completions/mayday.fish.",
            "complete -c mayday -f",
        ]
        for command in commands {
            lines.append(
                "complete -c mayday -n __fish_use_subcommand -a \(command.name) -d \(quoted(command.summary))"
            )
        }
        for command in commands {
            let base = "complete -c mayday -n '__fish_seen_subcommand_from \(command.name)'"
            for option in command.allOptions {
                let value =
                    if option.isList {
                        " -x -a "
                            + quoted(
                                "(__fish_complete_list , 'string split \" \" \"\(option.choices.joined(separator: " "))\"')"
                            )
                    } else if !option.choices.isEmpty {
                        " -x -a \(quoted(option.choices.joined(separator: " ")))"
                    } else if option.value == "DIR" {
                        " -x -a '(__fish_complete_directories)'"
                    } else {
                        option.value == nil ? "" : " -x"
                    }
                lines.append("\(base) -l \(option.name.dropFirst(2))\(value) -d \(quoted(option.help))")
            }
            if !command.operandWords.isEmpty {
                lines.append("\(base) -a \(quoted(command.operandWords.joined(separator: " ")))")
            }
            if command.takesFiles { lines.append("\(base) -F") }
        }
        return lines
    }

    /// In single quotes, which every one of the three shells takes as they are.
    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}

extension CommandSpec {
    /// Words that its first operand may be: `list | keep|limit ID` has `list`, `keep` and `limit`.
    var operandWords: [String] {
        operands.split(separator: " | ").flatMap { part in
            let words = (part.split(separator: " ").first ?? "").split(separator: "|").map(String.init)
            return words.filter { $0.allSatisfy(\.isLowercase) }
        }
    }

    /// True when an operand may be a file.
    var takesFiles: Bool { ["FILE", "PATH", "BINARY", "DIR"].contains(where: operands.contains) }
}
