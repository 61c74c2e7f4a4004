internal import CrashReport
internal import Foundation

/// Why a file ended before its time.
enum PieceFailure: Error, Equatable {
    /// The system's reason: it cannot be read.
    case unreadable(String)
    /// What was read is no good any more.
    case damaged(String)
}

/// The bytes of an open file, piece by piece; of gzip, what they expand to.
///
/// Of a file that others write to meanwhile, it has what was there at the beginning.
struct FilePieces: ~Copyable {
    private let descriptor: Int32
    /// Bytes that are still to be read; nil for all there are.
    private var left: Int?
    private var expander: GzipExpander?
    /// Read, and not expanded yet.
    private var packed: [UInt8] = []
    private var used = 0
    private var expanded = 0
    /// Bytes that were read, as they are in the file.
    private(set) var bytesRead = 0

    private static let size = 1 << 16
    /// What expands to more than that is given up when it is this many times as much as was read.
    static let bomb = (bytes: 64 << 20, ratio: 200)

    /// The pieces from where the descriptor stands.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var facts = stat()
        // What says that it is empty may be a file of the kernel.
        if fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size > 0 {
            left = Int(facts.st_size)
        }
    }

    /// Has further pieces expanded, from `beginning` on.
    mutating func expand(from beginning: [UInt8]) {
        packed = beginning
        expander = GzipExpander(limit: .max)
    }

    /// The next ones; empty at the end.
    mutating func next() throws(PieceFailure) -> [UInt8] {
        guard expander != nil else { return try read() }
        while true {
            if let piece = try expand() {
                if !piece.isEmpty { return piece }
                continue
            }
            (packed, used) = (try read(), 0)
            guard packed.isEmpty else { continue }
            if expander?.isCutShort ?? false {
                throw .damaged("its gzip data end in the middle, after \(expanded) expanded bytes")
            }
            return []
        }
    }

    /// Nil when more has to be read.
    private mutating func expand() throws(PieceFailure) -> [UInt8]? {
        var piece: [UInt8]?
        var (position, failure) = (used, GzipError?.none)
        packed.withUnsafeBufferPointer { bytes in
            var input = UnsafeBufferPointer(rebasing: bytes[position...])
            do throws(GzipError) { piece = try expander?.next(from: &input).map { Array($0) } } catch {
                failure = error
            }
            position = bytes.count - input.count
        }
        used = position
        if let failure { throw .damaged("\(failure)") }
        expanded += piece?.count ?? 0
        if expanded > Self.bomb.bytes, expanded / Self.bomb.ratio > bytesRead {
            throw .damaged(
                "it expands to more than \(Self.bomb.ratio) times its size, and the rest was left: if that is as it should be, "
                    + "`zcat FILE | mayday import -`"
            )
        }
        return piece
    }

    private mutating func read() throws(PieceFailure) -> [UInt8] {
        let wanted = min(Self.size, left ?? Self.size)
        guard wanted > 0 else { return [] }
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
                count = Foundation.read(descriptor, buffer.baseAddress, wanted)
                filled = max(0, count)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw .unreadable("cannot be read: \(String(cString: strerror(errno)))")
            }
            if let left { self.left = left - count }
            bytesRead += count
            return bytes
        }
    }
}
