import CrashReport
import Dispatch
import Foundation
import Store
import Synchronization

/// One channel, its queue and its thread.
final class NoticeLane: Sendable {
    /// A notice that waits.
    private struct Waiting {
        var notice: any Notice
        /// How often it has failed.
        var failures = 0
        /// When it may be tried.
        var due = ContinuousClock.now
        let came = Timestamp.now()
    }

    private struct State {
        /// In the order in which they came, which those of one issue keep.
        var queue: [Waiting] = []
        var sent: [ContinuousClock.Instant] = []
        /// Left out, and when that is told.
        var leftOut: LeftOut?
        var tells: ContinuousClock.Instant?
        /// Given up at the end, for the next process to tell.
        var notTold: LeftOut?
        /// What the memory has.
        var kept: LeftOut?
        var counts = Counts()
        var end: ContinuousClock.Instant?

        /// The one that may be tried first: of each issue only the oldest counts.
        var next: Waiting? {
            var issues: Set<IssueKey?> = []
            let heads = queue.filter { issues.insert($0.notice.issue).inserted }
            return heads.min { $0.due < $1.due }
        }

        /// Takes out the oldest of its issue, which it is.
        mutating func remove(_ notice: any Notice) {
            if let index = index(of: notice) { queue.remove(at: index) }
        }

        mutating func postpone(_ notice: any Notice, until due: ContinuousClock.Instant) {
            guard let index = index(of: notice) else { return }
            queue[index].failures += 1
            queue[index].due = due
        }

        mutating func leaveOut(_ notices: LeftOut, telling: ContinuousClock.Instant) {
            leftOut = notices.added(to: leftOut)
            tells = tells ?? telling
        }

        /// Puts what was left out into the queue, as one.
        mutating func tell() {
            if let leftOut { queue.append(Waiting(notice: LeftOutNotice(leftOut: leftOut))) }
            (leftOut, tells) = (nil, nil)
        }

        /// All that was left out and is not told yet.
        var untold: LeftOut? {
            let waiting = queue.compactMap { ($0.notice as? LeftOutNotice)?.leftOut }
            return (waiting + [leftOut, notTold].compactMap(\.self)).reduce(nil) { $1.added(to: $0) }
        }

        private func index(of notice: any Notice) -> Int? {
            queue.firstIndex { $0.notice.issue == notice.issue }
        }
    }

    struct Counts: Equatable {
        var delivered = 0
        var failed = 0
        var suppressed = 0
    }

    private let channel: any NoticeChannel
    private let policy: NoticePolicy
    private let memory: NoticeMemory
    private let now: @Sendable () -> ContinuousClock.Instant
    private let log: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let wakes = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    init(
        _ channel: any NoticeChannel,
        _ policy: NoticePolicy,
        memory: NoticeMemory,
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.channel = channel
        self.policy = policy
        self.memory = memory
        self.now = now
        self.log = log
    }

    var counts: Counts { state.withLock { $0.counts } }

    func start() {
        let thread = Thread { self.run() }
        thread.name = "notify"
        thread.start()
    }

    func add(_ notice: any Notice) {
        let time = now()
        let isKept = state.withLock { state in
            guard state.queue.count < policy.waiting, policy.allows(at: time, sent: &state.sent) else {
                state.leaveOut(LeftOut(notice, since: .now()), telling: time + policy.period)
                state.counts.suppressed += 1
                return false
            }
            state.sent.append(time)
            state.queue.append(Waiting(notice: notice))
            return true
        }
        wakes.signal()
        if !isKept { log("notify: too many at once, \(channel.name) is not told of \(notice.label)") }
    }

    func stop(before end: ContinuousClock.Instant) {
        state.withLock { $0.end = end }
        wakes.signal()
        let rest = max(.zero, ContinuousClock.now.duration(to: end))
        // A command is ended then, which it notices in a moment: nothing of it outlives the collector.
        _ = ended.wait(timeout: .now() + .milliseconds(Int(rest / .milliseconds(1)) + 1_000))
    }

    private func run() {
        // What a process before this one did not get to.
        let earlier = memory.take(channel.name).compactMap(LeftOut.init(json:))
        state.withLock { state in
            for each in earlier { state.leaveOut(each, telling: now()) }
        }
        while true {
            remember()
            let time = now()
            let (next, tells, end) = state.withLock { state in
                // At the end it comes after all others, of which some may have to be added.
                if let tells = state.tells, tells <= time || state.end != nil && state.queue.isEmpty { state.tell() }
                return (state.next, state.tells, state.end)
            }
            // One that waits for its next attempt holds up those of its own issue only; at the end each is tried once more.
            let rest = next.map { ContinuousClock.now.duration(to: $0.due) }
            if let next, let rest, end != nil || rest <= .zero {
                attempt(next)
                continue
            }
            if end != nil { break }
            wait([rest, tells.map { time.duration(to: $0) }].compactMap(\.self).min())
        }
        remember()
        ended.signal()
    }

    /// Waits for something to do, at most so long.
    private func wait(_ rest: Duration?) {
        guard let rest else { return wakes.wait() }
        _ = wakes.wait(timeout: .now() + .milliseconds(Int(rest / .milliseconds(1)) + 1))
    }

    /// Keeps what is not told yet as it is now.
    private func remember() {
        let untold = state.withLock { state -> LeftOut?? in
            let untold = state.untold
            guard untold != state.kept else { return nil }
            state.kept = untold
            return .some(untold)
        }
        guard let untold else { return }
        memory.keep(untold.map { Array(JSONValue.object($0.members).text.utf8) }, channel.name)
    }

    private func attempt(_ waiting: Waiting) {
        if let end = state.withLock({ $0.end }), end <= .now { return giveUp(waiting, "the collector stops") }
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
            else { return giveUp(waiting, error.reason) }
            log("notify: \(channel.name) \(error.reason); once more in \(pause)")
            state.withLock { $0.postpone(waiting.notice, until: .now + pause) }
        }
    }

    private func giveUp(_ waiting: Waiting, _ reason: String) {
        let notice = waiting.notice
        state.withLock { state in
            state.remove(notice)
            state.counts.failed += 1
            if state.end != nil { state.notTold = LeftOut(notice, since: waiting.came).added(to: state.notTold) }
        }
        log("notify: \(channel.name) \(reason); given up: \(notice.label)")
    }
}
