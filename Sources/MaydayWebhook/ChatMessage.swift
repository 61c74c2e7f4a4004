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
        // The quotes of code are those of the block.
        for line in report.stackLines(of: thread, limit: 12).map({ $0.codeInChat(limit: 150).dropFirst().dropLast() }) {
            left -= line.utf8.count + 1
            guard left > 0 else { break }
            block.append(String(line))
        }
        if !block.isEmpty { text += "\n```\n\(block.joined(separator: "\n"))\n```" }
        return text
    }

    private func code(_ text: String) -> String { text.codeInChat(limit: 300) }
}
