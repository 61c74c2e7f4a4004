public import CrashReport
public import Store

/// Counts of reports, with what was asked for.
public struct StatisticsReport: Sendable, Equatable {
    /// What was asked for.
    public var question: StatisticsQuestion
    /// What was found.
    public var statistics: Statistics
    /// When it was asked.
    public var now: Timestamp

    /// A report by its parts.
    public init(question: StatisticsQuestion, statistics: Statistics, now: Timestamp) {
        self.question = question
        self.statistics = statistics
        self.now = now
    }

    /// A piece of time that gives some twenty to fifty bars: minutes, hours, days or weeks.
    public static func piece(since: Timestamp, until: Timestamp) -> Int64 {
        let length = max(1, until.microseconds - since.microseconds)
        let minute: Int64 = 60_000_000
        let pieces = [1, 5, 15, 60, 180, 360, 1_440, 10_080].map { Int64($0) * minute }
        return pieces.first { length / $0 <= 48 } ?? 30 * 1_440 * minute
    }

    /// All pieces of time that were asked for, those without reports too.
    public var pieces: [Statistics.Count] {
        guard case .time(let length) = question.part else { return statistics.counts }
        let known = Dictionary(
            statistics.counts.compactMap { count in count.time.map { ($0.microseconds / length, count.count) } }
        ) { first, _ in first }
        guard let least = question.filter.since.map({ $0.microseconds / length }) ?? known.keys.min() else { return [] }
        let last = (question.filter.until ?? now).microseconds / length
        guard least <= last, last - least < Self.maximumPieces else { return statistics.counts }
        return (least...last).map { piece in
            Statistics.Count(time: Timestamp(microseconds: piece * length), count: known[piece] ?? 0)
        }
    }

    private static let maximumPieces: Int64 = 1_000

    /// Sums and `counts`, each with `time` or `value`.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "reports": .integer(Int64(statistics.reports)), "occurrences": .integer(Int64(statistics.occurrences)),
            "issues": .integer(Int64(statistics.issues)),
            "hosts": .integer(Int64(statistics.hosts)), "new_issues": .integer(Int64(statistics.newIssues)),
            "since": .optional(question.filter.since?.description),
            "until": .optional(question.filter.until?.description),
        ]
        switch question.part {
        case .time(let length):
            members["by"] = .string("time")
            members["piece_seconds"] = .integer(length / 1_000_000)
            members["counts"] = .array(
                pieces.map { count in
                    .object([
                        "time": .optional(count.time?.description), "count": .integer(Int64(count.count)),
                    ])
                }
            )
        case .field, .tag:
            members["by"] = .string(question.part.name)
            members["counts"] = .array(
                statistics.counts.map { count in
                    .object(["value": .optional(count.value), "count": .integer(Int64(count.count))])
                }
            )
        }
        return .object(members)
    }
}
