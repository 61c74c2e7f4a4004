internal import CrashReport
import Foundation

/// An upload that grows. One that has a digest is found again by it after its connection broke; another goes with its connection.
final class UploadFile {
    let path: String
    private(set) var size: Int
    private var descriptor: Int32
    private let isKept: Bool
    /// True once it is not wanted any more, whatever happened.
    var isOver = false

    /// Why there is none.
    enum Failure: Error {
        /// So many bytes are there, and others were to be added.
        case elsewhere(Int)
        /// Another connection writes it.
        case busy
        /// With the system's reason.
        case unusable(String)
    }

    /// Days after which an upload is given up.
    private static let lifetime = 86_400

    /// Opens the upload of a build, to add bytes at an offset; at 0 it begins anew.
    init(_ directory: String, _ buildID: String, _ digest: FileDigest?, at offset: Int) throws(Failure) {
        if let slash = directory.lastIndex(of: "/") { mkdir(String(directory[..<slash]), 0o700) }
        mkdir(directory, 0o700)
        Self.removeOld(directory)
        isKept = digest != nil
        path = Self.path(directory, buildID, digest?.hex ?? "\(UInt64.random(in: 0 ... .max))")
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .unusable(String(cString: strerror(errno))) }
        size = 0
        // Also against other nodes that share the directory.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .busy
        }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw .unusable(reason)
        }
        // It may have been finished, and its name be gone, between the open and the lock.
        guard facts.st_nlink > 0 else {
            close(descriptor)
            throw .busy
        }
        size = Int(facts.st_size)
        if offset == 0 {
            ftruncate(descriptor, 0)
            size = 0
        }
        guard size == offset else {
            close(descriptor)
            throw .elsewhere(size)
        }
        lseek(descriptor, off_t(size), SEEK_SET)
    }

    deinit { end() }

    /// Lets go of it, so that the next connection may go on; nothing can be added afterwards.
    func end() {
        guard descriptor >= 0 else { return }
        // Unless it was moved away, and another upload has its name.
        var (own, there) = (stat(), stat())
        if isOver || !isKept, fstat(descriptor, &own) == 0, lstat(path, &there) == 0, own.st_ino == there.st_ino {
            unlink(path)
        }
        close(descriptor)
        descriptor = -1
    }

    /// Adds bytes; the system's reason when they cannot be written.
    func write(_ bytes: UnsafeRawBufferPointer) -> String? {
        var rest = bytes
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return String(cString: strerror(errno)) }
            size += count
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return nil
    }

    /// How many bytes of an upload are there.
    static func size(_ directory: String, _ buildID: String, _ digest: FileDigest) -> Int {
        var facts = stat()
        return lstat(path(directory, buildID, digest.hex), &facts) == 0 ? Int(facts.st_size) : 0
    }

    private static func path(_ directory: String, _ buildID: String, _ name: String) -> String {
        "\(directory)/\(buildID).\(name)"
    }

    private static func removeOld(_ directory: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            var facts = stat()
            guard lstat("\(directory)/\(name)", &facts) == 0, time(nil) - facts.st_mtim.tv_sec > lifetime else {
                continue
            }
            unlink("\(directory)/\(name)")
        }
    }
}

/// A debug file on its way in.
final class SymbolUpload: BodyReceiver {
    private let file: UploadFile
    private let part: ContentRange?
    private let digest: FileDigest?
    private let limit: Int
    private let answer: (String) -> HTTPAnswer
    private let release: () -> Void

    init(
        _ file: UploadFile,
        part: ContentRange?,
        digest: FileDigest?,
        limit: Int,
        finish: @escaping (String) -> HTTPAnswer,
        release: @escaping () -> Void
    ) {
        (self.file, self.part, self.digest, self.limit, answer, self.release) = (
            file, part, digest, limit, finish, release
        )
    }

    deinit { release() }

    func receive(_ piece: UnsafeRawBufferPointer) -> HTTPAnswer? {
        let end = part.map { $0.last + 1 } ?? limit
        guard file.size + piece.count <= end else {
            file.isOver = true
            return part == nil
                ? SymbolEndpoint.tooLarge(limit) : .error(400, "the body is longer than its Content-Range")
        }
        return file.write(piece).map { SymbolEndpoint.answer(.unusable($0)) }
    }

    func finish() -> HTTPAnswer {
        // Before the client has the answer, upon which it may go on.
        defer { file.end() }
        if let part {
            let headers = [(name: "Upload-Offset", value: "\(file.size)")]
            guard file.size == part.last + 1 else {
                return .error(400, "the body is shorter than its Content-Range", headers: headers)
            }
            guard file.size == part.total else {
                return .json(202, .object(["offset": .integer(Int64(file.size))]), headers: headers)
            }
        }
        if let digest, FileDigest(of: file.path) != digest {
            file.isOver = true
            return .error(400, "the bytes that arrived have another digest than Repr-Digest says: send it anew")
        }
        let answer = answer(file.path)
        // What could not be kept just now is not sent again.
        if answer.status < 500 { file.isOver = true }
        return answer
    }
}
