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
    private let makeDigest: @Sendable () -> Digest
    private let makeGroup: (@Sendable () -> RulesChange.Group)?
    private let log: @Sendable (String) -> Void
    private let mustWait: @Sendable () -> Bool
    private let onDigested: @Sendable (ReportKey, DigestOutcome) -> Void
    private let onEvent: @Sendable (DigestedIn, ReportKey) -> Void
    private let isWoken = Atomic(false)
    private let wakes = DispatchSemaphore(value: 0)
    private let isStarted = Atomic(false)
    private let end = Mutex<ContinuousClock.Instant?>(nil)
    private let ended = DispatchSemaphore(value: 0)
    private let doneCount = Atomic(0)
    private let failedCount = Atomic(0)

    /// Adds symbols to a report, and groups it.
    ///
    /// - Parameter next: the report that is next in line, if one is; another may come in between.
    public typealias Digest = (_ report: PendingReport, _ next: PendingReport?) throws -> DigestOutcome

    /// How often a report may fail, or end the process, before it is given up. Many: a process that is killed for other reasons,
    /// again and again under load, finds the same report on top each time.
    public static let maximumAttempts = 10
    /// Reports that are claimed, and written, by one transaction.
    private static let batch = 64

    /// A worker that is not started yet.
    ///
    /// - Parameters:
    ///   - log: gets a line for each report that was digested or failed, and for each failure of the store; called on the worker's thread.
    ///   - mustWait: whether something is more urgent at this moment; asked before each report, which is digested 2 ms later then.
    ///   - onDigested: told of each report that was written; called on the worker's thread.
    ///   - onEvent: told of each report that changed something about its issue, once that is written; called on the worker's thread.
    ///   - makeGroup: makes what groups reports of issues that older rules made; called once, on the worker's thread. With nil these
    ///     issues stay as they are.
    ///   - makeDigest: makes what adds symbols and groups; called once, on a second thread of the worker, where the result stays.
    public init(
        store: any Store,
        log: @escaping @Sendable (String) -> Void,
        mustWait: @escaping @Sendable () -> Bool = { false },
        onDigested: @escaping @Sendable (ReportKey, DigestOutcome) -> Void = { _, _ in },
        onEvent: @escaping @Sendable (DigestedIn, ReportKey) -> Void = { _, _ in },
        makeGroup: (@Sendable () -> RulesChange.Group)? = nil,
        makeDigest: @escaping @Sendable () -> Digest
    ) {
        self.makeGroup = makeGroup
        self.store = store
        self.log = log
        self.mustWait = mustWait
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
        thread.name = "digest-store"
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
        let makeDigest = makeDigest
        let thread = DigestThread(isTimeOver: { [self] in isTimeOver }, mustWait: mustWait) {
            let digest = makeDigest()
            return { report, next in
                // Of several nodes: each start gives up what ended its own process, but this one may not have been started anew.
                if report.attempts > Self.maximumAttempts { throw TooManyAttempts() }
                return try digest(report, next)
            }
        }
        var failures = 0
        var isRecovered = false
        while true {
            // After a failure of the store it is tried again in 1, 2, 4 … 32 s. Else there is nothing to do until woken,
            // but that `mayday import`, another process, may have added reports.
            _ = wakes.wait(timeout: .now() + .seconds(failures == 0 ? 2 : 1 << min(failures - 1, 5)))
            isWoken.store(false, ordering: .sequentiallyConsistent)
            do throws(StoreError) {
                if !isRecovered { try store.retryFailed(maximumAttempts: Self.maximumAttempts) }
                if !isRecovered, let makeGroup {
                    // Before any new report is grouped, which would make another issue of an old one.
                    let group = makeGroup()
                    try RulesChange.apply(to: store, isTimeOver: { isTimeOver }, log: log, group: group)
                }
                isRecovered = true
                try drain(thread)
                failures = 0
            } catch {
                failures += 1
                log("digest: \(error)")
            }
            if isStopping { break }
        }
        thread.end()
        ended.signal()
    }

    /// Digests until nothing waits. While some are digested, those before them are written and those behind them claimed.
    private func drain(_ thread: DigestThread) throws(StoreError) {
        var claimed: [ReportKey] = []
        do throws(StoreError) {
            var next = try claim(after: 0, &claimed)
            var done: [DigestThread.Item] = []
            while !next.isEmpty, !isTimeOver {
                let begun = next
                thread.begin(begun)
                try write(done, &claimed)
                // One that was tried before may have ended the process: it must not use up the attempts of others.
                let isAlone = begun.contains { $0.attempts > 1 }
                next = isAlone ? [] : try claim(after: begun.map(\.position).max() ?? 0, &claimed)
                var news = thread.next()
                while !news.isOver {
                    try write(news.done, &claimed)
                    news = thread.next()
                }
                done = news.done
                guard next.isEmpty else { continue }
                try write(done, &claimed)
                done = []
                // Those that came to wait again are further ahead.
                if !isTimeOver { next = try claim(after: 0, &claimed) }
            }
            try write(done, &claimed)
        } catch {
            thread.abandon()
            // What comes of a disk that is full is no fault of the reports.
            try? store.release(claimed)
            throw error
        }
        if !claimed.isEmpty { try store.release(claimed) }
    }

    private func claim(after position: Int, _ claimed: inout [ReportKey]) throws(StoreError) -> [PendingReport] {
        let found = try store.claimPending(limit: Self.batch, after: position)
        claimed += found.map(\.key)
        return found
    }

    /// Writes what came of reports, which then are claimed no more.
    private func write(_ done: [DigestThread.Item], _ claimed: inout [ReportKey]) throws(StoreError) {
        guard !done.isEmpty else { return }
        var outcomes: [(report: PendingReport, outcome: DigestOutcome)] = []
        for item in done {
            let key = item.report.key
            do {
                outcomes.append((item.report, try item.result.get()))
            } catch {
                failedCount.add(1, ordering: .relaxed)
                if !(error is TooManyAttempts) { log("digest: report \(key.id) of project \(key.project): \(error)") }
                try store.fail(key, reason: "\(error)")
            }
        }
        let written = outcomes.isEmpty ? [] : try store.finish(outcomes.map { $0.outcome.digestion(of: $0.report) })
        let keys = Set(done.map(\.report.key))
        claimed.removeAll(where: keys.contains)
        for ((report, outcome), result) in zip(outcomes, written) {
            let key = report.key
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
    }
}

/// Why a report is given up that ended the process each time.
private struct TooManyAttempts: Error, CustomStringConvertible {
    var description: String { "the collector ended while digesting it, \(DigestWorker.maximumAttempts) times" }
}
