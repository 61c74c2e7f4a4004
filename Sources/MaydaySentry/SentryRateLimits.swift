internal import Synchronization

/// The pauses that a backend asks for in `X-Sentry-Rate-Limits`, which may be in any answer, 200 too.
final class SentryRateLimits: Sendable {
    static let header = "X-Sentry-Rate-Limits"

    private let until = Mutex<ContinuousClock.Instant?>(nil)

    /// How long to send nothing; nil when nothing was asked for.
    func pause(now: ContinuousClock.Instant) -> Duration? {
        until.withLock { until in until.flatMap { $0 > now ? $0 - now : nil } }
    }

    /// Remembers what an answer asked for; the longer of two counts.
    func note(_ header: String, now: ContinuousClock.Instant) {
        guard let seconds = SentryRateLimits.seconds(header) else { return }
        until.withLock { until in until = max(until ?? now, now + seconds) }
    }

    /// The pause for events in `SECONDS:CATEGORY;CATEGORY:SCOPE:REASON, …`; nil when there is none.
    ///
    /// An entry without categories is for all of them. Others than ours, and such as are not known, are not our business.
    static func seconds(_ header: String) -> Duration? {
        var longest: Duration?
        for entry in header.utf8.split(separator: UInt8(ascii: ",")) {
            let fields = entry.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard let first = fields.first, let seconds = Int(trimmed(first)), seconds >= 0 else { continue }
            let categories = fields.count > 1 ? fields[1].split(separator: UInt8(ascii: ";")).map(trimmed) : []
            guard categories.allSatisfy(\.isEmpty) || categories.contains(where: ["error", "default"].contains) else {
                continue
            }
            longest = max(longest ?? .zero, .seconds(min(seconds, 86_400)))
        }
        return longest
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        String(decoding: text.filter { $0 > 0x20 }, as: UTF8.self)
    }
}
