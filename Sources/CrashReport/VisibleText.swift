extension String {
    /// The text in a form that is safe on a terminal and in a log: one line, no escape sequences, nothing that reorders.
    ///
    /// Control characters, line separators, and the invisible and bidirectional format characters become `\n`, `\t`
    /// or `\u{…}`, and so do marks upon marks, which pile up over the lines above. Text over `limit` characters is cut and ends with `…`.
    public func madeVisible(limit: Int = .max) -> String {
        if utf8.count <= limit, utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) { return self }
        var result = ""
        var count = 0
        var marks = 0
        for scalar in unicodeScalars {
            guard count < limit else { return result + "…" }
            count += 1
            marks = scalar.isMark ? marks + 1 : 0
            switch scalar {
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where scalar.isHostileOnTerminal || marks > 4: result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension Unicode.Scalar {
    /// True for what a terminal obeys instead of showing: control, format, separator, private-use and unassigned scalars.
    ///
    /// Format characters hold the bidirectional overrides of CVE-2021-42574.
    package var isHostileOnTerminal: Bool {
        if value >= 0x20 && value < 0x7f { return false }
        // The zero-width joiner, which emoji are made of.
        if value == 0x200d { return false }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: return true
        default: return false
        }
    }

    /// True for what is drawn over or under the character before it.
    fileprivate var isMark: Bool {
        guard value >= 0x300 else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return true
        default: return false
        }
    }
}

/// A count with commas between thousands.
package func grouped(_ count: Int) -> String {
    var text = ""
    for (index, digit) in String(count.magnitude).reversed().enumerated() {
        if index > 0, index % 3 == 0 { text.append(",") }
        text.append(digit)
    }
    return (count < 0 ? "-" : "") + String(text.reversed())
}
