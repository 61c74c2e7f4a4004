import Dispatch
import Foundation
import Store
import Synchronization

/// A thread that digests what it is given, so that whoever gives it can write meanwhile what was done before.
final class DigestThread: Sendable {
    /// A report and what came of it.
    struct Item: Sendable {
        let report: PendingReport
        let result: Result<DigestOutcome, any Error>
    }

    /// What there is to say of the reports that were given.
    struct News {
        /// Digested, or not to be digested, since the last time.
        var done: [Item]
        /// True when nothing more comes of them.
        var isOver: Bool
        /// When it is over, those that were not begun.
        var left: [PendingReport]
    }

    private struct State {
        var waiting: [PendingReport] = []
        var done: [Item] = []
        var bytes = 0
        var isBusy = false
        var isEnded = false
    }

    private let state = Mutex(State())
    private let work = DispatchSemaphore(value: 0)
    private let news = DispatchSemaphore(value: 0)
    private let isTimeOver: @Sendable () -> Bool
    private let mustWait: @Sendable () -> Bool

    /// What is done is told earlier when it is so large, or when so much time has passed.
    private static let largest = 4 << 20
    private static let longestWait = DispatchTimeInterval.milliseconds(500)

    /// Starts it.
    ///
    /// - Parameters:
    ///   - isTimeOver: no further report is begun once this is true.
    ///   - mustWait: while this is true a report is begun two milliseconds later, and no later than that.
    ///   - makeDigest: called once, on the thread, where the result stays.
    init(
        isTimeOver: @escaping @Sendable () -> Bool,
        mustWait: @escaping @Sendable () -> Bool,
        makeDigest: @escaping @Sendable () -> DigestWorker.Digest
    ) {
        self.isTimeOver = isTimeOver
        self.mustWait = mustWait
        let thread = Thread { self.run(makeDigest()) }
        thread.name = "digest"
        // Demanglers and debug information of deep templates recurse.
        thread.stackSize = 16 << 20
        thread.start()
    }

    /// Gives it reports. All that was given before must be over.
    func begin(_ reports: [PendingReport]) {
        state.withLock {
            $0.waiting = reports.reversed()
            $0.isBusy = true
        }
        work.signal()
    }

    /// Waits for some to be done.
    func next() -> News {
        _ = news.wait(timeout: .now() + Self.longestWait)
        return state.withLock { state in
            let news = News(
                done: state.done,
                isOver: !state.isBusy,
                left: state.isBusy ? [] : state.waiting.reversed()
            )
            (state.done, state.bytes) = ([], 0)
            return news
        }
    }

    /// Takes back what was not begun, and waits for the one that was.
    func abandon() {
        state.withLock { $0.waiting = [] }
        while !next().isOver {}
    }

    /// Ends it, once all that was given is over.
    func end() {
        state.withLock { $0.isEnded = true }
        work.signal()
    }

    /// The report to begin, and the one behind it.
    private func takeNext() -> (PendingReport, PendingReport?)? {
        state.withLock { state in state.waiting.popLast().map { ($0, state.waiting.last) } }
    }

    /// Leaves the processors to what cannot wait. Never for long: what floods for hours is digested meanwhile, if slowly.
    private func giveWay() {
        for _ in 0..<4 where mustWait() { usleep(500) }
    }

    private func run(_ digest: DigestWorker.Digest) {
        while true {
            work.wait()
            if state.withLock({ $0.isEnded }) { return }
            while !isTimeOver(), let (report, next) = takeNext() {
                giveWay()
                let item = Item(report: report, result: Result { try digest(report, next) })
                let isMuch = state.withLock { state in
                    state.done.append(item)
                    if case .success(let outcome) = item.result { state.bytes += outcome.additions.count }
                    return state.bytes > Self.largest
                }
                if isMuch { news.signal() }
            }
            state.withLock { $0.isBusy = false }
            news.signal()
        }
    }
}
