/// What the collector and the process that reads debug files say to each other over pipes: the length of the payload in four
/// bytes, lowest first, a letter for what it is, and the payload.
enum WorkerMessage: Equatable {
    /// Builds whose files are not to be opened, and why, as JSON; for all reports until the next.
    case leftOut([UInt8])
    /// A report to digest, gzip.
    case report([UInt8])
    /// A report that has its functions, to group once more, gzip.
    case group([UInt8])
    /// What came of a report, as `DigestOutcome.message`.
    case digested([UInt8])
    /// Path of a file to say the facts of.
    case inspect([UInt8])
    /// What a file says of itself, as JSON; nothing when it is no ELF file.
    case inspected([UInt8])
    /// Why a report could not be digested.
    case failed([UInt8])

    /// Larger ones are a mistake, or an attack.
    static let maximumLength = 512 << 20
    static let headerLength = 5

    private var letter: Unicode.Scalar {
        switch self {
        case .leftOut: "L"
        case .report: "R"
        case .group: "G"
        case .digested: "D"
        case .inspect: "I"
        case .inspected: "N"
        case .failed: "E"
        }
    }

    private var payload: [UInt8] {
        switch self {
        case .leftOut(let payload), .report(let payload), .group(let payload), .digested(let payload),
            .inspect(let payload), .inspected(let payload), .failed(let payload):
            payload
        }
    }

    var bytes: [UInt8] {
        let length = UInt32(payload.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + [UInt8(ascii: letter)] + payload
    }

    /// How long the payload is that a header announces; nil for what no message begins with.
    static func length(_ header: [UInt8]) -> Int? {
        guard header.count == headerLength, "LRGDINE".utf8.contains(header[4]) else { return nil }
        let length = (0..<4).reduce(0) { $0 | Int(header[$1]) << (8 * $1) }
        return length <= maximumLength ? length : nil
    }

    init?(header: [UInt8], payload: [UInt8]) {
        switch header.last.map(Unicode.Scalar.init) {
        case "L": self = .leftOut(payload)
        case "R": self = .report(payload)
        case "G": self = .group(payload)
        case "D": self = .digested(payload)
        case "I": self = .inspect(payload)
        case "N": self = .inspected(payload)
        case "E": self = .failed(payload)
        default: return nil
        }
    }
}
