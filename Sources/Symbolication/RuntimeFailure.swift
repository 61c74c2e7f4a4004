import CrashReport

/// The reason of a trap in optimised code, which has no text at run time: the compiler writes it into the debug information as the
/// name of a function that was inlined at the trap, `Swift runtime failure: arithmetic overflow`.
enum RuntimeFailure {
    private static let prefix = "Swift runtime failure: "

    /// Takes these entries out of the stacks, and makes the one of the crashing frame the crash's message when it has none.
    static func promote(in report: inout Report) {
        for thread in report.threads.indices {
            for frame in report.threads[thread].frames.indices {
                guard let failure = take(from: &report.threads[thread].frames[frame]) else { continue }
                let isCrashingFrame = report.threads[thread].crashed && frame == 0
                if isCrashingFrame, report.crash != nil, report.crash?.message == nil {
                    report.crash?.message = failure
                    report.crash?.messageSource = "runtime_failure"
                }
            }
        }
    }

    private static func take(from frame: inout Frame) -> String? {
        guard let first = frame.symbols.first, first.inlined, first.function.hasPrefix(prefix) else { return nil }
        frame.symbols.removeFirst()
        return String(first.function.dropFirst(prefix.count))
    }
}
