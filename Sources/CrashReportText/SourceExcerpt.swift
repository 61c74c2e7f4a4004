import CrashReport

/// Lines of a source file around the one that a frame is at.
public struct SourceExcerpt: Sendable, Equatable {
    /// Number of the first of `lines`, from 1.
    public var first: Int
    /// The lines, without their ends.
    public var lines: [String]
    /// What to know before believing them, such as that the file is another than the one that was built.
    public var remark: String?

    /// An excerpt.
    public init(first: Int, lines: [String], remark: String? = nil) {
        self.first = first
        self.lines = lines
        self.remark = remark
    }

    /// Finds the lines of a file: the path as debug information has it, the line, and how many lines before and after it are
    /// wanted; nil when the file is not at hand.
    public typealias Lookup = (_ file: String, _ line: Int, _ context: Int) -> SourceExcerpt?

    /// As text, the line at `line` marked, in `width` columns behind `margin`.
    func text(marking line: Int, margin: Int, width: Int) -> [StyledLine] {
        let texts = lines.map { $0.replacingTabs() }
        // What all lines are set in by tells nothing.
        let indent = texts.filter { !$0.allSatisfy { $0 == " " } }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        let digits = String(first + lines.count).count
        var result = texts.enumerated().map { index, text in
            let number = String(first + index)
            let isMarked = first + index == line
            var styled = StyledLine()
            styled.pad(to: margin)
            styled.add(isMarked ? "→ " : "  ", .strong)
            styled.pad(to: margin + 2 + digits - number.count)
            styled.add("\(number) │ ", .faint)
            let visible = text.dropFirst(indent).description.madeVisible()
            styled.add(visible.shortened(to: max(20, width - styled.width)), isMarked ? .strong : .plain)
            return styled
        }
        if let remark {
            var styled = StyledLine()
            styled.pad(to: margin + 2)
            styled.add(remark.shortened(to: max(20, width - styled.width)), .notice)
            result.append(styled)
        }
        return result
    }
}

extension String {
    /// Tabs as four blanks: a terminal would count them from its own edge.
    fileprivate func replacingTabs() -> String {
        utf8.contains(UInt8(ascii: "\t")) ? reduce(into: "") { $0 += $1 == "\t" ? "    " : String($1) } : self
    }
}
