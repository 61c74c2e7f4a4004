internal import CrashReport

/// When to try again: pure functions of what happened and of the time.
enum RetryPolicy {
    /// The pause after the first failure; each further one doubles it.
    static let first = Duration.seconds(1)
    /// The longest pause of our own.
    static let longest = Duration.seconds(3_600)
    /// The longest pause that a backend may ask for.
    static let longestAsked = Duration.seconds(86_400)

    /// The pause after a number of failures in a row, from half of it to the whole by `jitter`, so that the instances of a
    /// service do not come back all at once.
    ///
    /// - Parameter jitter: from 0 to 1.
    static func pause(after failures: Int, jitter: Double) -> Duration {
        guard failures > 0 else { return .zero }
        let whole = min(first * (1 << min(failures - 1, 20)), longest)
        return whole / 2 + whole / 2 * min(max(jitter, 0), 1)
    }

    /// What to honour of a backend's `Retry-After`.
    static func honoured(_ asked: Duration) -> Duration { min(max(asked, .zero), longestAsked) }

    /// The pause before the next attempt within a reporter's deadline: 100 ms, doubled each time, or what the backend asks
    /// for; nil when none fits in.
    static func pauseInMemory(attempt: Int, retryAfter: Duration?, left: Duration) -> Duration? {
        let delay = max(.milliseconds(100 << min(attempt, 6)), retryAfter ?? .zero)
        return delay < left ? delay : nil
    }
}

/// A report that waits for an uploader.
struct WaitingReport: Sendable, Equatable {
    var id: String
    /// Attempts so far.
    var attempts: Int
    /// When the last one was; nil when there was none.
    var lastAttempt: Timestamp?
}

/// Which reports an uploader tries now, and when the next one is due.
struct DeliveryPlan: Sendable, Equatable {
    /// Ids, in the order in which to try them.
    var due: [String] = []
    /// How long until the first of the others is due; nil when there are none.
    var next: Duration?

    /// Plans a round: reports that were tried less often first, then the older ones, so that one that fails again and
    /// again holds up no other. A report that was tried waits by the attempts that it had.
    ///
    /// - Parameter urgent: every report is due, as when a service is about to end.
    init(_ waiting: [WaitingReport], now: Timestamp, urgent: Bool) {
        for report in waiting.sorted(by: { ($0.attempts, $0.id) < ($1.attempts, $1.id) }) {
            let wait = DeliveryPlan.wait(of: report, now: now)
            if urgent || wait == .zero {
                due.append(report.id)
            } else {
                next = min(next ?? wait, wait)
            }
        }
    }

    private static func wait(of report: WaitingReport, now: Timestamp) -> Duration {
        guard let last = report.lastAttempt else { return .zero }
        let pause = RetryPolicy.pause(after: report.attempts, jitter: 1)
        let since = Duration.microseconds(now.microseconds - last.microseconds)
        // A time that is yet to come is that of another clock.
        return since < .zero ? .zero : max(pause - since, .zero)
    }
}

extension Duration {
    /// Whole microseconds.
    var microseconds: Int64 { Int64(self / .microseconds(1)) }
}
