import Foundation

/// A fresh directory that is removed with everything in it when the last reference goes.
public final class TemporaryDirectory: Sendable {
    /// Absolute path.
    public let path: String

    /// Makes a directory in another: `TMPDIR`, or `/tmp`.
    public init(in other: String? = nil) throws {
        let base = other ?? getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array("\(base)/mayday-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(call: "mkdtemp", code: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// A system call that failed.
public struct SystemError: Error, CustomStringConvertible {
    /// Name of the call.
    public let call: String
    /// `errno`.
    public let code: Int32

    /// A failure of `call` with the value of `errno`.
    public init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The call and its error as text.
    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
