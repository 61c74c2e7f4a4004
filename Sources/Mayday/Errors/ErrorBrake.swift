/// How many handled errors are reported. Above it they are counted: the next report of the same error says how many it stands for.
public struct ErrorLimits: Sendable, Equatable {
    /// The first of the same error (type, domain, code or case) at the same place is sent at once; for this long the others are counted, and the last
    /// of them is sent with their number. Seconds by default: 60.
    public var interval: Duration
    /// Reports of all errors in an interval; above it they are dropped, and a line on standard error says how many. 300 by default.
    public var reports: Int
    /// Share of the errors that is reported at all, from 0 to 1, by chance. 1 by default. `start` throws for others.
    public var sampling: Double

    /// Limits; what is not given has its default.
    public init(interval: Duration = .seconds(60), reports: Int = 300, sampling: Double = 1) {
        self.interval = interval
        self.reports = reports
        self.sampling = sampling
    }

    /// What `start` does not accept.
    var mistake: ConfigurationError? {
        // Not so for what is no number, either.
        guard !(sampling >= 0 && sampling <= 1) else { return nil }
        return ConfigurationError(
            setting: "MaydayConfiguration.errorLimits.sampling",
            value: "\(sampling)",
            remedy: "give from 0 to 1, the share of the errors that is reported"
        )
    }
}

/// Decides which errors are reported. Pure: the time is given.
struct ErrorBrake {
    enum Verdict: Equatable {
        case send
        /// It is counted, and is to be kept in place of the one before it.
        case hold
        /// There are too many of all kinds.
        case drop
        /// Not of the sample.
        case skip
    }

    /// What is held of one error.
    private struct Held {
        var until: ContinuousClock.Instant
        var last: Occurrence?
        var count = 0
    }

    let limits: ErrorLimits
    private var held: [Int: Held] = [:]
    private var windowEnd: ContinuousClock.Instant?
    private var sent = 0
    /// Dropped since it was asked last.
    private var dropped = 0

    init(limits: ErrorLimits) { self.limits = limits }

    /// Decides on an occurrence.
    ///
    /// - Parameter chance: a number from 0 to 1, drawn anew each time.
    mutating func take(_ occurrence: Occurrence, now: ContinuousClock.Instant, chance: Double = 0) -> Verdict {
        guard chance < limits.sampling else { return .skip }
        let place = occurrence.place
        if var known = held[place], now < known.until {
            known.count += 1
            known.last = occurrence
            held[place] = known
            return .hold
        }
        // What was held of it is sent by `due`, which is asked first.
        guard admit(now: now) else {
            dropped += 1
            return .drop
        }
        held[place] = Held(until: now.advanced(by: limits.interval))
        return .send
    }

    private mutating func admit(now: ContinuousClock.Instant) -> Bool {
        if windowEnd.map({ now >= $0 }) ?? true {
            windowEnd = now.advanced(by: limits.interval)
            sent = 0
        }
        guard sent < limits.reports else { return false }
        sent += 1
        return true
    }

    /// The last of each error whose interval is over, with how many it stands for; all of them where `now` is nil.
    mutating func due(now: ContinuousClock.Instant?) -> [CountedOccurrence] {
        let over = held.filter { entry in now.map { $0 >= entry.value.until } ?? true }
        for place in over.keys { held[place] = nil }
        var due: [CountedOccurrence] = []
        for entry in over.values {
            guard let last = entry.last else { continue }
            // Few at a time: to sort them is 3 KB of a service.
            let place = due.lastIndex { $0.occurrence.time <= last.time }.map { $0 + 1 } ?? 0
            due.insert(CountedOccurrence(occurrence: last, count: entry.count), at: place)
        }
        return due
    }

    /// When something is due; nil when nothing is held.
    var next: ContinuousClock.Instant? { held.values.filter { $0.last != nil }.map(\.until).min() }

    /// How many were dropped since this was asked last.
    mutating func takeDropped() -> Int {
        defer { dropped = 0 }
        return dropped
    }
}
