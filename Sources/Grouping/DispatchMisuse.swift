/// A mistake in the use of libdispatch. On Linux it traps without a text; the function that trapped tells which one it was.
struct DispatchMisuse: CustomStringConvertible {
    /// What was wrong: `unbalanced leave of a group`.
    let mistake: String

    /// As a headline.
    var description: String { "libdispatch: \(mistake)" }

    /// Nil when the function is not one that checks its caller.
    init?(function: String) {
        guard let text = Self.texts.first(where: { function.hasPrefix($0.function) })?.text else { return nil }
        mistake = text
    }

    /// Functions that trap, in libdispatch's own source, and what they check.
    private static let texts: [(function: String, text: String)] = [
        ("__DISPATCH_WAIT_FOR_QUEUE__", "sync called on a queue that the current thread is running already (deadlock)"),
        ("_dispatch_assert_queue_fail", "code ran on another queue than it expects"),
        ("dispatch_assert_queue", "code ran on another queue than it expects"),
        ("dispatch_group_leave", "unbalanced leave of a group"),
        ("_dispatch_group_leave", "unbalanced leave of a group"),
        ("_dispatch_group_dispose", "group released while in use"),
        ("_dispatch_semaphore_dispose", "semaphore released while in use (its value is below its initial value)"),
        ("_dispatch_queue_xref_dispose", "queue released while suspended"),
        ("_dispatch_source_xref_dispose", "source released while suspended or before it was activated"),
        ("_dispatch_lane_resume", "unbalanced resume of a queue or source"),
        ("dispatch_resume", "unbalanced resume of a queue or source"),
        ("_dispatch_once_wait", "dispatch_once called again from inside itself"),
        ("_dispatch_block_", "block waited for or run more than once"),
        ("dispatch_block_wait", "block waited for more than once"),
        ("_dispatch_event_loop_drain", "a file descriptor was closed that libdispatch still uses"),
        ("_dispatch_unote_register_muxed", "a file descriptor was closed that libdispatch still uses"),
    ]
}
