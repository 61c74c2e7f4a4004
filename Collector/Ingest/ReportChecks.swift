import CrashReport
import Dispatch
import Foundation
import Synchronization

/// Reads what is sent, to see that it is a report: bounds the memory and the processors that it takes, however many
/// connections there are.
///
/// Under load it is done by a few threads that go on as long as something waits. Where the connections' own threads took
/// turns, each turn began with a wake-up, and in between the scheduler left processors to the digestion, whose priority is lower.
final class ReportChecks: Sendable {
    private let line: Line

    init(limits: ReportLimits) {
        let line = Line(limits)
        self.line = line
        for _ in 0..<max(2, ProcessInfo.processInfo.activeProcessorCount) {
            let thread = Thread { line.work() }
            thread.name = "check"
            thread.start()
        }
    }

    deinit { line.end() }

    /// The report that a body is. Waits for its turn.
    func report(in body: [UInt8]) throws(ReportDecodingError) -> Report {
        // A thread has to be woken, so what comes alone is read where it is.
        guard !line.beginAlone() else {
            defer { line.endAlone() }
            return try line.read(body)
        }
        let check = Check(body)
        line.add(check)
        check.done.wait()
        guard let result = check.result.withLock({ $0 }) else { return try line.read(body) }
        return try result.get()
    }
}

/// One body, and the report that it is.
private final class Check: Sendable {
    let body: [UInt8]
    let result = Mutex<Result<Report, ReportDecodingError>?>(nil)
    let done = DispatchSemaphore(value: 0)

    init(_ body: [UInt8]) { self.body = body }
}

/// What waits to be read.
private final class Line: Sendable {
    private struct State {
        /// Those to come, the next one last, and those behind them, the next one first.
        var next: [Check] = []
        var behind: [Check] = []
        var underWay = 0

        mutating func take() -> Check? {
            if next.isEmpty { (next, behind) = (behind.reversed(), []) }
            guard let check = next.popLast() else { return nil }
            underWay += 1
            return check
        }
    }

    private let limits: ReportLimits
    private let state = Mutex(State())
    /// Counts those that wait, and one more at the end.
    private let arrivals = DispatchSemaphore(value: 0)

    init(_ limits: ReportLimits) { self.limits = limits }

    func read(_ body: [UInt8]) throws(ReportDecodingError) -> Report {
        try Report.decode(gzip: body, limits: limits).report
    }

    /// True when nobody else is at it; `endAlone` is due then.
    func beginAlone() -> Bool {
        state.withLock { state in
            guard state.underWay == 0, state.next.isEmpty, state.behind.isEmpty else { return false }
            state.underWay = 1
            return true
        }
    }

    func endAlone() { state.withLock { $0.underWay -= 1 } }

    func add(_ check: Check) {
        state.withLock { $0.behind.append(check) }
        arrivals.signal()
    }

    /// Nothing more comes.
    func end() { arrivals.signal() }

    /// Reads what waits, until the end.
    func work() {
        while true {
            arrivals.wait()
            guard let check = state.withLock({ $0.take() }) else {
                // The end, and for the other threads too.
                arrivals.signal()
                return
            }
            let result = Result { () throws(ReportDecodingError) in try read(check.body) }
            check.result.withLock { $0 = result }
            state.withLock { $0.underWay -= 1 }
            check.done.signal()
        }
    }
}
