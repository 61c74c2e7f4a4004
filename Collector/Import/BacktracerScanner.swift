public import CrashReport
internal import Foundation

/// Finds what Swift's backtracer wrote as JSON, alone or among the lines of a log, pretty-printed or not.
///
/// It begins with `{ "timestamp": "…", "kind": "crashReport"`, which nothing inside of it can look like: quotes within texts are escaped.
public struct BacktracerScanner: Sendable {
    /// What was found.
    public enum Finding: Sendable, Equatable {
        /// The text of one object, and the text of the log that stood before it.
        case whole([UInt8], before: [UInt8])
        /// One that does not end, for the reason said.
        case cut(String)

        /// A report of it.
        public func report(_ naming: ReportNaming = ReportNaming()) throws(BacktracerLogError) -> Report {
            switch self {
            case .whole(let text, let before): try Report(backtracer: text, before: before, naming: naming)
            case .cut(let problem): throw BacktracerLogError(problem: problem)
            }
        }
    }

    /// The largest that is read.
    public static let maximumBytes = 64 << 20
    /// The longest beginning.
    private static let reach = 256
    /// How much of the log before is kept, for the message.
    static let maximumBefore = 4096

    private var rest: [UInt8] = []
    /// Where in `rest` to go on.
    private var at = 0
    private var open: Open?
    /// The text before the open object.
    private var before: [UInt8] = []

    /// An object that was begun.
    private struct Open: Sendable {
        var start: Int
        var depth = 0
        var isInString = false
        var isEscaped = false
    }

    /// A scanner at the start of a text.
    public init() {}

    /// Reads on. Returns what is whole now, and what turned out not to be.
    public mutating func feed(_ bytes: some Collection<UInt8>) -> [Finding] { scan(bytes, isLast: false) }

    /// Ends the text.
    public mutating func finish() -> [Finding] {
        var found = scan([], isLast: true)
        if open != nil { found.append(.cut("the text ends before it does")) }
        self = BacktracerScanner()
        return found
    }

    private mutating func scan(_ bytes: some Collection<UInt8>, isLast: Bool) -> [Finding] {
        rest += bytes
        var found: [Finding] = []
        let end = isLast ? rest.count : rest.count - Self.reach
        while at < end {
            // Most of a log is something else.
            if open == nil, rest[at] != UInt8(ascii: "{") {
                at = nextBrace(at..<end) ?? end
                continue
            }
            step(&found)
            at += 1
        }
        let kept = open?.start ?? max(0, at - Self.maximumBefore)
        rest.removeFirst(kept)
        at -= kept
        open?.start -= kept
        return found
    }

    private func nextBrace(_ range: Range<Int>) -> Int? {
        rest.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress,
                let found = memchr(base + range.lowerBound, Int32(UInt8(ascii: "{")), range.count)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// Looks at one byte.
    private mutating func step(_ found: inout [Finding]) {
        let byte = rest[at]
        if byte == UInt8(ascii: "{"), isBeginning(at: at) {
            if open != nil { found.append(.cut("another one begins before it ends")) }
            open = Open(start: at)
            before = Array(rest[max(0, at - Self.maximumBefore)..<at])
        }
        guard var current = open else { return }
        if current.isInString {
            if current.isEscaped {
                current.isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                current.isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                current.isInString = false
            } else if byte < 0x20 {
                open = nil
                return found.append(.cut("a line ends within a text of it"))
            }
        } else if byte == UInt8(ascii: "\"") {
            current.isInString = true
        } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
            current.depth += 1
        } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
            current.depth -= 1
            if current.depth == 0 {
                open = nil
                return found.append(.whole(Array(rest[current.start...at]), before: before))
            }
        }
        open = current
        if at - current.start >= Self.maximumBytes {
            open = nil
            found.append(.cut("it is longer than \(Self.maximumBytes) bytes"))
        }
    }

    /// True for `{ "timestamp": "…", "kind": "crashReport"`, with any white space.
    private func isBeginning(at start: Int) -> Bool {
        rest.withUnsafeBufferPointer { bytes in
            var at = start + 1
            let end = min(bytes.count, start + Self.reach)
            func skipSpace() {
                while at < end, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[at]) { at += 1 }
            }
            func take(_ word: StaticString) -> Bool {
                skipSpace()
                let length = word.utf8CodeUnitCount
                guard end - at >= length else { return false }
                guard word.withUTF8Buffer({ bytes[at..<at + length].elementsEqual($0) }) else { return false }
                at += length
                return true
            }
            guard take("\"timestamp\""), take(":"), take("\"") else { return false }
            while at < end, bytes[at] != UInt8(ascii: "\""), bytes[at] != UInt8(ascii: "\\") { at += 1 }
            return take("\"") && take(",") && take("\"kind\"") && take(":") && take("\"crashReport\"")
        }
    }
}
