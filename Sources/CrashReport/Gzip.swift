internal import CZlib

/// gzip (RFC 1952) in memory, by zlib.
public enum Gzip {
    /// The bytes as one gzip member.
    ///
    /// - Parameter level: 1 (fast) to 9 (small).
    public static func compress(_ bytes: [UInt8], level: Int = 6) -> [UInt8] {
        var stream = z_stream()
        // 15 + 16: the largest window, in a gzip wrapper.
        let status = deflateInit2_(
            &stream,
            Int32(min(max(level, 1), 9)),
            Z_DEFLATED,
            31,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        precondition(status == Z_OK, "zlib has no memory to compress with")
        defer { deflateEnd(&stream) }
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(deflateBoundFor(bytes.count), 64 << 10))
        bytes.withUnsafeBufferPointer { input in
            // zlib counts in 32 bits, so a large input goes in by pieces.
            var given = 0
            var flush = Z_NO_FLUSH
            repeat {
                let piece = min(bytes.count - given, 1 << 30)
                stream.next_in = input.baseAddress.map { UnsafeMutablePointer(mutating: $0 + given) }
                stream.avail_in = UInt32(piece)
                given += piece
                flush = given == bytes.count ? Z_FINISH : Z_NO_FLUSH
                repeat {
                    chunk.withUnsafeMutableBufferPointer {
                        stream.next_out = $0.baseAddress
                        stream.avail_out = UInt32($0.count)
                        _ = deflate(&stream, flush)
                        output.append(contentsOf: $0[..<($0.count - Int(stream.avail_out))])
                    }
                } while stream.avail_out == 0
            } while flush != Z_FINISH
        }
        return output
    }

    /// What gzip bytes expand to, and whether they were cut short.
    public struct Expanded: Sendable, Equatable {
        /// All that could be expanded.
        public let bytes: [UInt8]
        /// True when the input ended within a member.
        public let isCutShort: Bool

        /// A result of an expansion.
        public init(bytes: [UInt8], isCutShort: Bool) {
            self.bytes = bytes
            self.isCutShort = isCutShort
        }
    }

    /// Expands gzip bytes, concatenated members too, to at most `limit` bytes.
    public static func expand(_ bytes: [UInt8], limit: Int) throws(GzipError) -> Expanded {
        var result: [UInt8] = []
        var expander = GzipExpander(limit: limit)
        try bytes.withUnsafeBufferPointer { input throws(GzipError) in
            var input = UnsafeBufferPointer(rebasing: input[...])
            while let piece = try expander.next(from: &input) { result.append(contentsOf: piece) }
        }
        return Expanded(bytes: result, isCutShort: expander.isCutShort)
    }

    private static func deflateBoundFor(_ count: Int) -> Int { count + count >> 3 + 64 }
}

/// Why bytes could not be expanded.
public enum GzipError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The first bytes are not those of a gzip file.
    case notGzip
    /// The data contradict themselves after that many expanded bytes.
    case damaged(after: Int)
    /// They expand to more than the limit.
    case tooLarge(limit: Int)

    /// What is wrong.
    public var description: String {
        switch self {
        case .notGzip: "not gzip data"
        case .damaged(let count): "the gzip data are damaged after \(count) expanded bytes"
        case .tooLarge(let limit): "the gzip data expand to more than \(limit) bytes"
        }
    }
}
