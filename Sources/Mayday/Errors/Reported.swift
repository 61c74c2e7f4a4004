internal import CrashReport
internal import Synchronization

/// Handled errors on their way into the spool: those that wait, and the one task that writes them.
///
/// Nothing runs at rest: the task begins with the first error and ends when none waits. While repeated errors are counted,
/// one more sleeps until they are due.
enum Reported {
    /// How many wait for the writer; above it the newest are lost, and counted.
    private static let capacity = 256
    private static let state = Mutex(State())

    private struct State {
        /// nil before the first error of a service that captures.
        var writer: OccurrenceWriter?
        var waiting: [CountedOccurrence] = []
        var lost = 0
        /// What is not reported, and was not written down yet.
        var discarded: [DiscardReason: Int] = [:]
        var isWriting = false
        var saidWaiting = false
        var brake = ErrorBrake(limits: ErrorLimits())
        /// Sleeps until the next counted error is due.
        var timer: Task<Void, Never>?
        /// Those who wait until all that waits is written.
        var flushing: [CheckedContinuation<Void, Never>] = []

        /// False where errors are not reported: before `start`, and where crashes are not captured. Nothing of this is made
        /// ready by `start`, which should cost nothing.
        mutating func isReady() -> Bool {
            if writer != nil { return true }
            guard let service = Mayday.started, service.isCapturing else { return false }
            writer = OccurrenceWriter(service)
            brake = ErrorBrake(limits: service.errorLimits)
            return true
        }

        /// True where Dispatch might take the last descriptors of the service; said once.
        mutating func mustWait() -> Bool {
            guard !isWriting, Descriptors.areFew else { return false }
            if !saidWaiting { StandardError.warn("handled errors wait in memory: \(Descriptors.reason)") }
            saidWaiting = true
            return true
        }

        /// True for the one who must start the writing task.
        mutating func claimWriting() -> Bool {
            defer { isWriting = true }
            return !isWriting
        }
    }

    /// False where errors are not reported.
    static var isReady: Bool { state.withLock { $0.isReady() } }

    /// Takes one, on its caller's thread. Returns the id of its report, nil when it is surely not sent.
    static func take(_ occurrence: Occurrence) -> String? {
        let (taken, begins) = state.withLock { state -> (Bool, Bool) in
            guard state.waiting.count < capacity else {
                state.lost += 1
                state.discarded.add(1, .overflow)
                return (false, false)
            }
            state.waiting += state.brake.due(now: .now)
            let verdict = state.brake.take(occurrence, now: .now, chance: .random(in: 0..<1))
            if verdict == .send { state.waiting.append(CountedOccurrence(occurrence: occurrence, count: 1)) }
            if verdict == .hold { schedule(&state) }
            if verdict == .skip { state.discarded.add(1, .sampled) }
            if verdict == .drop { state.discarded.add(1, .limited) }
            // Where few descriptors are left, those that wait are written with the next that finds more.
            let begins = !state.waiting.isEmpty && !state.mustWait() && state.claimWriting()
            return (verdict == .send || verdict == .hold, begins)
        }
        if begins { startWriting() }
        return taken ? occurrence.id : nil
    }

    /// Writes everything that waits or was counted, and returns when it is in the spool.
    static func flush() async {
        await withCheckedContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting += state.brake.due(now: nil)
                state.timer?.cancel()
                state.timer = nil
                state.flushing.append(continuation)
                return state.claimWriting()
            }
            if begins { startWriting() }
        }
    }

    /// Has the uploaders let go of what they hold, where there is no spool.
    static func shutdown(deadline: ContinuousClock.Instant) async {
        await state.withLock { $0.writer }?.shutdown(deadline: deadline)
    }

    private static func schedule(_ state: inout State) {
        guard state.timer == nil, let next = state.brake.next else { return }
        state.timer = Task.detached(priority: .utility) {
            guard (try? await Task.sleep(until: next, clock: .continuous)) != nil else { return }
            wake()
        }
    }

    private static func wake() {
        let begins = state.withLock { state in
            state.timer = nil
            state.waiting += state.brake.due(now: .now)
            schedule(&state)
            return state.waiting.isEmpty ? false : state.claimWriting()
        }
        if begins { startWriting() }
    }

    private static func startWriting() { Task.detached(priority: .utility) { await write() } }

    private static func write() async {
        while let (occurrences, writer) = nextToWrite() { await writer.write(occurrences) }
    }

    /// What waits; nil when nothing does, and the task ends.
    private static func nextToWrite() -> ([CountedOccurrence], OccurrenceWriter)? {
        let (next, done, lost, discarded, writer) = state.withLock { state in
            let lost = state.lost + state.brake.takeDropped()
            let discarded = state.discarded
            state.lost = 0
            state.discarded = [:]
            guard let writer = state.writer, !state.waiting.isEmpty else {
                defer { state.flushing = [] }
                state.isWriting = false
                return (([CountedOccurrence], OccurrenceWriter)?.none, state.flushing, lost, discarded, state.writer)
            }
            defer { state.waiting = [] }
            return ((state.waiting, writer), [], lost, discarded, writer)
        }
        if !discarded.isEmpty { writer?.note(discarded) }
        if lost > 0 {
            StandardError.warn("\(lost) handled errors are not reported, there were more than the limits allow")
        }
        for continuation in done { continuation.resume() }
        return next
    }
}
