internal import CHeap
import CrashReport
import Dispatch
import Foundation
import Store
import Synchronization

/// Reads what is sent, to see that it is a report: at most as many at once as there are processors, which bounds the memory
/// and the processors that it takes, however many connections there are.
///
/// Who reads goes on with what the others wait for, and then hands on. Where each read its own, each began with a wake-up, and in
/// between the scheduler left processors to the digestion, whose priority is lower.
///
/// A report is let go of as soon as it was read, and only what the store needs of it stays. One that expands to much is given up
/// there and read in another place, one at a time, so that small ones never wait for large ones and the memory of only one is needed.
final class ReportChecks: Sendable {
    private let limits: ReportLimits
    private let small: ReportLimits
    private let state = Mutex(State())
    private let maximumReaders = max(2, ProcessInfo.processInfo.activeProcessorCount)
    /// Bounds how long one waits who reads for others.
    private static let maximumRound = 16
    private let largeTurn = DispatchSemaphore(value: 1)
    private let largeWait: Duration

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

    /// - Parameters:
    ///   - large: above so many expanded bytes, reports are read one at a time.
    ///   - largeWait: for a large one's turn.
    init(limits: ReportLimits, large: Int, largeWait: Duration) {
        self.limits = limits
        self.largeWait = largeWait
        var small = limits
        small.expandedBytes = min(limits.expandedBytes, large)
        self.small = small
    }

    /// What the store needs of an upload, and what it is alike by. Waits for its turn.
    func read(_ upload: ReportUpload) throws(ReportRefusal) -> CheckedReport {
        do throws(ReportDecodingError) {
            return try readAmongOthers(upload)
        } catch {
            guard error.kind == .limit, small != limits else { throw .unreadable(error) }
        }
        guard largeTurn.wait(timeout: .now() + largeWait / .seconds(1)) == .success else { throw .busy }
        defer { largeTurn.signal() }
        // Each connection's thread may have a heap of its own, which would keep what a large report took.
        defer { malloc_trim(0) }
        do throws(ReportDecodingError) { return try upload.read(limits) } catch { throw .unreadable(error) }
    }

    private func readAmongOthers(_ upload: ReportUpload) throws(ReportDecodingError) -> CheckedReport {
        let check = Check(upload)
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
        let own = check.read(small)
        for _ in 1..<Self.maximumRound {
            guard let next = state.withLock({ $0.takeOrLeave() }) else { return try own.get() }
            let result = next.read(small)
            next.result.withLock { $0 = result }
            next.turn.signal()
        }
        // It finds that nobody has read it, and goes on.
        state.withLock { $0.takeOrLeave() }?.turn.signal()
        return try own.get()
    }
}

/// A body that came for a project.
struct ReportUpload: Sendable {
    var project: Int
    var body: [UInt8]

    fileprivate func read(_ limits: ReportLimits) throws(ReportDecodingError) -> CheckedReport {
        let report = try Report.decode(gzip: body, limits: limits).report
        return CheckedReport(
            new: NewReport(project: project, received: .now(), report: report, gzip: body),
            alike: report.alike
        )
    }
}

/// What stays of a report that was read.
struct CheckedReport: Sendable {
    /// For the store; without the key that it came with.
    var new: NewReport
    /// As `Report.alike`.
    var alike: Int
}

/// Why an upload is not taken.
enum ReportRefusal: Error {
    /// It is no report.
    case unreadable(ReportDecodingError)
    /// It is large, and its turn did not come.
    case busy
}

/// An upload that waits to be read.
private final class Check: Sendable {
    let upload: ReportUpload
    /// What came of it, when somebody else read it.
    let result = Mutex<Result<CheckedReport, ReportDecodingError>?>(nil)
    /// Signalled once: because it was read, or is to read.
    let turn = DispatchSemaphore(value: 0)

    init(_ upload: ReportUpload) { self.upload = upload }

    func read(_ limits: ReportLimits) -> Result<CheckedReport, ReportDecodingError> {
        Result { () throws(ReportDecodingError) in try upload.read(limits) }
    }
}
