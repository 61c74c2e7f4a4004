internal import CrashCapture

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A system call that failed, by its `errno`.
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    var code: Int32

    /// The failure of the call that was just made.
    static var last: SystemError { SystemError(code: mayday_errno()) }

    /// `No space left on device`.
    package var description: String { String(cString: strerror(code)) }

    /// What to do about it, where that does not depend on what was tried: `raise the limit of open files (ulimit -n)`.
    package var remedy: String? {
        switch code {
        case EMFILE: "raise the limit of open files (ulimit -n)"
        case ENFILE: "raise the machine's limit of open files (sysctl fs.file-max)"
        case ENOSPC: "make room on its file system"
        case EDQUOT: "make room, or raise this user's quota"
        case EFBIG: "raise the limit of a file's size (ulimit -f)"
        case ENOMEM: "raise the memory limit"
        case EROFS: "mount its file system for writing, or name another directory"
        case EACCES, EPERM: "give this user the rights, or name another directory"
        default: nil
        }
    }

    /// What to do about a library that cannot be loaded, by what the loader said, which ends with the error.
    ///
    /// - Parameter package: what to install where it is not there.
    package static func remedy(ofLoading problem: String, package: String) -> String {
        let codes = [EMFILE, ENFILE, ENOMEM, EACCES]
        for error in codes.map({ SystemError(code: $0) }) where problem.hasSuffix(error.description) {
            if error.code == EACCES { return "let this user read it" }
            if let remedy = error.remedy { return remedy }
        }
        return "install \(package)"
    }
}
