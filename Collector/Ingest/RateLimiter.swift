import Store
import Synchronization

/// Holds projects to what they may send, each by itself, so that one that crashes in a loop leaves room for the others.
///
/// It knows what this process took, since its start.
final class RateLimiter: Sendable {
    private struct Usage {
        let limits: IngestLimits
        var buckets: [TokenBucket]
        /// What is left of their share to reports that are alike.
        var shares: [Int: [TokenBucket]] = [:]

        init(_ limits: IngestLimits, at now: ContinuousClock.Instant) {
            self.limits = limits
            buckets = Self.buckets(limits, at: now) { $0 }
        }

        static func buckets(_ limits: IngestLimits, at now: ContinuousClock.Instant, _ part: (Int) -> Int)
            -> [TokenBucket]
        {
            [(limits.perMinute, Duration.seconds(60)), (limits.perDay, .seconds(86_400))].compactMap {
                (limit, period) in limit.map { TokenBucket(part($0), each: period, at: now) }
            }
        }
    }

    private let usages = Mutex<[Int: Usage]>([:])

    /// Counts one more report of a project.
    ///
    /// - Returns: nil when it may come, else when to try again; then nothing was counted.
    func take(_ project: Int, _ limits: IngestLimits, at now: ContinuousClock.Instant = .now) -> Duration? {
        usages.withLock { usages in
            guard limits != IngestLimits() else {
                usages[project] = nil
                return nil
            }
            var usage = usages[project] ?? Usage(limits, at: now)
            // They were changed: what was sent before does not count.
            if usage.limits != limits { usage = Usage(limits, at: now) }
            defer { usages[project] = usage }
            return Self.take(&usage.buckets, at: now)
        }
    }

    /// Counts one more report of those that are alike, once `take` let it in: they may be half of what a project sends, so that
    /// an error in a loop leaves the other half to all others. Of less than `smallestShared` there is nothing to share.
    ///
    /// - Parameter alike: the same for reports that seem to be of one issue.
    /// - Returns: nil when it may come, else when to try again; then it does not count, in the project's limit neither.
    func takeShare(_ project: Int, alike: Int, at now: ContinuousClock.Instant = .now) -> Duration? {
        usages.withLock { usages in
            guard var usage = usages[project] else { return nil }
            defer { usages[project] = usage }
            if usage.shares.count >= Self.maximumShares, usage.shares[alike] == nil {
                // Those that are full again say nothing. Where so many differ, none of them is a loop.
                usage.shares = usage.shares.filter { $0.value.contains { !$0.isFull(at: now) } }
                if usage.shares.count >= Self.maximumShares { usage.shares = [:] }
            }
            var share =
                usage.shares[alike]
                ?? Usage.buckets(usage.limits, at: now) { $0 < Self.smallestShared ? $0 : $0 / 2 }
            let wait = Self.take(&share, at: now)
            usage.shares[alike] = share
            if wait != nil { for index in usage.buckets.indices { usage.buckets[index].giveBack() } }
            return wait
        }
    }

    private static let smallestShared = 10
    private static let maximumShares = 1_000
    /// No client is told to stay away for longer, whenever the next report may come: a limit that is raised meanwhile is to be noticed.
    static let longestWait = Duration.seconds(3_600)

    private static func take(_ buckets: inout [TokenBucket], at now: ContinuousClock.Instant) -> Duration? {
        let waits = buckets.indices.compactMap { buckets[$0].wait(at: now) }
        if let longest = waits.max() { return min(longest, longestWait) }
        for index in buckets.indices { buckets[index].take() }
        return nil
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

    mutating func giveBack() { tokens = min(capacity, tokens + 1) }

    func isFull(at now: ContinuousClock.Instant) -> Bool {
        tokens + capacity * max(0, filled.duration(to: now) / period) >= capacity
    }
}
