internal import CrashReport

/// What the name of a file in a directory says about it.
enum ImportedName: Equatable {
    /// `ID.jsonl.gz`: a report, as in a service's spool.
    case report
    /// A log, perhaps of yesterday and packed (`app.log`, `app.log.1`, `app.log-20261130.gz`), or what Swift's backtracer wrote.
    case log
    /// That, packed by what is not read here; what to do.
    case packed(String)
    /// Something else; in a line.
    case other(String)

    private static let unpackers = ["xz": "xzcat", "zst": "zstdcat", "bz2": "bzcat", "lz4": "lz4cat"]

    init(_ name: String) {
        if name.hasSuffix(".jsonl.gz") {
            self = .report
        } else if name.hasSuffix(".jsonl.gz.part") {
            self = .other("a report that is not finished: the next start of its service does that")
        } else if let match = name.wholeMatch(
            of: /(?s).*\.(?:log|json)(?:[.-][0-9][0-9TZ:._-]*)?(?:\.(gz|xz|zst|bz2|lz4))?/
        ) {
            let ending = match.1.map(String.init) ?? "gz"
            self = Self.unpackers[ending].map { .packed(Self.hint(unpacker: $0)) } ?? .log
        } else {
            self = .other("not named as a report or a log is: name the file itself to have it read")
        }
    }

    private static func hint(unpacker: String) -> String {
        "packed by something else than gzip: `\(unpacker) FILE | mayday import -`"
    }

    /// What to do with what begins as the packers do that are not read here; nil for anything else.
    static func hint(packed bytes: [UInt8]) -> String? {
        let beginnings: [(bytes: [UInt8], unpacker: String)] = [
            ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], "xzcat"), ([0x28, 0xb5, 0x2f, 0xfd], "zstdcat"),
            ([0x04, 0x22, 0x4d, 0x18], "lz4cat"),
        ]
        let isBzip =
            bytes.starts(with: [0x42, 0x5a, 0x68]) && bytes.dropFirst(4).starts(with: [0x31, 0x41, 0x59, 0x26])
        if isBzip { return hint(unpacker: "bzcat") }
        return beginnings.first { bytes.starts(with: $0.bytes) }.map { hint(unpacker: $0.unpacker) }
    }

    /// True when the first line of what is packed is that of a report.
    static func isReport(gzip: [UInt8]) -> Bool {
        var line: [UInt8] = []
        var expander = GzipExpander(limit: .max)
        gzip.withUnsafeBufferPointer { bytes in
            var input = bytes
            while line.count < 1 << 16, !line.contains(UInt8(ascii: "\n")),
                let piece = (try? expander.next(from: &input)) ?? nil
            {
                line += piece
            }
        }
        let text = String(decoding: line.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return text.hasPrefix("{") && text.contains(/"type" ?: ?"report"/)
    }
}
