internal import BackendSupport
internal import CrashReport

/// What a chat is told of a report.
struct ChatMessage {
    private let readable: ReadableReport

    init(_ readable: ReadableReport) { self.readable = readable }

    /// Discord takes 2,000 characters, the others more.
    private static let limit = 1_900

    /// Some lines of text, in the markup that chats share: `code` and a block of code.
    var text: String {
        let report = readable.report
        let header = report.header
        let what = header.kind == .crash ? "crashed" : "reported"
        let service = header.release ?? header.service ?? header.process.name ?? "A service"
        var lines = ["\(code(service)) \(what)" + (header.environment.map { " in \(code($0))" } ?? "")]
        lines.append(code(readable.title))
        if let culprit = readable.culprit { lines.append("in \(code(culprit))") }
        let host = header.host?.name.map { " on \(code($0))" } ?? ""
        lines.append("\(code(header.time))\(host), pid \(header.process.pid), report \(code(header.id))")
        var text = lines.joined(separator: "\n")
        guard let thread = report.crashedThread else { return text }
        // As much of the stack as fits in, the innermost first.
        var block: [String] = []
        var left = ChatMessage.limit - text.utf8.count - 10
        for line in report.stackLines(of: thread, limit: 12).map({ ChatMessage.plain($0, limit: 150) }) {
            left -= line.utf8.count + 1
            guard left > 0 else { break }
            block.append(line)
        }
        if !block.isEmpty { text += "\n```\n\(block.joined(separator: "\n"))\n```" }
        return text
    }

    private func code(_ text: String) -> String { "`\(ChatMessage.plain(text, limit: 300))`" }

    /// A text of the service's as one line that no chat takes for a mention, a link or the end of the code: nobody is
    /// called by what was in a message of a crash.
    static func plain(_ text: String, limit: Int) -> String {
        var result = ""
        for scalar in text.madeVisible(limit: limit).unicodeScalars {
            switch scalar {
            case "<": result += "‹"
            case ">": result += "›"
            case "`": result += "'"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
