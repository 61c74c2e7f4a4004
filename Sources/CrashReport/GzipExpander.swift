internal import CZlib

/// Expands gzip data piece by piece, with a bound on what they expand to.
///
/// Members that follow one another are one text, as `zcat` has it. Memory is one chunk and zlib's window, whatever the input.
public struct GzipExpander: ~Copyable {
    /// zlib keeps a pointer back to its stream, so the stream must stay where it is.
    private let stream: UnsafeMutablePointer<z_stream>
    private let chunk: UnsafeMutableBufferPointer<UInt8>
    private let limit: Int
    private var expanded = 0
    private var isInMember = true

    /// An expander at the start of the data.
    ///
    /// - Parameter limit: bytes that all of the data may expand to.
    public init(limit: Int) {
        self.limit = limit
        chunk = .allocate(capacity: 64 << 10)
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 + 16: any window, in a gzip wrapper only.
        let status = inflateInit2_(stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "zlib has no memory to expand with")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        chunk.deallocate()
    }

    /// True when the data so far end within a member: more of them must come, or they were cut short.
    public var isCutShort: Bool { isInMember }

    /// Expands some of `input`, and takes what was used off its front.
    ///
    /// - Returns: the expanded bytes, which are valid until the next call and may be none;
    ///   nil once `input` is used up and everything in it was handed over.
    public mutating func next(
        from input: inout UnsafeBufferPointer<UInt8>
    ) throws(GzipError) -> UnsafeBufferPointer<UInt8>? {
        if !isInMember {
            guard !input.isEmpty else { return nil }
            inflateReset(stream)
            isInMember = true
        }
        // zlib counts in 32 bits, so a large input goes in by pieces.
        let offered = min(input.count, 1 << 30)
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = UInt32(offered)
        stream.pointee.next_out = chunk.baseAddress
        stream.pointee.avail_out = UInt32(chunk.count)
        let status = inflate(stream, Z_NO_FLUSH)
        let used = offered - Int(stream.pointee.avail_in)
        input = UnsafeBufferPointer(rebasing: input[used...])
        let made = chunk.count - Int(stream.pointee.avail_out)
        guard expanded + made <= limit else { throw .tooLarge(limit: limit) }
        expanded += made
        switch status {
        case Z_OK: break
        case Z_STREAM_END: isInMember = false
        // No progress: everything was handed over, and the member goes on.
        case Z_BUF_ERROR: return nil
        default: throw expanded == 0 && stream.pointee.total_in < 10 ? .notGzip : .damaged(after: expanded)
        }
        return UnsafeBufferPointer(rebasing: chunk[..<made])
    }
}
