internal import CrashCapture
internal import CrashReport

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
    package var remedy: String? { ErrorRemedy.of(code) }
}
