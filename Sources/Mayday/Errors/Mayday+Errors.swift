internal import CrashCapture
internal import CrashReport

/// What a service reports although it lives on.
extension Mayday {
    /// Reports an error that the service handled, with the stack of the caller, the errors beneath it, and the context.
    ///
    /// Takes some microseconds: the rest is done by a task of its own. The same error again and again is sent at first and then
    /// counted, see `MaydayConfiguration.errorLimits`. Before `start`, and where crashes are not captured, it does nothing.
    /// A program that ends soon after it awaits `flush` first.
    ///
    /// - Parameters:
    ///   - error: its type and its text are reported, and those of the errors it holds (`underlyingError`, associated values).
    ///   - level: how grave it is.
    ///   - fingerprint: errors with equal ones are one issue, whatever they are and wherever they happen; nil groups them by that.
    ///   - attachments: what this report takes along, beside the files that every report does.
    /// - Returns: the id that the report has if it is sent; nil when it surely is not.
    @discardableResult
    @inline(never)
    public static func capture(
        _ error: any Error,
        level: Level = .error,
        fingerprint: String? = nil,
        attachments: [Attachment] = []
    ) -> String? {
        guard Reported.isReady else { return nil }
        // Here, so that exactly one frame is ours: whatever the compiler makes of what is called behind.
        var stack = MaydayBacktrace()
        mayday_backtrace(&stack, withUnsafeCurrentTask { $0 != nil })
        let occurrence = Occurrence(.error(error), fingerprint, level: level, stack: stack, attachments: attachments)
        return Reported.take(occurrence)
    }

    /// Reports that something happened which is no error, with the stack of the caller and the context.
    ///
    /// - Parameter fingerprint: messages with equal ones are one issue, whatever they say.
    @discardableResult
    @inline(never)
    public static func capture(message: String, level: Level = .info, fingerprint: String? = nil) -> String? {
        guard Reported.isReady else { return nil }
        var stack = MaydayBacktrace()
        mayday_backtrace(&stack, withUnsafeCurrentTask { $0 != nil })
        return Reported.take(Occurrence(.message(message), fingerprint, level: level, stack: stack))
    }
}
