extension Report {
    /// The report as a file: gzip of JSON Lines.
    ///
    /// Symbols, origins and everything else the model holds are kept: `decode(gzip:limits:)` gives an equal report,
    /// when its lines stay within the limits. Values of the context that nest deeper than a reader accepts become `…`.
    ///
    /// - Parameter level: 1 (fast) to 9 (small).
    public func encode(level: Int = 6) -> [UInt8] { Gzip.compress(jsonLines, level: level) }

    /// The report as JSON Lines.
    public var jsonLines: [UInt8] {
        var writer = JSONWriter()
        writer.line("report") { header.write(to: &$0) }
        if let crash { writer.line("crash") { crash.write(to: &$0) } }
        if let error { writer.line("error") { error.write(to: &$0) } }
        if let message { writer.line("message") { $0.field("text", message) } }
        for thread in threads { writer.line("thread") { thread.write(to: &$0) } }
        for image in images { writer.line("image") { image.write(to: &$0) } }
        if let context { writer.line("context") { context.write(to: &$0) } }
        for breadcrumb in breadcrumbs { writer.line("breadcrumb") { breadcrumb.write(to: &$0) } }
        if let end { writer.line("end") { end.write(to: &$0) } }
        for file in attachments { writer.line("attachment") { file.write(to: &$0) } }
        return writer.bytes
    }
}

extension JSONWriter {
    mutating func line(_ type: String, _ body: (inout JSONWriter) -> Void) {
        object { writer in
            writer.field("type", type)
            body(&writer)
        }
        endLine()
    }
}
