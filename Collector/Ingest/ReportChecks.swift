import CrashReport
import Dispatch
import Foundation
import Synchronization

/// Reads what is sent, to see that it is a report: at most as many at once as there are processors, which bounds the memory
/// and the processors that it takes, however many connections there are.
///
/// Who reads goes on with what the others wait for, and then hands on. Where each read its own, each began with a wake-up, and in
/// between the scheduler left processors to the digestion, whose priority is lower.
final class ReportChecks: Sendable {
    private let limits: ReportLimits
    private let state = Mutex(State())
    private let maximumReaders = max(2, ProcessInfo.processInfo.activeProcessorCount)
    /// Bounds how long one waits who reads for others.
    private static let maximumRound = 16

    private struct State {
        var waiting: [Check] = []
        var readers = 0

        /// The next one that waits; without any, there is one reader less.
        mutating func takeOrLeave() -> Check? {
            guard waiting.isEmpty else { return waiting.removeFirst() }
            readers -= 1
            return nil
        }
    }

    init(limits: ReportLimits) { self.limits = limits }

    /// The report that a body is. Waits for its turn.
    func report(in body: [UInt8]) throws(ReportDecodingError) -> Report {
        let check = Check(body)
        let mayRead = state.withLock { state in
            guard state.readers == maximumReaders else {
                state.readers += 1
                return true
            }
            state.waiting.append(check)
            return false
        }
        if !mayRead { check.turn.wait() }
        if let result = check.result.withLock({ $0 }) { return try result.get() }
        let own = check.read(limits)
        for _ in 1..<Self.maximumRound {
            guard let next = state.withLock({ $0.takeOrLeave() }) else { return try own.get() }
            let result = next.read(limits)
            next.result.withLock { $0 = result }
            next.turn.signal()
        }
        // It finds that nobody has read it, and goes on.
        state.withLock { $0.takeOrLeave() }?.turn.signal()
        return try own.get()
    }
}

/// A body that waits to be read.
private final class Check: Sendable {
    let body: [UInt8]
    /// What came of it, when somebody else read it.
    let result = Mutex<Result<Report, ReportDecodingError>?>(nil)
    /// Signalled once: because it was read, or is to read.
    let turn = DispatchSemaphore(value: 0)

    init(_ body: [UInt8]) { self.body = body }

    func read(_ limits: ReportLimits) -> Result<Report, ReportDecodingError> {
        Result { () throws(ReportDecodingError) in try Report.decode(gzip: body, limits: limits).report }
    }
}
