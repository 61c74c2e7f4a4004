/// When notices are sent and sent again. Pure: the time is given.
struct NoticePolicy: Sendable {
    /// How often one is tried.
    var attempts = 5
    /// The first pause; each further one is four times as long.
    var firstPause = Duration.seconds(2)
    /// The longest pause, whoever asks for it.
    var longestPause = Duration.seconds(300)
    /// At most so many in a `period`; more are left out, and counted.
    var limit = 30
    /// What the limit counts in.
    var period = Duration.seconds(60)
    /// How long one attempt may take.
    var timeout = Duration.seconds(10)
    /// How many may wait; more are left out.
    var waiting = 1_000

    /// The pause behind an attempt that failed; nil when it was the last.
    func pause(afterAttempt number: Int, asked: Duration?) -> Duration? {
        guard number < attempts else { return nil }
        var pause = firstPause
        for _ in 1..<max(1, number) where pause < longestPause { pause *= 4 }
        return min(max(pause, asked ?? .zero), longestPause)
    }

    /// Whether one more may be sent now, when those before it were sent at these times. Times that do not count any more are removed.
    func allows(at now: ContinuousClock.Instant, sent: inout [ContinuousClock.Instant]) -> Bool {
        sent.removeAll { $0 + period <= now }
        return sent.count < limit
    }
}
