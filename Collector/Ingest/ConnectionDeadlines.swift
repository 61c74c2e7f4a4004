import Foundation
import Synchronization

/// Ends connections that take too long over a request or its answer: the library's own timeout is for silence only, and a
/// client that sends a byte now and then would hold its thread for ever.
final class ConnectionDeadlines: @unchecked Sendable {
    // Unchecked: everything below is touched only with `condition` locked.
    private let condition = NSCondition()
    private var deadlines: [Int32: ContinuousClock.Instant] = [:]
    private var isStopped = false
    private let allowance: Duration

    /// - Parameter allowance: for the whole of a request, and again for the whole of its answer.
    init(allowance: Duration) {
        self.allowance = allowance
        Thread.detachNewThread { self.run() }
    }

    /// A connection begins, or its next request may.
    func restart(_ socket: Int32) { set(socket, .now + allowance) }

    /// The server is at work: it is not the client that takes long.
    func suspend(_ socket: Int32) { set(socket, nil) }

    /// The connection ends; its socket is still open.
    func remove(_ socket: Int32) { set(socket, nil) }

    func stop() {
        condition.withLock {
            isStopped = true
            condition.signal()
        }
    }

    private func set(_ socket: Int32, _ deadline: ContinuousClock.Instant?) {
        condition.withLock {
            let wasIdle = deadlines.isEmpty
            deadlines[socket] = deadline
            // Deadlines are all equally far away, so a new one never comes before one that is waited for.
            if wasIdle { condition.signal() }
        }
    }

    private func run() {
        condition.lock()
        defer { condition.unlock() }
        while !isStopped {
            guard let next = deadlines.values.min() else {
                condition.wait()
                continue
            }
            let left = ContinuousClock.now.duration(to: next)
            if left > .zero {
                let seconds = Double(left.components.seconds) + Double(left.components.attoseconds) / 1e18
                _ = condition.wait(until: Date(timeIntervalSinceNow: seconds))
                continue
            }
            for (socket, deadline) in deadlines where deadline <= next {
                // Its thread sees the end of the connection. The socket cannot be another's by now: it is removed
                // from here before it is closed, and that waits for this lock.
                shutdown(socket, Int32(SHUT_RDWR))
                deadlines[socket] = nil
            }
        }
    }
}
