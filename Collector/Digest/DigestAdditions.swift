public import CrashReport
public import Store

/// What a digestion adds to a report: the functions and the origin of each frame, and the message that only debug information has.
///
/// The store keeps these apart from the report, and they are put together when somebody reads it: to write each report once more, with
/// functions, took a third of its digestion. Their form is gzip of JSON Lines, a line and a member for each stack in the order of
/// `Report.changeStacks`: `{"type":"stack","frames":[{"origin":"service","symbols":[…]}, …]}`, and one for the message.
enum DigestAdditions {
    /// What `digested` has and `original`, the report that it was made from, has not.
    ///
    /// - Parameter written: stacks that were met before.
    static func encode(_ digested: Report, of original: Report, written: StackLines) -> [UInt8] {
        var bytes: [UInt8] = []
        var report = digested
        report.changeStacks { bytes += written.line($0) }
        if let crash = digested.crash, crash.message != original.crash?.message {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("type", "message")
            writer.field("text", crash.message)
            writer.field("source", crash.messageSource)
            writer.endObject()
            writer.endLine()
            bytes += Gzip.compress(writer.bytes, level: 1)
        }
        return bytes
    }

    /// Adds to a report what was found in it.
    static func add(_ additions: [UInt8], to report: inout Report) throws(ReportDecodingError) {
        let limits = ReportLimits.symbolicated
        let text: [UInt8]
        do throws(GzipError) {
            text = additions.isEmpty ? [] : try Gzip.expand(additions, limit: limits.expandedBytes).bytes
        } catch {
            throw .gzip(error)
        }
        var lines = text.split(separator: UInt8(ascii: "\n"))[...]
        var number = 0
        var symbolsLeft = limits.symbols
        try report.changeStacks { frames throws(ReportDecodingError) in
            number += 1
            var found: [FoundFunctions] = []
            if let line = lines.popFirst() {
                try read(line, number) { key, reader throws(JSONError) in
                    guard "frames" ~= key else { return try reader.skip() }
                    try reader.elements { _, reader throws(JSONError) in
                        found.append(try FoundFunctions(from: &reader, symbolsLeft: &symbolsLeft))
                    }
                }
            }
            guard found.count == frames.count, symbolsLeft >= 0 else {
                throw ReportDecodingError(
                    kind: .malformed,
                    line: number,
                    problem: "what was found of the stacks is not of this report",
                    remedy: "restore the store from a backup"
                )
            }
            for (index, functions) in found.enumerated() { functions.put(into: &frames[index]) }
        }
        guard let line = lines.popFirst() else { return }
        try read(line, number + 1) { key, reader throws(JSONError) in
            switch key {
            case "text": report.crash?.message = try reader.string()
            case "source": report.crash?.messageSource = try reader.string()
            default: try reader.skip()
            }
        }
    }

    private static func read(
        _ line: ArraySlice<UInt8>,
        _ number: Int,
        _ body: (JSONKey, inout JSONReader) throws(JSONError) -> Void
    ) throws(ReportDecodingError) {
        do throws(JSONError) {
            try line.withUnsafeBufferPointer { bytes throws(JSONError) in
                var reader = try JSONReader(bytes)
                try reader.members(body)
                try reader.end()
            }
        } catch {
            throw .malformed(error, line: number, type: nil)
        }
    }
}

/// What was found of one frame.
private struct FoundFunctions: Hashable {
    let origin: FrameOrigin?
    let symbols: [FrameSymbol]

    init(_ frame: Frame) { (origin, symbols) = (frame.origin, frame.symbols) }

    init(from reader: inout JSONReader, symbolsLeft: inout Int) throws(JSONError) {
        var origin: FrameOrigin?
        var symbols: [FrameSymbol] = []
        var left = symbolsLeft
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "origin": origin = FrameOrigin(rawValue: try reader.string())
            case "symbols":
                try reader.elements { _, reader throws(JSONError) in
                    let symbol = try FrameSymbol(from: &reader)
                    left -= 1
                    if left >= 0 { symbols.append(symbol) }
                }
            default: try reader.skip()
            }
        }
        (self.origin, self.symbols, symbolsLeft) = (origin, symbols, left)
    }

    func put(into frame: inout Frame) { (frame.origin, frame.symbols) = (origin, symbols) }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("origin", origin?.rawValue)
        if !symbols.isEmpty {
            writer.key("symbols")
            writer.beginArray()
            for symbol in symbols {
                writer.beginObject()
                symbol.write(to: &writer)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
    }

    /// By what is cheap to look at: the symbols of an address are kept, so that to compare them compares where they lie.
    func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        hasher.combine(symbols.count)
        hasher.combine(symbols.first?.line)
        hasher.combine(symbols.first?.function.utf8.count)
        hasher.combine(symbols.last?.function.utf8.count)
    }
}

/// Lines of stacks as they were written before: most threads of a service wait where they waited when it crashed last, and a flood is of one
/// crash. To compress what is known anew would be most of the time that a report takes.
///
/// Not thread-safe.
final class StackLines {
    private var known: [[FoundFunctions]: [UInt8]] = [:]
    private var bytes = 0

    private static let maximumBytes = 16 << 20
    private static let maximumLines = 16_384

    /// The line of a stack, as a member of gzip.
    func line(_ frames: [Frame]) -> [UInt8] {
        let key = frames.map(FoundFunctions.init)
        if let line = known[key] { return line }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("type", "stack")
        writer.key("frames")
        writer.beginArray()
        for functions in key { functions.write(to: &writer) }
        writer.endArray()
        writer.endObject()
        writer.endLine()
        let line = Gzip.compress(writer.bytes, level: 1)
        if bytes + line.count > Self.maximumBytes || known.count >= Self.maximumLines {
            known.removeAll(keepingCapacity: true)
            bytes = 0
        }
        known[key] = line
        bytes += line.count
        return line
    }
}

extension Report {
    /// Hands over every list of frames: of each thread its stack, and behind it the frames of its conflict of accesses.
    fileprivate mutating func changeStacks<Failure>(
        _ change: (inout [Frame]) throws(Failure) -> Void
    ) throws(Failure) {
        for thread in threads.indices {
            try change(&threads[thread].frames)
            guard var conflict = threads[thread].accessConflict else { continue }
            for access in [\AccessConflict.previous, \AccessConflict.current] {
                guard let frame = conflict[keyPath: access].frame else { continue }
                var frames = [frame]
                try change(&frames)
                conflict[keyPath: access].frame = frames.first
            }
            threads[thread].accessConflict = conflict
        }
    }
}

extension ReportBody {
    /// The report, with its functions when it was digested.
    public func open() throws(ReportDecodingError) -> DecodedReport {
        guard let digested else { return try Report.decode(gzip: received) }
        if let whole = try Self.whole(digested) { return whole }
        var report = try Report.decode(gzip: received).report
        try DigestAdditions.add(digested, to: &report)
        // What the reading has to say was said to the digestion, and is in its remarks.
        return DecodedReport(report: report, isComplete: report.end != nil)
    }

    /// A report that was digested when they were still written whole, once more.
    private static func whole(_ digested: [UInt8]) throws(ReportDecodingError) -> DecodedReport? {
        do throws(ReportDecodingError) {
            return try Report.decode(gzip: digested, limits: .symbolicated)
        } catch {
            if error.kind == .noReport { return nil }
            throw error
        }
    }
}
