internal import CrashReport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Why a directory cannot be the spool.
struct SpoolError: Error, Sendable, Equatable, CustomStringConvertible {
    enum Problem: Sendable, Equatable {
        case symbolicLink
        case notADirectory
        case foreign(owner: UInt32, user: UInt32)
        case writableByOthers(mode: UInt32)
        case cannot(String, SystemError)
    }

    var path: String
    var problem: Problem

    var description: String {
        let path = path.madeVisible(limit: 300)
        return switch problem {
        case .symbolicLink: "\(path) is a symbolic link"
        case .notADirectory: "\(path) is not a directory"
        case .foreign(let owner, let user): "\(path) belongs to user \(owner), not to user \(user)"
        case .writableByOthers(let mode):
            "\(path) is writable by others (mode 0\(String(mode, radix: 8)))"
        case .cannot(let doing, let error): "cannot \(doing) \(path): \(error)"
        }
    }
}

/// Opening the directories of the spool, which hold private data and are named by an environment that may be shared:
/// each is a real directory of this user that nobody else can write to, or it is refused.
enum SpoolDirectory {
    /// Creates what is missing, with mode 0700, and opens the directory of one service.
    static func create(_ candidate: SpoolCandidate, service: String) throws(SpoolError) -> Spool {
        if let existing = candidate.existing, access(existing, F_OK) != 0 {
            throw SpoolError(path: existing, problem: .cannot("find", .last))
        }
        try makeParents(of: candidate.path)
        try make(candidate.path)
        _ = try open(candidate.path)
        let path = "\(candidate.path)/\(fileName(for: service))"
        try make(path)
        let directory = try open(path)
        // Mode bits do not tell of a read-only file system, nor of other access control.
        guard faccessat(directory.number, ".", W_OK | X_OK, AT_EACCESS) == 0 else {
            throw SpoolError(path: path, problem: .cannot("write to", .last))
        }
        return Spool(directory: directory, path: path)
    }

    /// Opens an existing directory of the spool after checking whose it is.
    static func open(_ path: String) throws(SpoolError) -> FileDescriptor {
        let directory: FileDescriptor
        do {
            directory = try FileDescriptor(opening: path, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        } catch {
            throw SpoolError(path: path, problem: problem(of: error, at: path))
        }
        let status: stat
        do { status = try directory.status() } catch {
            throw SpoolError(path: path, problem: .cannot("examine", error))
        }
        guard status.st_uid == geteuid() else {
            throw SpoolError(path: path, problem: .foreign(owner: status.st_uid, user: geteuid()))
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw SpoolError(path: path, problem: .writableByOthers(mode: UInt32(status.st_mode & 0o7777)))
        }
        return directory
    }

    /// The file name for a service or an uploader: its name, with `%41` for whatever is not plain, so that no two
    /// share one and none is hidden, reserved or a way out.
    static func fileName(for text: String) -> String {
        var name = ""
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: ".") where index > 0: name += "."
            default:
                let hex = String(byte, radix: 16, uppercase: true)
                name += byte < 16 ? "%0\(hex)" : "%\(hex)"
            }
        }
        guard name.utf8.count > 200 else { return name }
        // The hash tells long names apart that begin alike; `~` stands in no other name.
        let hash = fnv1a(text)
        return "\(name.prefix(180))~\(String(hash, radix: 16))"
    }

    private static func makeParents(of path: String) throws(SpoolError) {
        let bytes = Array(path.utf8)
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "/") && index > 0 {
            let parent = String(decoding: bytes[..<index], as: UTF8.self)
            if access(parent, F_OK) != 0 { try make(parent) }
        }
    }

    private static func make(_ path: String) throws(SpoolError) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw SpoolError(path: path, problem: .cannot("create", .last))
    }

    /// `open` says ENOTDIR for a symbolic link and for a file alike.
    private static func problem(of error: SystemError, at path: String) -> SpoolError.Problem {
        guard error.code == ENOTDIR || error.code == ELOOP else { return .cannot("open", error) }
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return .notADirectory }
        return .symbolicLink
    }
}

/// The FNV-1a hash of a text, 64 bits.
func fnv1a(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
}
