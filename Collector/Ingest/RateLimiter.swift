import Store
import Synchronization

/// Holds projects to what they may send, each by itself, so that one that crashes in a loop leaves room for the others.
///
/// It knows what this process took, since its start.
final class RateLimiter: Sendable {
    private struct Usage {
        let limits: IngestLimits
        var buckets: [TokenBucket]

        init(_ limits: IngestLimits, at now: ContinuousClock.Instant) {
            self.limits = limits
            buckets = [(limits.perMinute, Duration.seconds(60)), (limits.perDay, .seconds(86_400))].compactMap {
                (limit, period) in limit.map { TokenBucket($0, each: period, at: now) }
            }
        }
    }

    private let usages = Mutex<[Int: Usage]>([:])

    /// Counts one more report of a project.
    ///
    /// - Returns: nil when it may come, else when to try again; then nothing was counted.
    func take(_ project: Int, _ limits: IngestLimits, at now: ContinuousClock.Instant = .now) -> Duration? {
        guard limits != IngestLimits() else { return nil }
        return usages.withLock { usages in
            var usage = usages[project] ?? Usage(limits, at: now)
            // They were changed: what was sent before does not count.
            if usage.limits != limits { usage = Usage(limits, at: now) }
            defer { usages[project] = usage }
            let waits = usage.buckets.indices.compactMap { usage.buckets[$0].wait(at: now) }
            if let longest = waits.max() { return longest }
            for index in usage.buckets.indices { usage.buckets[index].take() }
            return nil
        }
    }
}

/// So many in a period: at once, when none came for that long, and else as they are let in again, one after the other.
struct TokenBucket: Sendable {
    private let capacity: Double
    private let period: Duration
    private var tokens: Double
    private var filled: ContinuousClock.Instant

    /// A full one.
    init(_ capacity: Int, each period: Duration, at now: ContinuousClock.Instant) {
        self.capacity = Double(capacity)
        self.period = period
        tokens = Double(capacity)
        filled = now
    }

    /// Nil when there is one to be taken, else how long until there is; a period when there never is.
    mutating func wait(at now: ContinuousClock.Instant) -> Duration? {
        tokens = min(capacity, tokens + capacity * max(0, filled.duration(to: now) / period))
        filled = max(filled, now)
        guard tokens < 1 else { return nil }
        return capacity < 1 ? period : period * ((1 - tokens) / capacity)
    }

    mutating func take() { tokens -= 1 }
}
