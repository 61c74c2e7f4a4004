import CrashReport
import Dispatch
import Foundation
import Synchronization

/// How far something is that takes long: a line on a terminal's standard error that is written over and taken away, and nothing elsewhere.
///
/// It is written by a thread of its own, so that it is alive while one long step is under way.
final class Progress: Sendable {
    /// The line of the moment.
    typealias Line = @Sendable () -> String

    private let line = Mutex<Line?>(nil)
    private let isShown: Bool
    private let end = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// The first second is silent, and no more is written than ten times a second.
    private static let silence = DispatchTimeInterval.seconds(1)
    private static let pause = DispatchTimeInterval.milliseconds(100)

    fileprivate init(isShown: Bool) {
        self.isShown = isShown
        guard isShown else { return }
        let thread = Thread { self.run() }
        thread.name = "progress"
        thread.start()
    }

    /// Says how far it is. The text is made when it is written, on another thread.
    func show(_ text: @autoclosure @escaping Line) {
        if isShown { line.withLock { $0 = text } }
    }

    /// Tells a person something that stays, and takes the line away until it is written again.
    func note(_ text: String) {
        Self.write("\(isShown ? "\r\u{1b}[K" : "")mayday: \(text.madeVisible())\n")
    }

    fileprivate func stop() {
        guard isShown else { return }
        end.signal()
        ended.wait()
    }

    private func run() {
        var pause = Self.silence
        var last = ""
        while end.wait(timeout: .now() + pause) == .timedOut {
            pause = Self.pause
            guard let text = line.withLock(\.self)?(), text != last else { continue }
            last = text
            // What is too long for the terminal is cut by it: in the next line it would not be taken away.
            Self.write("\r\u{1b}[K\u{1b}[?7l\(text.madeVisible())\u{1b}[?7h")
        }
        if !last.isEmpty { Self.write("\r\u{1b}[K") }
        ended.signal()
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Foundation.write(STDERR_FILENO, bytes, bytes.count)
    }
}

extension Console {
    /// Shows how far `body` is. It prints and notes nothing itself, unless its results are the progress on a terminal.
    ///
    /// - Parameter printing: true where `body` prints its results.
    func progress<Value, Failure>(
        printing: Bool = false,
        _ body: (Progress) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let isTerminal = isatty(STDERR_FILENO) != 0 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
        let progress = Progress(isShown: isTerminal && !(printing && isatty(STDOUT_FILENO) != 0))
        defer { progress.stop() }
        return try body(progress)
    }
}
