// The `image`, `context`, `breadcrumb`, `error`, `message` and `end` lines.

extension Image {
    init(from reader: inout JSONReader) throws(JSONError) {
        var path: String?
        var base: UInt64?
        var size: UInt64?
        var buildID: String?
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "path": path = try reader.string()
            case "base": base = try reader.hex()
            case "size": size = try reader.hex()
            case "build_id": buildID = try reader.buildID()
            default: try reader.skip()
            }
        }
        self.init(
            path: try reader.required(path, "path"),
            base: try reader.required(base, "base"),
            size: try reader.required(size, "size"),
            buildID: buildID
        )
    }

    func write(to writer: inout JSONWriter) {
        writer.field("path", path)
        writer.field("base", hex: base)
        writer.field("size", hex: size)
        writer.field("build_id", buildID)
    }
}

extension Context {
    init(from reader: inout JSONReader) throws(JSONError) {
        var context = Context()
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "tags":
                try reader.members { name, reader throws(JSONError) in context.tags[name.text] = try reader.string() }
            case "user": context.user = try reader.values()
            case "request": context.request = try reader.values()
            case "custom": context.custom = try reader.values()
            default: try reader.skip()
            }
        }
        self = context
    }

    func write(to writer: inout JSONWriter) {
        writer.field("tags", values: tags.mapValues { .string($0) })
        writer.field("user", values: user)
        writer.field("request", values: request)
        writer.field("custom", values: custom)
    }
}

extension Breadcrumb {
    init(from reader: inout JSONReader) throws(JSONError) {
        var time: String?
        var message: String?
        var category: String?
        var level: String?
        var data: [String: JSONValue] = [:]
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "time": time = try reader.time()
            case "message": message = try reader.string()
            case "category": category = try reader.string()
            case "level": level = try reader.string()
            case "data": data = try reader.values()
            default: try reader.skip()
            }
        }
        self.init(
            time: try reader.required(time, "time"),
            message: try reader.required(message, "message"),
            category: category,
            level: level,
            data: data
        )
    }

    func write(to writer: inout JSONWriter) {
        writer.field("time", time)
        writer.field("message", message)
        writer.field("category", category)
        writer.field("level", level)
        writer.field("data", values: data)
    }
}

extension HandledError {
    init(from reader: inout JSONReader) throws(JSONError) {
        var typeName: String?
        var text: String?
        var detail = ErrorDetail()
        var chain: [UnderlyingError] = []
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "type_name": typeName = try reader.string()
            case "text": text = try reader.string()
            case "chain":
                chain = try reader.list { reader throws(JSONError) in try UnderlyingError(from: &reader) }
            default: try detail.read(key, from: &reader)
            }
        }
        self.init(
            typeName: try reader.required(typeName, "type_name"),
            text: try reader.required(text, "text"),
            detail: detail,
            chain: chain
        )
    }

    func write(to writer: inout JSONWriter) {
        writer.field("type_name", typeName)
        writer.field("text", text)
        detail.write(to: &writer)
        guard !chain.isEmpty else { return }
        writer.array("chain", chain) { writer, error in
            writer.object { writer in
                writer.field("type_name", error.typeName)
                writer.field("text", error.text)
                error.detail.write(to: &writer)
            }
        }
    }
}

extension ErrorDetail {
    /// Reads one of its members, or skips one that is not known.
    fileprivate mutating func read(_ key: JSONKey, from reader: inout JSONReader) throws(JSONError) {
        switch key {
        case "domain": domain = try reader.string()
        case "code": code = try reader.integer()
        case "values": values = try reader.values()
        default: try reader.skip()
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.field("domain", domain)
        writer.field("code", code)
        // In a chain, five levels are around them.
        writer.field("values", values.isEmpty ? nil : values) {
            $0.value(.object($1), depth: JSONReader.standardDepth - 5)
        }
    }
}

extension UnderlyingError {
    init(from reader: inout JSONReader) throws(JSONError) {
        var typeName: String?
        var text: String?
        var detail = ErrorDetail()
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "type_name": typeName = try reader.string()
            case "text": text = try reader.string()
            default: try detail.read(key, from: &reader)
            }
        }
        self.init(
            typeName: try reader.required(typeName, "type_name"),
            text: try reader.required(text, "text"),
            detail: detail
        )
    }
}

extension JSONReader {
    /// The text of a `message` line.
    mutating func messageLine() throws(JSONError) -> String {
        var text: String?
        try members { key, reader throws(JSONError) in
            switch key {
            case "text": text = try reader.string()
            default: try reader.skip()
            }
        }
        return try required(text, "text")
    }
}

extension CaptureEnd {
    init(from reader: inout JSONReader) throws(JSONError) {
        var stages: [String]?
        var duration: Int?
        var unwinder: String?
        var cut: [CutStage] = []
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "stages": stages = try reader.list { reader throws(JSONError) in try reader.string() }
            case "duration_us": duration = try reader.count()
            case "unwinder": unwinder = try reader.string()
            case "cut": cut = try reader.list { reader throws(JSONError) in try CutStage(from: &reader) }
            default: try reader.skip()
            }
        }
        self.init(
            stages: try reader.required(stages, "stages"),
            durationMicroseconds: try reader.required(duration, "duration_us"),
            unwinder: unwinder,
            cut: cut
        )
    }

    func write(to writer: inout JSONWriter) {
        writer.array("stages", stages) { $0.string($1) }
        writer.field("duration_us", durationMicroseconds)
        writer.field("unwinder", unwinder)
        guard !cut.isEmpty else { return }
        writer.array("cut", cut) { writer, cut in
            writer.object { writer in
                writer.field("stage", cut.stage)
                writer.field("reason", cut.reason)
            }
        }
    }
}

extension CutStage {
    init(from reader: inout JSONReader) throws(JSONError) {
        var stage: String?
        var reason: String?
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "stage": stage = try reader.string()
            case "reason": reason = try reader.string()
            default: try reader.skip()
            }
        }
        self.init(stage: try reader.required(stage, "stage"), reason: try reader.required(reason, "reason"))
    }
}
