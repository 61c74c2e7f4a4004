#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What to do about an error of the system, for the SDK and the collector alike.
package enum ErrorRemedy {
    /// By `errno`, where it does not depend on what was tried: `raise the limit of open files (ulimit -n)`.
    package static func of(_ code: Int32) -> String? {
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
    package static func ofLoading(_ problem: String, package: String) -> String {
        for code in [EMFILE, ENFILE, ENOMEM, EACCES] where problem.hasSuffix(String(cString: strerror(code))) {
            if code == EACCES { return "let this user read it" }
            if let remedy = of(code) { return remedy }
        }
        return "install \(package)"
    }
}
