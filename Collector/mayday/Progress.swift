import Foundation

/// How far something is that takes long: a line on a terminal's standard error that is written over, and nothing elsewhere.
final class Progress {
    private let isShown: Bool
    private let word: String
    private let began = ContinuousClock.now
    private var last: ContinuousClock.Instant?

    /// The first second is silent, and no more is shown than ten times a second. When the result goes to the same terminal, it is the progress.
    private static let silence = Duration.seconds(1)
    private static let pause = Duration.milliseconds(100)

    init(_ console: Console, _ word: String) {
        self.word = word
        isShown = isatty(STDERR_FILENO) != 0 && isatty(STDOUT_FILENO) == 0
    }

    /// Says how many are done, of how many when that is known.
    func show(_ count: Int, of total: Int? = nil) {
        let now = ContinuousClock.now
        guard isShown, now - began >= Self.silence, last.map({ now - $0 >= Self.pause }) ?? true else { return }
        last = now
        write("\r\u{1b}[K\(count)\(total.map { " of \($0)" } ?? "") \(word)")
    }

    /// Takes the line away.
    func end() { if last != nil { write("\r\u{1b}[K") } }

    private func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Foundation.write(STDERR_FILENO, bytes, bytes.count)
    }
}
