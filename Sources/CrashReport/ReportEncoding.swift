extension Report {
    /// The report as a file: gzip of JSON Lines.
    ///
    /// Symbols, origins and everything else the model holds are kept: `decode(gzip:limits:)` gives an equal report,
    /// when its lines stay within the limits. Values of the context that nest deeper than a reader accepts become `…`.
    public func encode() -> [UInt8] { Gzip.compress(jsonLines) }

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

    /// The report as one object: the fields of its `report` line, and a member for each other line type, an array where
    /// there may be several (`threads`, `images`, `breadcrumbs`, `attachments`). The fields are those of the report format;
    /// attachments have `size` in place of `data`.
    public var jsonObject: JSONValue {
        var writer = JSONWriter()
        writer.object { writer in
            header.write(to: &writer)
            writer.field("crash", crash) { writer, crash in writer.object { crash.write(to: &$0) } }
            writer.field("error", error) { writer, error in writer.object { error.write(to: &$0) } }
            writer.field("message", message)
            writer.array("threads", threads) { writer, thread in writer.object { thread.write(to: &$0) } }
            writer.array("images", images) { writer, image in writer.object { image.write(to: &$0) } }
            writer.field("context", context) { writer, context in writer.object { context.write(to: &$0) } }
            writer.array("breadcrumbs", breadcrumbs) { writer, crumb in writer.object { crumb.write(to: &$0) } }
            if !attachments.isEmpty {
                writer.array("attachments", attachments) { writer, file in
                    writer.object { file.write(to: &$0, withData: false) }
                }
            }
            writer.field("end", end) { writer, end in writer.object { end.write(to: &$0) } }
        }
        do {
            return try JSONReader.parse(writer.bytes, depth: JSONReader.standardDepth + 2)
        } catch {
            preconditionFailure("the writer wrote what the reader does not read: \(error)")
        }
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
