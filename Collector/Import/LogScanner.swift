internal import CrashReport
internal import Foundation

/// Finds reports in a log (`docs/report-format.md`, "In a log"), whatever stands before and behind on a line, and between
/// the lines: times, containers' JSON, the lines of other processes.
public struct LogScanner: Sendable {
    private static let marker = Array("mayday-report ".utf8)
    /// The longest line behind its marker.
    private static let reach = 36 + 1 + 8 + LogBlock.lineBytes / 3 * 4
    /// Reports of which lines are missing so far; above that the oldest is given up.
    private static let maximumOpen = 256

    private var rest: [UInt8] = []
    private var open: [(id: String, block: LogBlock)] = []
    /// Reports that were whole: lines of theirs that come again are no other report.
    private var whole: Set<String> = []

    /// A scanner at the start of a log.
    public init() {}

    /// Reads on. Returns the reports that are whole now.
    public mutating func feed(_ bytes: some Collection<UInt8>) -> [LoggedReport] { scan(bytes, isLast: false) }

    /// Ends the log. Returns the reports that are whole now, and what there is of others.
    public mutating func finish() -> [LoggedReport] {
        let found = scan([], isLast: true)
        defer { open = [] }
        return open.reduce(into: found) { close($1, &$0) }
    }

    private mutating func scan(_ bytes: some Collection<UInt8>, isLast: Bool) -> [LoggedReport] {
        rest += bytes
        var found: [LoggedReport] = []
        var at = 0
        while let start = nextMarker(from: at) {
            let record = start + Self.marker.count
            guard isLast || rest.count - record >= Self.reach else {
                at = start
                break
            }
            read(rest[record..<min(record + Self.reach, rest.count)], &found)
            at = record
        }
        // A marker may begin at the end of what was read.
        let kept = at < rest.count && nextMarker(from: at) == at ? at : max(at, rest.count - Self.marker.count + 1)
        rest.removeFirst(min(kept, rest.count))
        return found
    }

    private func nextMarker(from start: Int) -> Int? {
        rest.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var at = start
            while at + Self.marker.count <= bytes.count,
                let found = memchr(base + at, Int32(Self.marker[0]), bytes.count - at)
            {
                at = UnsafeRawPointer(found) - UnsafeRawPointer(base)
                guard at + Self.marker.count <= bytes.count else { return nil }
                if bytes[at..<at + Self.marker.count].elementsEqual(Self.marker) { return at }
                at += 1
            }
            return nil
        }
    }

    private mutating func read(_ record: ArraySlice<UInt8>, _ found: inout [LoggedReport]) {
        guard let id = String(validating: record.prefix(36), as: UTF8.self), ReportID.isValid(id) else { return }
        var words = Words(record.dropFirst(36))
        guard words.take(" ") else { return }
        let isEnd = words.take("end ")
        if isEnd || words.take("begin ") {
            guard words.take("lines="), let lines = words.number(), words.take(" bytes="), let bytes = words.number(),
                words.take(" crc32="), let checksum = words.number().flatMap(UInt32.init(exactly:)),
                (1...LogBlock.maximumLines).contains(lines),
                bytes > (lines - 1) * LogBlock.lineBytes, bytes <= lines * LogBlock.lineBytes
            else { return }
            let frame = LogBlock.Frame(lines: lines, bytes: bytes, checksum: checksum)
            change(id, &found) { block in
                block.frame = block.frame ?? frame
                block.isEnded = block.isEnded || isEnd
            }
        } else if let number = words.number(), words.take(" ") {
            change(id, &found) { $0.add(number, words.rest) }
        }
    }

    private mutating func change(_ id: String, _ found: inout [LoggedReport], _ body: (inout LogBlock) -> Void) {
        var index = open.lastIndex { $0.id == id }
        if index == nil {
            if open.count == Self.maximumOpen {
                close(open.removeFirst(), &found)
            }
            open.append((id, LogBlock()))
            index = open.count - 1
        }
        guard let index else { return }
        body(&open[index].block)
        if open[index].block.isWhole { close(open.remove(at: index), &found) }
    }

    private mutating func close(_ ended: (id: String, block: LogBlock), _ found: inout [LoggedReport]) {
        let report = LoggedReport(id: ended.id, content: ended.block.content())
        if case .whole = report.content {
            whole.insert(ended.id)
        } else if whole.contains(ended.id) {
            return
        }
        found.append(report)
    }
}

/// Takes a record apart.
private struct Words {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func take(_ word: StaticString) -> Bool {
        let isNext = word.withUTF8Buffer { rest.starts(with: $0) }
        if isNext { rest = rest.dropFirst(word.utf8CodeUnitCount) }
        return isNext
    }

    /// Up to 10 digits.
    mutating func number() -> Int? {
        let digits = rest.prefix(10).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest.dropFirst(digits.count)
        return digits.isEmpty ? nil : digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
