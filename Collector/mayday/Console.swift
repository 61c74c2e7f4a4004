import CrashReport
import Foundation
import Query

/// Standard output and standard error.
struct Console: Sendable {
    /// Prints lines. A reader that went away, as `head` does, ends the process quietly.
    func print(_ lines: [String]) {
        write(Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// Prints what may be long: on a terminal, through a pager when it does not fit.
    func page(_ lines: [String]) {
        guard isatty(STDOUT_FILENO) != 0, isatty(STDIN_FILENO) != 0, let height = Self.terminalSize?.ws_row,
            height > 0, lines.count >= Int(height), let pager = Pager(ProcessInfo.processInfo.environment),
            pager.show(lines)
        else { return print(lines) }
    }

    /// Prints one line.
    func print(_ line: String) { print([line]) }

    /// Prints a JSON value as one line.
    func print(_ value: JSONValue) { print([value.text]) }

    /// Tells a person something that is not the result.
    func note(_ text: String) {
        let bytes = Array("mayday: \(text.madeVisible())\n".utf8)
        _ = Foundation.write(STDERR_FILENO, bytes, bytes.count)
    }

    /// Asks a person for a line.
    func ask(_ text: String) {
        let bytes = Array(text.madeVisible().utf8)
        _ = Foundation.write(STDERR_FILENO, bytes, bytes.count)
    }

    /// How text is laid out: by the terminal, `COLUMNS`, `NO_COLOR` and `TERM`. In a pipe no line is cut, whatever `COLUMNS` says.
    var layout: TextLayout {
        let environment = ProcessInfo.processInfo.environment
        let isTerminal = isatty(STDOUT_FILENO) != 0
        let isPlain = environment["NO_COLOR"]?.isEmpty == false || environment["TERM"] == "dumb"
        let width = environment["COLUMNS"].flatMap { Int($0) } ?? (isTerminal ? Self.terminalWidth : nil)
        return TextLayout(width: width ?? 80, color: isTerminal && !isPlain, cuts: isTerminal, now: .now())
    }

    private static var terminalWidth: Int? { terminalSize.map { Int($0.ws_col) } }

    private static var terminalSize: winsize? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return size
    }

    /// Writes bytes as they are.
    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                exit(ExitCode.done.rawValue)
            } else if errno != EINTR {
                note("cannot write the output: \(String(cString: strerror(errno)))")
                exit(ExitCode.unreachable.rawValue)
            }
        }
    }
}
