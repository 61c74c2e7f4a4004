import Dispatch
import Foundation
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
    private struct State {
        var queue: [IssueNotice] = []
        var sent: [ContinuousClock.Instant] = []
        /// Left out since the last one that was not.
        var suppressed = 0
        var counts = Counts()
        var end: ContinuousClock.Instant?
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
            state.queue.append(notice)
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
            let (notice, end) = state.withLock { state in
                (state.queue.isEmpty ? nil : state.queue.removeFirst(), state.end)
            }
            guard let notice else {
                if end != nil { break }
                wakes.wait()
                continue
            }
            deliver(notice)
        }
        ended.signal()
    }

    private func deliver(_ notice: IssueNotice) {
        var number = 1
        while true {
            if let end = state.withLock({ $0.end }), end <= .now { return giveUp(notice, "the collector stops") }
            let latest = ContinuousClock.now + policy.timeout
            do throws(NoticeFailure) {
                try channel.deliver(notice) { min(latest, state.withLock { $0.end } ?? latest) }
                return state.withLock { $0.counts.delivered += 1 }
            } catch {
                guard error.mayRetry, state.withLock({ $0.end }) == nil,
                    let pause = policy.pause(afterAttempt: number, asked: error.after)
                else { return giveUp(notice, error.reason) }
                log("notify: \(channel.name) \(error.reason); once more in \(pause)")
                pauseOrStop(pause)
                number += 1
            }
        }
    }

    /// Notices that come meanwhile do not end the pause; the end of the collector does.
    private func pauseOrStop(_ pause: Duration) {
        let until = ContinuousClock.now + pause
        var taken = 0
        while state.withLock({ $0.end == nil }) {
            let rest = ContinuousClock.now.duration(to: until)
            guard rest > .zero else { break }
            if wakes.wait(timeout: .now() + .milliseconds(Int(rest / .milliseconds(1)) + 1)) == .success { taken += 1 }
        }
        for _ in 0..<taken { wakes.signal() }
    }

    private func giveUp(_ notice: IssueNotice, _ reason: String) {
        state.withLock { $0.counts.failed += 1 }
        log("notify: \(channel.name) \(reason); given up: \(notice.sentence)")
    }
}
