public import CrashReport
import Foundation
public import Grouping

/// Digests reports in a process of its own, because debug files may do anything to what reads them.
///
/// The process stays for the next report, with its files open. When it dies or takes too long, another one gets the same
/// report; if that dies as well, the file that it was reading is left out, the report says so, and all other frames have
/// their functions. Not thread-safe, and not `Sendable`.
public final class IsolatedDigester {
    private let launch: () throws(WorkerEnd) -> any Worker
    private let limits: WorkerLimits
    private let revision: (String) -> String?
    private var worker: (any Worker)?
    /// Builds whose files ended a process, and how.
    private var leftOut: [String: String] = [:]
    /// Which files of theirs these were; nothing for builds that had none in the store.
    private var revisions: [String: String] = [:]
    /// What the process that runs was told of them.
    private var known: [String: String] = [:]
    /// The report that the process was given ahead, and that it has not been asked for.
    private var sent: [UInt8]?
    /// Processes that ended, of which there is to be no more than the files explain.
    private(set) var ends = 0

    /// Files that one report may lose before it is digested without any.
    private static let maximumLosses = 8
    private static let maximumLeftOut = 1_024
    /// Bytes of a report that is sent ahead: less than fit into the pipe.
    private static let largestAhead = 64 << 10

    /// A digester whose process is this program, run again.
    ///
    /// - Parameters:
    ///   - arguments: make this program call `DigestService.run`.
    ///   - revision: tells the file that the symbol store has of a build from the one before, and is nil for none. A build that was
    ///     left out is read again when it changes.
    public convenience init(
        arguments: [String],
        limits: WorkerLimits = WorkerLimits(),
        revision: @escaping (String) -> String?
    ) {
        self.init(limits: limits, revision: revision) { () throws(WorkerEnd) in
            try WorkerProcess("/proc/self/exe", arguments)
        }
    }

    init(
        limits: WorkerLimits,
        revision: @escaping (String) -> String? = { _ in nil },
        launch: @escaping () throws(WorkerEnd) -> any Worker
    ) {
        self.limits = limits
        self.revision = revision
        self.launch = launch
    }

    /// Symbolicates and groups one report.
    ///
    /// - Parameters:
    ///   - gzip: the report file.
    ///   - next: the report that is digested after this one, if it is known: the process begins with it while this one is taken.
    public func digest(_ gzip: [UInt8], before next: [UInt8]? = nil) throws(IsolationError) -> DigestOutcome {
        let changed = leftOut.keys.filter { revision($0) != revisions[$0] }
        if !changed.isEmpty { forget(changed) }
        var losses = 0
        let answer: Result<DigestOutcome, IsolationError>
        while true {
            let isFresh = worker == nil
            do throws(WorkerEnd) {
                let worker = try running()
                answer = try ask(worker, gzip, before: next)
                break
            } catch {
                let image = worker?.image
                worker = nil
                ends += 1
                // One that served others may be worn out by them.
                if !isFresh { continue }
                losses += 1
                guard losses <= Self.maximumLosses, let image,
                    let images = try? Report.decode(gzip: gzip).report.images, images.indices.contains(image),
                    let buildID = images[image].buildID?.lowercased(),
                    leftOut[buildID] == nil
                else { throw .ended(error.reason) }
                if leftOut.count >= Self.maximumLeftOut { (leftOut, revisions) = ([:], [:]) }
                leftOut[buildID] = error.reason
                revisions[buildID] = revision(buildID)
            }
        }
        return try answer.get()
    }

    /// Symbolicates and groups a report that is in memory, as `digest(_:)` does with its file.
    public func digest(_ report: Report) throws(IsolationError) -> DigestedReport {
        let outcome = try digest(report.encode(level: 1))
        var report = report
        do throws(ReportDecodingError) {
            try DigestAdditions.add(outcome.additions, to: &report)
        } catch {
            throw .ended("answered in a way that is not understood")
        }
        return DigestedReport(
            report: report,
            fingerprint: outcome.fingerprint,
            explanation: outcome.explanation,
            title: outcome.title,
            culprit: outcome.culprit,
            notes: outcome.notes
        )
    }

    /// Groups a report that has its functions once more, by these rules.
    public func group(_ report: Report) throws(IsolationError) -> DigestOutcome {
        let answer: Result<DigestOutcome, IsolationError>
        do throws(WorkerEnd) {
            let worker = try running()
            let deadline = ContinuousClock.Instant.now + limits.time
            try worker.send(.group(report.encode(level: 1)))
            answer = try outcome(try worker.receive(before: deadline))
        } catch {
            worker = nil
            ends += 1
            throw .ended(error.reason)
        }
        return try answer.get()
    }

    /// Takes the files of these builds again, which are others now, and opens all files anew.
    public func forget(_ buildIDs: some Sequence<String>) {
        for buildID in buildIDs {
            leftOut[buildID] = nil
            revisions[buildID] = nil
        }
        worker = nil
    }

    private func running() throws(WorkerEnd) -> any Worker {
        if let worker { return worker }
        let started = try launch()
        worker = started
        known = [:]
        sent = nil
        return started
    }

    private func ask(_ worker: any Worker, _ gzip: [UInt8], before next: [UInt8]?)
        throws(WorkerEnd) -> Result<DigestOutcome, IsolationError>
    {
        let deadline = ContinuousClock.Instant.now + limits.time
        if let sent, sent != gzip {
            // Whoever asks asked for another in between: its answer is in the way.
            _ = try worker.receive(before: deadline)
            self.sent = nil
        }
        if leftOut != known {
            try worker.send(.leftOut((try? [UInt8](JSONEncoder().encode(leftOut))) ?? []))
            known = leftOut
        }
        if sent == nil { try worker.send(.report(gzip)) }
        sent = nil
        // One that waits for room in the pipe would wait for ever for a process that waits to be heard.
        if let next, next.count <= Self.largestAhead {
            try worker.send(.report(next))
            sent = next
        }
        return try outcome(try worker.receive(before: deadline))
    }

    private func outcome(_ answer: WorkerMessage) throws(WorkerEnd) -> Result<DigestOutcome, IsolationError> {
        switch answer {
        case .digested(let message):
            guard let outcome = DigestOutcome(message: message) else {
                throw WorkerEnd(reason: "answered in a way that is not understood")
            }
            return .success(outcome)
        case .failed(let text):
            return .failure(.unreadable(String(decoding: text, as: UTF8.self)))
        case .leftOut, .report, .group, .inspect, .inspected:
            throw WorkerEnd(reason: "answered in a way that is not understood")
        }
    }
}

/// Why a report could not be digested.
public enum IsolationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The process that reads debug files ended, and not because of a file that could be left out.
    case ended(String)
    /// The report cannot be read.
    case unreadable(String)

    /// What became of it.
    public var reason: String {
        switch self {
        case .ended(let reason), .unreadable(let reason): reason
        }
    }

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .ended(let reason):
            "the process that reads debug files \(reason); the report is kept and tried again at the next start"
        case .unreadable(let reason): reason
        }
    }
}
