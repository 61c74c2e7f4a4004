internal import CZlib

/// A report that a dying process wrote into its log, put together from its lines.
public struct LoggedReport: Sendable, Equatable {
    /// Its id, as its lines say it.
    public var id: String
    /// What could be put together.
    public var content: Content

    /// What was found of a report.
    public init(id: String, content: Content) {
        self.id = id
        self.content = content
    }

    /// How much of it the log holds.
    public enum Content: Sendable, Equatable {
        /// All of it, with the checksum that the writer gave.
        case whole([UInt8])
        /// Its beginning; the rest is missing, for the reason said.
        case cut([UInt8], String)
        /// Nothing that can be used, for the reason said.
        case damaged(String)
    }
}

/// The lines of one report, as they are found.
struct LogBlock: Sendable {
    /// What the first and the last line say of the whole.
    struct Frame: Sendable, Equatable {
        var lines: Int
        var bytes: Int
        var checksum: UInt32
    }

    /// Bytes in each line but the last.
    static let lineBytes = 384
    /// The writer stops at 128 KiB; others may not.
    static let maximumLines = 1_024

    var frame: Frame?
    /// The last line was there.
    var isEnded = false
    private(set) var lines: [Int: [UInt8]] = [:]

    /// Keeps a line. One that is there twice is kept once: logs repeat themselves.
    mutating func add(_ number: Int, _ letters: ArraySlice<UInt8>) {
        guard (1...Self.maximumLines).contains(number), lines[number] == nil else { return }
        lines[number] = decodeBase64(letters.prefix(Self.lineBytes / 3 * 4))
    }

    /// True when no line is to come.
    var isWhole: Bool { isEnded && frame.map { lines.count >= $0.lines } ?? false }

    func content() -> LoggedReport.Content {
        let expected = frame?.lines ?? lines.keys.max() ?? 0
        var bytes: [UInt8] = []
        for number in stride(from: 1, through: expected, by: 1) {
            let length = number < expected ? Self.lineBytes : frame.map { $0.bytes - (expected - 1) * Self.lineBytes }
            guard let line = lines[number], line.count >= length ?? 1 else {
                let reason = "line \(number) of \(frame == nil ? "an unknown number" : "\(expected)") is missing or cut"
                return bytes.isEmpty ? .damaged(reason) : .cut(bytes, reason)
            }
            bytes += line.prefix(length ?? line.count)
        }
        guard let frame else {
            let reason = "its first and its last line are missing"
            return bytes.isEmpty ? .damaged(reason) : .cut(bytes, reason)
        }
        let checksum = bytes.withUnsafeBufferPointer {
            UInt32(truncatingIfNeeded: crc32(0, $0.baseAddress, UInt32($0.count)))
        }
        guard checksum == frame.checksum else { return .damaged("its checksum is wrong: a line was changed") }
        return .whole(bytes)
    }
}

/// RFC 4648, section 5, without padding: the letters up to the first that is none.
func decodeBase64(_ letters: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(letters.count / 4 * 3 + 3)
    var word: UInt32 = 0
    var bits = 0
    for letter in letters {
        let value: UInt8
        switch letter {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = letter - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): value = letter - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): value = letter - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): value = 62
        case UInt8(ascii: "_"): value = 63
        default: return bytes
        }
        word = word << 6 | UInt32(value)
        bits += 6
        if bits >= 8 {
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
        }
    }
    return bytes
}
