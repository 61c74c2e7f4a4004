// The `thread` line.

extension ThreadStack {
    init(from reader: inout JSONReader, budget: inout ReportBudget) throws(JSONError) {
        var id: Int?
        var stack = ThreadStack(id: 0)
        var frames: [Frame]?
        var left = budget
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "id": id = try reader.integer()
            case "name": stack.name = try reader.string()
            case "crashed": stack.crashed = try reader.bool()
            case "state": stack.state = try reader.string()
            case "task": stack.task = try TaskFacts(from: &reader)
            case "access_conflict": stack.accessConflict = try AccessConflict(from: &reader, budget: &left)
            case "frames":
                frames = try reader.list { reader throws(JSONError) in
                    try left.takeFrame(at: reader.position)
                    return try Frame(from: &reader, budget: &left)
                }
            case "omitted": stack.omitted = try OmittedFrames(from: &reader)
            case "truncated": stack.truncated = try reader.string()
            default: try reader.skip()
            }
        }
        budget = left
        stack.id = try reader.required(id, "id")
        stack.frames = try reader.required(frames, "frames")
        self = stack
    }

    @inline(never)
    func write(to writer: inout JSONWriter) {
        writer.field("id", id)
        writer.field("name", name)
        writer.flag("crashed", crashed)
        writer.field("state", state)
        writer.field("task", task) { writer, task in writer.object { task.write(to: &$0) } }
        writer.field("access_conflict", accessConflict) { writer, conflict in
            writer.object { conflict.write(to: &$0) }
        }
        writer.array("frames", frames) { writer, frame in writer.object { frame.write(to: &$0) } }
        writer.field("omitted", omitted) { writer, omitted in
            writer.object { writer in
                writer.field("index", omitted.index)
                writer.field("count", omitted.count)
            }
        }
        writer.field("truncated", truncated)
    }
}

extension TaskFacts {
    @inline(never)
    init(from reader: inout JSONReader) throws(JSONError) {
        var id: Int?
        var name: String?
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "id": id = try reader.count()
            case "name": name = try reader.string()
            default: try reader.skip()
            }
        }
        self.init(id: try reader.required(id, "id"), name: name)
    }

    @inline(never)
    func write(to writer: inout JSONWriter) {
        writer.field("id", id)
        writer.field("name", name)
    }
}

extension AccessConflict {
    @inline(never)
    init(from reader: inout JSONReader, budget: inout ReportBudget) throws(JSONError) {
        var address: UInt64?
        var previous: MemoryAccess?
        var current: MemoryAccess?
        var left = budget
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "address": address = try reader.hex()
            case "previous": previous = try MemoryAccess(from: &reader, budget: &left)
            case "current": current = try MemoryAccess(from: &reader, budget: &left)
            default: try reader.skip()
            }
        }
        budget = left
        self.init(
            address: try reader.required(address, "address"),
            previous: try reader.required(previous, "previous"),
            current: try reader.required(current, "current")
        )
    }

    @inline(never)
    func write(to writer: inout JSONWriter) {
        writer.field("address", hex: address)
        writer.object("previous") { previous.write(to: &$0) }
        writer.object("current") { current.write(to: &$0) }
    }
}

extension MemoryAccess {
    @inline(never)
    init(from reader: inout JSONReader, budget: inout ReportBudget) throws(JSONError) {
        var kind: String?
        var frame: Frame?
        var left = budget
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "kind": kind = try reader.string()
            case "frame":
                try left.takeFrame(at: reader.position)
                frame = try Frame(from: &reader, budget: &left)
            default: try reader.skip()
            }
        }
        budget = left
        self.init(kind: kind, frame: frame)
    }

    @inline(never)
    func write(to writer: inout JSONWriter) {
        writer.field("kind", kind)
        writer.field("frame", frame) { writer, frame in writer.object { frame.write(to: &$0) } }
    }
}

extension OmittedFrames {
    @inline(never)
    init(from reader: inout JSONReader) throws(JSONError) {
        var index: Int?
        var count: Int?
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "index": index = try reader.count()
            case "count": count = try reader.count()
            default: try reader.skip()
            }
        }
        self.init(index: try reader.required(index, "index"), count: count)
    }
}

extension Frame {
    @inline(never)
    init(from reader: inout JSONReader, budget: inout ReportBudget) throws(JSONError) {
        if let frame = reader.plainFrame() {
            self = frame
            return
        }
        var address: UInt64?
        var image: Int?
        var offset: UInt64?
        var trust: FrameTrust?
        var symbols: [FrameSymbol] = []
        var origin: FrameOrigin?
        var left = budget
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "address": address = try reader.hex()
            case "image": image = try reader.count()
            case "offset": offset = try reader.hex()
            case "trust": trust = try reader.word()
            case "symbols":
                symbols = try reader.list { reader throws(JSONError) in
                    try left.takeSymbol(at: reader.position)
                    return try FrameSymbol(from: &reader)
                }
            case "origin": origin = try reader.word()
            default: try reader.skip()
            }
        }
        budget = left
        self.init(
            address: try reader.required(address, "address"),
            image: image,
            offset: offset,
            trust: try reader.required(trust, "trust"),
            symbols: symbols,
            origin: origin
        )
    }

    @inline(never)
    func write(to writer: inout JSONWriter) {
        writer.field("address", hex: address)
        writer.field("image", image)
        writer.field("offset", hex: offset)
        writer.field("trust", trust.rawValue)
        if !symbols.isEmpty {
            writer.array("symbols", symbols) { writer, symbol in writer.object { symbol.write(to: &$0) } }
        }
        writer.field("origin", origin?.rawValue)
    }
}

extension FrameSymbol {
    @inline(never)
    package init(from reader: inout JSONReader) throws(JSONError) {
        var function: String?
        var symbol = FrameSymbol(function: "")
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "function": function = try reader.string()
            case "mangled": symbol.mangled = try reader.string()
            case "file": symbol.file = try reader.string()
            case "line": symbol.line = try reader.count()
            case "column": symbol.column = try reader.count()
            case "inlined": symbol.inlined = try reader.bool()
            default: try reader.skip()
            }
        }
        symbol.function = try reader.required(function, "function")
        self = symbol
    }

    @inline(never)
    package func write(to writer: inout JSONWriter) {
        writer.field("function", function)
        writer.field("mangled", mangled)
        writer.field("file", file)
        writer.field("line", line)
        writer.field("column", column)
        writer.flag("inlined", inlined)
    }
}

extension JSONReader {
    /// Reads a frame that is written as a dying process writes it, byte for byte, as most of a report is: at a fifth of the time that
    /// its members take. Nil, with nothing read, for every other.
    @inline(never)
    fileprivate mutating func plainFrame() -> Frame? {
        let start = position
        if takes(#"{"address":"#), let address = try? hex(), takes(#","image":"#), let image = try? count(),
            takes(#","offset":"#), let offset = try? hex(), takes(#","trust":"#)
        {
            for trust in FrameTrust.allCases where takes(trust.asWritten) {
                return Frame(address: address, image: image, offset: offset, trust: trust)
            }
        }
        position = start
        return nil
    }

    private mutating func takes(_ text: StaticString) -> Bool {
        guard isNext(text) else { return false }
        position += text.utf8CodeUnitCount
        return true
    }
}

extension FrameTrust {
    /// As the last member of a frame.
    fileprivate var asWritten: StaticString {
        switch self {
        case .context: #""context"}"#
        case .cfi: #""cfi"}"#
        case .fp: #""fp"}"#
        case .await: #""await"}"#
        }
    }
}
