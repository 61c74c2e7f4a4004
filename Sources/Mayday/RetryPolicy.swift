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

/// A report in the spool; those that were tried less often come first, then the older ones, so that one that fails again and
/// again holds up no other.
struct WaitingReport: Sendable, Equatable {
    var id: String
    /// Attempts so far.
    var attempts = 0
    /// When the last one was; nil when there was none.
    var lastAttempt: Timestamp?
    /// Bytes of its file, where that matters.
    var size = 0

    func comes(before other: WaitingReport) -> Bool { (attempts, id) < (other.attempts, other.id) }
}

/// The first of many reports, of which few are held at a time. Not generic: it would be compiled for each type.
struct FirstReports: Sendable {
    let limit: Int
    /// `limit` of those that were added at most, in their order.
    private(set) var sorted: [WaitingReport] = []

    init(limit: Int) { self.limit = limit }

    mutating func add(_ report: WaitingReport) {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if report.comes(before: sorted[middle]) { high = middle } else { low = middle + 1 }
        }
        guard low < limit else { return }
        if sorted.count == limit { sorted.removeLast() }
        sorted.insert(report, at: low)
    }
}

/// Which reports an uploader tries now, and when the next one is due.
struct DeliveryPlan: Sendable {
    private let now: Timestamp
    private let urgent: Bool
    private let last: WaitingReport?
    private var first: FirstReports
    /// How long until the first of those that are not due is; nil when there are none.
    private(set) var next: Duration?
    /// Reports whose last attempt was interrupted by the end of its process.
    private(set) var interrupted = 0
    private var lastInterruption: Timestamp?

    /// Plans a part of a round: a report that was tried waits by the attempts that it had.
    ///
    /// - Parameters:
    ///   - last: the last of the part before; nil for the first.
    ///   - urgent: every report is due, as when a service is about to end.
    ///   - window: how many reports are a part.
    init(behind last: WaitingReport? = nil, now: Timestamp, urgent: Bool, window: Int = Spool.window) {
        (self.now, self.urgent, self.last) = (now, urgent, last)
        first = FirstReports(limit: window)
    }

    mutating func add(_ report: WaitingReport) {
        let wait = urgent ? .zero : DeliveryPlan.wait(of: report, now: now)
        if wait > .zero {
            next = min(next ?? wait, wait)
        } else if last.map({ $0.comes(before: report) }) ?? true {
            first.add(report)
        }
    }

    /// Counts a report whose last attempt was interrupted.
    mutating func addInterrupted(at time: Timestamp) {
        interrupted += 1
        lastInterruption = Timestamp(microseconds: max(time.microseconds, lastInterruption?.microseconds ?? 0))
    }

    /// How long the uploader is to be left alone, because it ends the processes that deliver; nil when it is not.
    ///
    /// One report that was interrupted waits by itself. With a second it is the uploader that is to blame, to which each
    /// process that ends adds a fresh report.
    var pause: Duration? {
        guard !urgent, interrupted > 1 else { return nil }
        let last = WaitingReport(id: "", attempts: interrupted - 1, lastAttempt: lastInterruption)
        let wait = DeliveryPlan.wait(of: last, now: now)
        return wait > .zero ? wait : nil
    }

    /// What to try, in this order.
    var due: [WaitingReport] { first.sorted }

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
