#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What Mayday says on standard error: one line at a time, written with one call so that it stays whole.
enum StandardError {
    /// `mayday: …`
    static func say(_ line: String) {
        var text = "mayday: \(line)\n"
        // One that is closed or full is not ours to handle.
        _ = text.withUTF8 { write(2, $0.baseAddress, $0.count) }
    }

    /// `mayday: warning: …`
    static func warn(_ line: String) { say("warning: \(line)") }
}
