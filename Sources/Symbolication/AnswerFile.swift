internal import CZlib
import Glibc

/// Answers of one build on the disk, so that the next process that is asked for it need not read its debug files.
///
/// Lines that say who wrote it and from how much, then batches, each with its length and checksum in front. Batches are added by
/// one write each, so that several processes may write and be killed: a batch that is not whole ends what is read, and the
/// next that writes puts a new file in its place. Nothing is lost by that but time; so nothing is synced either.
struct AnswerFile {
    let path: String
    /// What wrote the file: another program may answer otherwise, and its file is not read.
    let writer: String

    /// Bytes of a file: the answers of some tens of thousands of addresses.
    static let maximumSize = 16 << 20
    /// Bytes of all files together, beyond which those that were not written to for longest go.
    static let maximumTotal = 512 << 20

    /// What a file holds.
    struct Content {
        var answers: [UInt64: DebugModule.Answer]
        /// What the debug files had that it was made from.
        var source: DebugFileFacts.Content
        /// False when something in it is damaged, so that nothing can be added.
        var isWhole: Bool
    }

    /// What is there; nil when there is nothing, or nothing of this writer.
    func read() -> Content? {
        guard let bytes = Self.contents(of: path) else { return nil }
        return bytes.withUnsafeBytes { bytes -> Content? in
            for source in DebugFileFacts.Content.allCases {
                let header = header(source)
                guard bytes.starts(with: header) else { continue }
                var content = Content(answers: [:], source: source, isWhole: true)
                content.isWhole = Self.readBatches(
                    UnsafeRawBufferPointer(rebasing: bytes[header.count...]),
                    into: &content.answers
                )
                return content
            }
            return nil
        }
    }

    /// Adds answers to a whole file of the same source; false when there is no room in it, it cannot be written, or another program
    /// put its own in its place.
    func append(_ answers: [(key: UInt64, answer: DebugModule.Answer)], source: DebugFileFacts.Content) -> Bool {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let (header, batch) = (header(source), Self.batch(answers))
        var start = [UInt8](repeating: 0, count: header.count)
        guard pread(descriptor, &start, start.count, 0) == start.count, start == header else { return false }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, Int(facts.st_size) + batch.count <= Self.maximumSize else { return false }
        return write(descriptor, batch, batch.count) == batch.count
    }

    /// Puts a new file in the place of what is there.
    func replace(_ answers: [(key: UInt64, answer: DebugModule.Answer)], source: DebugFileFacts.Content) {
        let bytes = header(source) + Self.batch(answers)
        guard bytes.count <= Self.maximumSize, let slash = path.lastIndex(of: "/") else { return }
        let directory = String(path[..<slash])
        // In the directory of a symbol store, which is made when it is first needed; what that is in must be there.
        if let parent = directory.lastIndex(of: "/") { mkdir(String(directory[..<parent]), 0o700) }
        if mkdir(directory, 0o700) != 0 { Self.trim(directory) }
        let temporary = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let isWritten = write(descriptor, bytes, bytes.count) == bytes.count
        close(descriptor)
        if !isWritten || rename(temporary, path) != 0 { unlink(temporary) }
    }

    private func header(_ source: DebugFileFacts.Content) -> [UInt8] {
        Array("mayday answers 1\n\(writer)\n\(source.rawValue)\n".utf8)
    }

    // MARK: Batches

    private static func batch(_ answers: [(key: UInt64, answer: DebugModule.Answer)]) -> [UInt8] {
        let payload = AnswerBatch.encode(answers)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + 8)
        bytes.append(UInt32(payload.count))
        bytes.append(payload.withUnsafeBytes(checksum))
        return bytes + payload
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(
            truncatingIfNeeded: crc32(0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(bytes.count))
        )
    }

    /// Reads batches up to the first that is not whole; false when there is one.
    private static func readBatches(
        _ bytes: UnsafeRawBufferPointer,
        into answers: inout [UInt64: DebugModule.Answer]
    ) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            guard rest.count >= 8 else { return false }
            let length = Int(UInt32(littleEndian: rest.loadUnaligned(as: UInt32.self)))
            let sum = UInt32(littleEndian: rest.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
            guard rest.count - 8 >= length else { return false }
            let payload = UnsafeRawBufferPointer(rebasing: rest[8..<8 + length])
            guard checksum(payload) == sum, AnswerBatch.decode(payload, into: &answers) else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[(8 + length)...])
        }
        return true
    }

    // MARK: Files

    private static func contents(of path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size <= maximumSize else {
            return nil
        }
        return [UInt8](unsafeUninitializedCapacity: Int(facts.st_size)) { buffer, count in
            while count < buffer.count {
                let got = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { return }
                count += got
            }
        }
    }

    /// Removes the files that were not written to for longest, until the others have room for one more.
    private static func trim(_ directory: String) {
        guard let stream = opendir(directory) else { return }
        defer { closedir(stream) }
        var files: [(path: String, time: Int, size: Int)] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            var facts = stat()
            guard lstat("\(directory)/\(name)", &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { continue }
            files.append(("\(directory)/\(name)", facts.st_mtim.tv_sec, Int(facts.st_size)))
        }
        var total = files.reduce(0) { $0 + $1.size } + maximumSize
        for file in files.sorted(by: { ($0.time, $0.path) < ($1.time, $1.path) }) where total > maximumTotal {
            unlink(file.path)
            total -= file.size
        }
    }
}
