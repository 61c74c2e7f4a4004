import Dispatch
import Foundation
import Query
import Store
import Synchronization

/// Tells a webhook and a command what happened to issues, each on a thread of its own, with a limit, and again when it fails.
///
/// Notices are in memory: what waits when the process ends is lost, and an event is told by the one node that digested its report.
public final class Notifier: Sendable {
    private let lanes: [NoticeLane]

    /// Starts a thread for each that is given.
    ///
    /// - Parameters:
    ///   - webhook: URL that notices are posted to as JSON.
    ///   - command: what `sh -c` runs for each notice.
    ///   - log: gets a line for each notice that was left out or given up.
    public convenience init(webhook: String?, command: String?, log: @escaping @Sendable (String) -> Void) {
        var channels: [any NoticeChannel] = []
        if let webhook { channels.append(WebhookChannel(url: webhook)) }
        if let command {
            channels.append(CommandChannel(command: command, environment: ProcessInfo.processInfo.environment))
        }
        self.init(channels, NoticePolicy(), log: log)
    }

    /// - Parameter now: the clock that the limit of a period goes by.
    init(
        _ channels: [any NoticeChannel],
        _ policy: NoticePolicy,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        log: @escaping @Sendable (String) -> Void
    ) {
        lanes = channels.map { NoticeLane($0, policy, now: now, log: log) }
        for lane in lanes { lane.start() }
    }

    /// False when there is nobody to tell.
    public var isWanted: Bool { !lanes.isEmpty }

    /// Hands a notice over. Never waits; from any thread.
    public func send(_ notice: IssueNotice) {
        for lane in lanes { lane.add(notice) }
    }

    /// How many were delivered, given up after all attempts, and left out because there were too many.
    public var counts: (delivered: Int, failed: Int, suppressed: Int) {
        let all = lanes.map(\.counts)
        func sum(_ count: (NoticeLane.Counts) -> Int) -> Int { all.map(count).reduce(0, +) }
        return (sum(\.delivered), sum(\.failed), sum(\.suppressed))
    }

    /// Tries what still waits once, within a time, and stops.
    public func stop(within limit: Duration) {
        let end = ContinuousClock.now + limit
        for lane in lanes { lane.stop(before: end) }
    }
}

/// One channel, its queue and its thread.
final class NoticeLane: Sendable {
    /// A notice that waits.
    private struct Waiting {
        var notice: IssueNotice
        /// How often it has failed.
        var failures = 0
        /// When it may be tried.
        var due = ContinuousClock.now
    }

    private struct State {
        /// In the order in which they came, which those of one issue keep.
        var queue: [Waiting] = []
        var sent: [ContinuousClock.Instant] = []
        /// Left out since the last one that was not.
        var suppressed = 0
        var counts = Counts()
        var end: ContinuousClock.Instant?

        /// The one that may be tried first: of each issue only the oldest counts.
        var next: Waiting? {
            var issues: Set<IssueKey> = []
            let heads = queue.filter { issues.insert($0.notice.entry.issue.key).inserted }
            return heads.min { $0.due < $1.due }
        }

        /// Takes out the oldest of its issue, which it is.
        mutating func remove(_ notice: IssueNotice) {
            if let index = index(of: notice) { queue.remove(at: index) }
        }

        mutating func postpone(_ notice: IssueNotice, until due: ContinuousClock.Instant) {
            guard let index = index(of: notice) else { return }
            queue[index].failures += 1
            queue[index].due = due
        }

        private func index(of notice: IssueNotice) -> Int? {
            queue.firstIndex { $0.notice.entry.issue.key == notice.entry.issue.key }
        }
    }

    struct Counts: Equatable {
        var delivered = 0
        var failed = 0
        var suppressed = 0
    }

    private let channel: any NoticeChannel
    private let policy: NoticePolicy
    private let now: @Sendable () -> ContinuousClock.Instant
    private let log: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let wakes = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init(
        _ channel: any NoticeChannel,
        _ policy: NoticePolicy,
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.channel = channel
        self.policy = policy
        self.now = now
        self.log = log
    }

    var counts: Counts { state.withLock { $0.counts } }

    func start() {
        let thread = Thread { self.run() }
        thread.name = "notify"
        thread.start()
    }

    func add(_ notice: IssueNotice) {
        let time = now()
        let isKept = state.withLock { state in
            guard state.queue.count < policy.waiting, policy.allows(at: time, sent: &state.sent) else {
                state.suppressed += 1
                state.counts.suppressed += 1
                return false
            }
            state.sent.append(time)
            var notice = notice
            (notice.suppressed, state.suppressed) = (state.suppressed, 0)
            state.queue.append(Waiting(notice: notice))
            return true
        }
        if isKept {
            wakes.signal()
        } else {
            log("notify: too many at once, \(channel.name) is not told: \(notice.sentence)")
        }
    }

    func stop(before end: ContinuousClock.Instant) {
        state.withLock { $0.end = end }
        wakes.signal()
        let rest = max(.zero, ContinuousClock.now.duration(to: end))
        // A command is ended then, which it notices in a moment: nothing of it outlives the collector.
        _ = ended.wait(timeout: .now() + .milliseconds(Int(rest / .milliseconds(1)) + 1_000))
    }

    private func run() {
        while true {
            let (next, end) = state.withLock { state in (state.next, state.end) }
            guard let next else {
                if end != nil { break }
                wakes.wait()
                continue
            }
            // One that waits for its next attempt holds up those of its own issue only; at the end each is tried once more.
            let rest = ContinuousClock.now.duration(to: next.due)
            if end == nil, rest > .zero {
                _ = wakes.wait(timeout: .now() + .milliseconds(Int(rest / .milliseconds(1)) + 1))
                continue
            }
            attempt(next)
        }
        ended.signal()
    }

    private func attempt(_ waiting: Waiting) {
        if let end = state.withLock({ $0.end }), end <= .now { return giveUp(waiting.notice, "the collector stops") }
        let latest = ContinuousClock.now + policy.timeout
        do throws(NoticeFailure) {
            try channel.deliver(waiting.notice) { min(latest, state.withLock { $0.end } ?? latest) }
            state.withLock { state in
                state.remove(waiting.notice)
                state.counts.delivered += 1
            }
        } catch {
            guard error.mayRetry, state.withLock({ $0.end }) == nil,
                let pause = policy.pause(afterAttempt: waiting.failures + 1, asked: error.after)
            else { return giveUp(waiting.notice, error.reason) }
            log("notify: \(channel.name) \(error.reason); once more in \(pause)")
            state.withLock { $0.postpone(waiting.notice, until: .now + pause) }
        }
    }

    private func giveUp(_ notice: IssueNotice, _ reason: String) {
        state.withLock { state in
            state.remove(notice)
            state.counts.failed += 1
        }
        log("notify: \(channel.name) \(reason); given up: \(notice.sentence)")
    }
}
