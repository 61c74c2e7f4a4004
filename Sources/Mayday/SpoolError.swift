internal import CrashCapture
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

    /// What to do about it.
    var remedy: String {
        if case .cannot(_, let error) = problem, ![EROFS, EACCES, EPERM].contains(error.code),
            let remedy = error.remedy
        {
            return remedy
        }
        return "set MAYDAY_SPOOL to a directory that does not exist yet, below one that this user may write to"
    }
}

extension SpoolError {
    /// What `mayday_spool_directory_open` or `_create` found; nil when there is no problem.
    init?(_ directory: MaydaySpoolDirectory) {
        let error = SystemError(code: directory.error)
        switch directory.problem {
        case MAYDAY_SPOOL_USABLE: return nil
        case MAYDAY_SPOOL_SYMBOLIC_LINK: problem = .symbolicLink
        case MAYDAY_SPOOL_NOT_A_DIRECTORY: problem = .notADirectory
        case MAYDAY_SPOOL_FOREIGN: problem = .foreign(owner: directory.owner, user: geteuid())
        case MAYDAY_SPOOL_WRITABLE_BY_OTHERS: problem = .writableByOthers(mode: directory.mode)
        case MAYDAY_SPOOL_CANNOT_FIND: problem = .cannot("find", error)
        case MAYDAY_SPOOL_CANNOT_CREATE: problem = .cannot("create", error)
        case MAYDAY_SPOOL_CANNOT_EXAMINE: problem = .cannot("examine", error)
        case MAYDAY_SPOOL_CANNOT_WRITE: problem = .cannot("write to", error)
        default: problem = .cannot("open", error)
        }
        path = directory.pathText
    }
}

extension MaydaySpoolDirectory {
    /// The path, with U+FFFD where it is not UTF-8.
    var pathText: String {
        withUnsafeBytes(of: path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

extension SpoolEntry {
    /// The file name for a service or an uploader: its name, with `%41` for whatever is not plain, so that no two
    /// share one and none is hidden, reserved or a way out.
    static func fileName(for text: String) -> String {
        withText(text) { text in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(MAYDAY_FILE_NAME_CAPACITY)) { name in
                guard let start = name.baseAddress else { return "" }
                mayday_file_name(text, start)
                return String(cString: start)
            }
        }
    }
}
