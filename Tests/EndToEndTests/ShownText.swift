import Foundation

/// What `mayday show` prints, without what differs from run to run.
struct ShownText {
    let lines: [String]

    init(_ output: String) {
        var lines: [String] = []
        var section = ""
        for line in output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) {
            if !line.hasPrefix(" ") { section = line }
            // Continued by the row of the process, however many lines the host takes.
            if section.hasPrefix("Host"), !line.hasPrefix("Host") { continue }
            // How many threads a pool has, and what they do, is chance; the gallery's own bystander is there.
            if section == "Other threads", line.hasPrefix("  ") {
                if line.hasPrefix("  night-watch ") { lines.append("  night-watch …") }
                continue
            }
            lines.append(Self.normalized(line))
        }
        Self.shortenPath(&lines)
        // Which function a stack ran out in is chance.
        if let stack = lines.firstIndex(of: "Stack of the crashed thread"),
            let gap = lines.firstIndex(where: { $0.hasSuffix(" left out of a deep stack") }), stack < gap
        {
            lines.removeSubrange((stack + 1)..<gap)
        }
        self.lines = lines
    }

    /// The text of C's `assert` names its file as the build did, and so is broken into lines at other places on each machine.
    private static func shortenPath(_ lines: inout [String]) {
        guard let first = lines.firstIndex(where: { $0.hasPrefix("Message ") }) else { return }
        let last = lines[(first + 1)...].firstIndex { !$0.hasPrefix(" ") } ?? lines.endIndex
        let text = lines[first..<last].map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
        guard text.contains("/Examples/") else { return }
        lines.replaceSubrange(first..<last, with: [text.replacing(#/[^ ]*\/Examples\//#, with: "…/Examples/")])
    }

    static var isOfThisToolchain: Bool {
        #if os(Linux) && arch(x86_64) && compiler(>=6.3) && compiler(<6.4)
            true
        #else
            false
        #endif
    }

    private static func normalized(_ line: String) -> String {
        for label in ["Time", "Host", "Report"] where line.hasPrefix("\(label) ") { return "\(label) …" }
        return
            line
            .replacing(#/0x[0-9a-f]{5,}/#, with: "0x…")
            .replacing(#/\(pid \d+\) · up .*/#, with: "(pid …)")
            .replacing(#/in thread \d+/#, with: "in thread …")
            .replacing(#/, task \d+/#, with: ", task …")
            .replacing(#/sent by process \d+ of user \d+/#, with: "sent by process … of user …")
            // How deep a stack is, and so how its frames are numbered.
            .replacing(#/\d{1,3}(,\d{3})+/#, with: "…")
            .replacing(#/^(  > |    )\d{5,}(-\d{5,})?/#, with: { "\($0.1)…" })
            // Of the C library, where its debug information is installed.
            .replacing(#/ \([\w.-]+\.[cS]:\d+\) in libc/#, with: " in libc")
            .replacing(#/ +$/#, with: "")
    }
}
