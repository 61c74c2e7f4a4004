import CrashReport

/// How a piece of text stands out on a terminal. Nothing is said by style alone: it must read without colour too.
package enum TextStyle {
    case plain
    case strong
    case faint
    case failure
    case notice

    /// Parameters of the escape sequence "select graphic rendition" (ECMA-48).
    var parameters: String? {
        switch self {
        case .plain: nil
        case .strong: "1"
        case .faint: "2"
        case .failure: "1;31"
        case .notice: "33"
        }
    }
}

/// A line of text for a terminal.
///
/// All text that goes in is made visible here, so a report cannot write escape sequences to the terminal of who reads it.
package struct StyledLine {
    private var pieces: [(text: String, style: TextStyle)] = []
    /// Columns so far.
    package private(set) var width = 0

    package init() {}

    package init(_ text: String, _ style: TextStyle = .plain) { add(text, style) }

    package mutating func add(_ text: String, _ style: TextStyle = .plain) {
        guard !text.isEmpty else { return }
        let visible = text.madeVisible()
        pieces.append((visible, style))
        width += visible.columns
    }

    /// Adds spaces up to a column.
    package mutating func pad(to column: Int) {
        if width < column { add(String(repeating: " ", count: column - width)) }
    }

    package func rendered(color: Bool) -> String {
        var result = ""
        for (text, style) in pieces {
            if color, let parameters = style.parameters {
                result += "\u{1b}[\(parameters)m\(text)\u{1b}[0m"
            } else {
                result += text
            }
        }
        while result.last == " " { result.removeLast() }
        return result
    }
}

extension String {
    /// The text cut to `limit` columns, its end replaced by `…`.
    package func shortened(to limit: Int) -> String {
        guard columns > limit else { return self }
        var room = limit - 1
        let kept = prefix { character in
            room -= character.columns
            return room >= 0
        }
        return "\(kept)…"
    }

    /// The text in lines of at most `width` columns, broken at spaces; a longer word has a line for itself.
    package func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            if !line.isEmpty, line.columns + 1 + String(word).columns > width {
                lines.append(line)
                line = String(word)
            } else {
                line += lines.isEmpty && line.isEmpty ? word : " " + word
            }
        }
        return lines + [line]
    }
}
