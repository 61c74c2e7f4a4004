import Dispatch
import Foundation
public import Store
import Synchronization

/// Digests stored reports on a thread of its own, oldest first, while `serve` takes new ones.
///
/// A report's symbols, its issue and its count are written in one transaction, so a kill at any moment neither loses nor
/// doubles anything; a report that ends the process is given up after `maximumAttempts` starts.
public final class DigestWorker: Sendable {
    private let store: any Store
    private let makeDigest: @Sendable () -> (PendingReport) throws -> DigestOutcome
    private let log: @Sendable (String) -> Void
    private let onDigested: @Sendable (ReportKey, DigestOutcome) -> Void
    private let onEvent: @Sendable (DigestedIn, ReportKey) -> Void
    private let isWoken = Atomic(false)
    private let wakes = DispatchSemaphore(value: 0)
    private let isStarted = Atomic(false)
    private let end = Mutex<ContinuousClock.Instant?>(nil)
    private let ended = DispatchSemaphore(value: 0)
    private let doneCount = Atomic(0)
    private let failedCount = Atomic(0)

    /// How often a report may fail, or end the process, before it is given up. Many: a process that is killed for other reasons,
    /// again and again under load, finds the same report on top each time.
    public static let maximumAttempts = 10
    /// Reports that are claimed, and written, by one transaction.
    private static let batch = 64
    /// Outcomes are written earlier when they are so large, or the first of them has waited so long.
    private static let largestBatch = 4 << 20
    private static let longestWait = Duration.milliseconds(500)

    /// A worker that is not started yet.
    ///
    /// - Parameters:
    ///   - log: gets a line for each report that was digested or failed, and for each failure of the store; called on the worker's thread.
    ///   - onDigested: told of each report that was written; called on the worker's thread.
    ///   - onEvent: told of each report that changed something about its issue, once that is written; called on the worker's thread.
    ///   - makeDigest: makes what adds symbols and groups; called once, on the worker's thread, where the result stays.
    public init(
        store: any Store,
        log: @escaping @Sendable (String) -> Void,
        onDigested: @escaping @Sendable (ReportKey, DigestOutcome) -> Void = { _, _ in },
        onEvent: @escaping @Sendable (DigestedIn, ReportKey) -> Void = { _, _ in },
        makeDigest: @escaping @Sendable () -> (PendingReport) throws -> DigestOutcome
    ) {
        self.store = store
        self.log = log
        self.onDigested = onDigested
        self.onEvent = onEvent
        self.makeDigest = makeDigest
    }

    /// Digested since the start.
    public var done: Int { doneCount.load(ordering: .relaxed) }
    /// Failed since the start.
    public var failed: Int { failedCount.load(ordering: .relaxed) }

    /// Starts the thread, which first takes what waits from earlier.
    public func start() {
        guard !isStarted.exchange(true, ordering: .relaxed) else { return }
        let thread = Thread { self.run() }
        thread.name = "digest"
        // Demanglers and debug information of deep templates recurse.
        thread.stackSize = 16 << 20
        thread.start()
        wake()
    }

    /// Says that there may be something to digest. Cheap; from any thread.
    public func wake() {
        if !isWoken.exchange(true, ordering: .acquiringAndReleasing) { wakes.signal() }
    }

    /// Digests what still fits into the time, and returns when the worker has stopped or the time is over. Reports that
    /// were not reached wait for the next start.
    public func stop(within limit: Duration) {
        guard isStarted.load(ordering: .relaxed) else { return }
        end.withLock { $0 = min($0 ?? .now + limit, .now + limit) }
        wake()
        _ = ended.wait(timeout: .now() + .milliseconds(Int(limit / .milliseconds(1)) + 100))
    }

    private var isTimeOver: Bool { end.withLock { $0.map { ContinuousClock.now >= $0 } ?? false } }
    private var isStopping: Bool { end.withLock { $0 != nil } }

    private func run() {
        let digest = makeDigest()
        var failures = 0
        var isRecovered = false
        while true {
            // After a failure of the store it is tried again in 1, 2, 4 … 32 s. Else there is nothing to do until woken,
            // but that `mayday import`, another process, may have added reports.
            _ = wakes.wait(timeout: .now() + .seconds(failures == 0 ? 2 : 1 << min(failures - 1, 5)))
            isWoken.store(false, ordering: .sequentiallyConsistent)
            do throws(StoreError) {
                if !isRecovered { try store.retryFailed(maximumAttempts: Self.maximumAttempts) }
                isRecovered = true
                try drain(digest)
                failures = 0
            } catch {
                failures += 1
                log("digest: \(error)")
            }
            if isStopping { break }
        }
        ended.signal()
    }

    /// Digests until nothing waits.
    private func drain(_ digest: (PendingReport) throws -> DigestOutcome) throws(StoreError) {
        while !isTimeOver {
            var waiting = try store.claimPending(limit: Self.batch)[...]
            guard !waiting.isEmpty else { return }
            var done: [(key: ReportKey, outcome: DigestOutcome)] = []
            do throws(StoreError) {
                var bytes = 0
                var began = ContinuousClock.now
                while let report = waiting.first, !isTimeOver {
                    if let outcome = try outcome(of: report, digest) {
                        done.append((report.key, outcome))
                        bytes += outcome.gzip.count
                    }
                    waiting.removeFirst()
                    guard bytes > Self.largestBatch || began.duration(to: .now) > Self.longestWait else { continue }
                    try write(&done)
                    (bytes, began) = (0, .now)
                }
                try write(&done)
            } catch {
                // What comes of a disk that is full is no fault of the reports.
                try? store.release(done.map(\.key) + waiting.map(\.key))
                throw error
            }
            if !waiting.isEmpty { try store.release(waiting.map(\.key)) }
        }
    }

    /// Digests one report; nil when it was given up.
    private func outcome(of pending: PendingReport, _ digest: (PendingReport) throws -> DigestOutcome)
        throws(StoreError) -> DigestOutcome?
    {
        guard pending.attempts <= Self.maximumAttempts else {
            // Of several nodes: each start gives up what ended its own process, but this one may not have been started anew.
            failedCount.add(1, ordering: .relaxed)
            try store.fail(
                pending.key,
                reason: "the collector ended while digesting it, \(Self.maximumAttempts) times"
            )
            return nil
        }
        do {
            return try digest(pending)
        } catch {
            failedCount.add(1, ordering: .relaxed)
            log("digest: report \(pending.key.id) of project \(pending.key.project): \(error)")
            try store.fail(pending.key, reason: "\(error)")
            return nil
        }
    }

    /// Writes outcomes, and leaves none when it returns.
    private func write(_ done: inout [(key: ReportKey, outcome: DigestOutcome)]) throws(StoreError) {
        guard !done.isEmpty else { return }
        let written = try store.finish(done.map { $0.outcome.digestion(of: $0.key) })
        for ((key, outcome), result) in zip(done, written) {
            guard let result else { continue }
            onDigested(key, outcome)
            if result.event != nil { onEvent(result, key) }
            doneCount.add(1, ordering: .relaxed)
            let change =
                switch result.event {
                case .new: ", which is new"
                case .regressed: ", which was resolved and is not"
                case .unmuted: ", whose mute is over"
                case nil: ""
                }
            log("digest: report \(key.id) of project \(key.project) is in issue \(result.issue.key.number)\(change)")
        }
        done = []
    }
}
