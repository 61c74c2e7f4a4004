import CrashReport
import Foundation
import Store

/// Lines for a person or a log collector, on standard error. Holds no keys, tokens or contents of reports.
public struct ServerLog: Sendable {
    private let write: @Sendable (String) -> Void

    /// A log that hands each line to a function, which may be called from any thread.
    public init(write: @escaping @Sendable (String) -> Void) { self.write = write }

    /// The log on standard error.
    public static let standardError = ServerLog { line in
        let bytes = Array((line + "\n").utf8)
        // One call a line, so that lines of several threads stay whole. Nobody can be told when it fails.
        _ = Foundation.write(STDERR_FILENO, bytes, bytes.count)
    }

    /// A line with the time in front.
    public func line(_ text: String) { write("\(Timestamp.now()) \(text.madeVisible(limit: 1_000))") }

    /// The line of a request.
    func request(_ request: HTTPRequest, status: Int, bytes: Int, duration: Duration) {
        let microseconds = duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
        let milliseconds = "\(microseconds / 1_000).\(microseconds % 1_000 / 100)"
        let outcome = status == 0 ? "gone" : String(status)
        let path = request.path.madeVisible(limit: 200).replacing(" ", with: "%20")
        line("\(request.method.madeVisible(limit: 20)) \(path) \(outcome) \(bytes) B \(milliseconds) ms")
    }
}
