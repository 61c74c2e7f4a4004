import CrashReport
import Foundation
import Store

/// Lines for a person or a log collector, on standard error. Holds no keys, tokens or contents of reports.
public struct ServerLog: Sendable {
    /// How a line is written.
    public enum Format: String, Sendable, CaseIterable {
        /// The time, and words.
        case text
        /// An object, with its `time`, and a `message` or what is known of a request.
        case json
    }

    private let format: Format
    private let write: @Sendable (String) -> Void

    /// A log that hands each line to a function, which may be called from any thread.
    public init(format: Format = .text, write: @escaping @Sendable (String) -> Void) {
        self.format = format
        self.write = write
    }

    /// The log on standard error.
    public static func standardError(_ format: Format = .text) -> ServerLog {
        ServerLog(format: format) { line in
            let bytes = Array((line + "\n").utf8)
            // One call a line, so that lines of several threads stay whole. Nobody can be told when it fails.
            _ = Foundation.write(STDERR_FILENO, bytes, bytes.count)
        }
    }

    /// A line with the time in front.
    public func line(_ text: String) {
        let text = text.madeVisible(limit: 1_000)
        switch format {
        case .text: write("\(Timestamp.now()) \(text)")
        case .json: write(["message": .string(text)])
        }
    }

    private func write(_ members: [String: JSONValue]) {
        write(JSONValue.object(members.merging(["time": .string("\(Timestamp.now())")]) { $1 }).text)
    }

    /// The line of a request.
    func request(_ request: HTTPRequest, status: Int, bytes: Int, duration: Duration) {
        let microseconds = duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
        let path = request.path.madeVisible(limit: 200).replacing(" ", with: "%20")
        let method = request.method.madeVisible(limit: 20)
        switch format {
        case .text:
            let milliseconds = "\(microseconds / 1_000).\(microseconds % 1_000 / 100)"
            let outcome = status == 0 ? "gone" : String(status)
            line("\(method) \(path) \(outcome) \(bytes) B \(milliseconds) ms")
        case .json:
            write([
                "method": .string(method), "path": .string(path),
                "status": status == 0 ? .null : .integer(Int64(status)),
                "bytes": .integer(Int64(bytes)), "duration_us": .integer(microseconds),
            ])
        }
    }
}
