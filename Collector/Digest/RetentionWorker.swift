import CrashReport
import Foundation
public import Store

/// Removes what projects do not keep, at the start of `serve` and then every ten minutes, on a thread of its own. In small
/// pieces, so that reports that come in meanwhile wait for a few milliseconds at most.
public final class RetentionWorker: @unchecked Sendable {
    // Unchecked: `isStopped` is touched only with `condition` locked.
    private let condition = NSCondition()
    private var isStopped = false
    private let store: any Store
    private let log: @Sendable (String) -> Void
    private static let pause = TimeInterval(600)
    private static let piece = 200

    /// Starts it.
    ///
    /// - Parameter log: gets a line for each project of which something was removed, and for each failure of the store;
    ///   called on the worker's thread.
    public init(store: any Store, log: @escaping @Sendable (String) -> Void) {
        self.store = store
        self.log = log
        Thread.detachNewThread { self.run() }
    }

    /// Ends it after the piece that it is at.
    public func stop() {
        condition.withLock {
            isStopped = true
            condition.signal()
        }
    }

    private func run() {
        while true {
            do throws(StoreError) { try prune() } catch { log("retention: \(error)") }
            let next = Date(timeIntervalSinceNow: Self.pause)
            condition.lock()
            defer { condition.unlock() }
            while !isStopped, condition.wait(until: next) {}
            if isStopped { return }
        }
    }

    private func prune() throws(StoreError) {
        for project in try store.projects() {
            var sum = 0
            var removed: Int
            repeat {
                removed = try store.prune(project: project.id, at: .now(), limit: Self.piece)
                sum += removed
            } while removed == Self.piece && !condition.withLock { isStopped }
            let reports = sum == 1 ? "1 report" : "\(sum) reports"
            if sum > 0 { log("retention: removed \(reports) of project \(project.id)") }
        }
    }
}
