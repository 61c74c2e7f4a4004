internal import CrashReport
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// One uploader's way through the spool. Lanes do not wait for each other: a backend that is broken, slow or paused
/// changes nothing for the others.
struct Lane: Sendable {
    let uploader: any ReportUploader
    let name: UploaderName
    /// Every uploader that is configured, this one among them.
    let all: [UploaderName]
    let rules: OutgoingRules
    private let preparation = Preparation()

    init(uploader: any ReportUploader, name: UploaderName, all: [UploaderName], rules: OutgoingRules) {
        self.uploader = uploader
        self.name = name
        self.all = all
        self.rules = rules
    }

    /// A lane for each uploader.
    static func lanes(of uploaders: [any ReportUploader], rules: OutgoingRules = OutgoingRules()) -> [Lane] {
        let names = uploaders.map { UploaderName($0.name) }
        return zip(uploaders, names).map { Lane(uploader: $0, name: $1, all: names, rules: rules) }
    }

    /// Delivers what is due, one report at a time. The first that must be tried again later ends the round: the others
    /// would fare alike, and have their turn before it in the next round.
    ///
    /// - Parameters:
    ///   - limit: how long each report may take.
    ///   - urgent: our own pauses do not count. Those that the backend asked for do.
    ///   - tidying: how the spool was made ready for it.
    func round(
        in path: String,
        limit: Duration,
        urgent: Bool,
        tidying: DeliverySummary = DeliverySummary()
    ) async -> DeliverySummary {
        var summary = tidying
        do {
            let spool = try Spool(opening: path)
            var last: WaitingReport?
            repeat {
                let plan = try plan(in: spool, behind: last, urgent: urgent)
                let (due, now) = (plan.due, Timestamp.now())
                summary.next = plan.next
                if !due.isEmpty || plan.next != nil, let until = pause(in: spool, now: now) {
                    summary.keep("\(uploader.destination) asked not to be sent to before \(until)", asked: until - now)
                    return summary
                }
                if let pause = plan.pause {
                    let reason = "attempts to deliver \(plan.interrupted) reports ended their process"
                    summary.keep("\(uploader.destination): \(reason)", asked: pause)
                    return summary
                }
                for report in due where summary.kept == nil {
                    await deliver(report.id, in: spool, limit: limit, summary: &summary)
                }
                last = due.count == Spool.window ? due.last : nil
            } while last != nil && summary.kept == nil
        } catch let error as SystemError {
            summary.keep("the spool \(path) cannot be read: \(error)")
        } catch {
            summary.keep("\(error)")
        }
        return summary
    }

    /// The next reports for this uploader. One that waits for no uploader any more is taken out on the way.
    private func plan(
        in spool: borrowing Spool,
        behind last: WaitingReport?,
        urgent: Bool
    ) throws(SystemError) -> DeliveryPlan {
        var plan = DeliveryPlan(behind: last, now: .now(), urgent: urgent)
        var names = try DirectoryNames(of: spool.directory)
        while let entry = names.nextEntry() {
            if entry.isPart { continue }
            var report = WaitingReport(id: entry.id)
            if let status = try spool.status(of: name.recordFile(of: entry.id)) {
                let record = spool.record(of: entry.id, by: name)
                if let outcome = record.outcome {
                    // The one that it waited for may have been taken out of the configuration.
                    _ = try? spool.settle(entry.id, by: name, outcome, among: all, isNoted: true)
                    continue
                }
                report.attempts = record.begun
                let last = Timestamp(microseconds: Int64(status.modified) * 1_000_000)
                report.lastAttempt = last
                if !urgent, record.isOpen, !spool.isTaken(entry.id, by: name) { plan.addInterrupted(at: last) }
            }
            plan.add(report)
        }
        return plan
    }

    private func deliver(
        _ id: String,
        in spool: borrowing Spool,
        limit: Duration,
        summary: inout DeliverySummary
    ) async {
        do throws(SystemError) {
            switch try spool.claim(id, for: name) {
            case .taken: summary.elsewhere += 1
            case .gone: break
            case .claimed(let report):
                switch await deliver(report, in: spool, deadline: .now.advanced(by: limit)) {
                case .delivered: summary.delivered += 1
                case .rejected(let reason, _): summary.reject("\(id): \(reason)")
                case .kept(let reason, let after): summary.keep(reason, asked: after)
                case .settledBefore, .dropped, .notWanted: break
                }
            }
        } catch {
            summary.leave("\(SpoolEntry(id: id, isPart: false).fileName): \(error)")
        }
    }

    /// Delivers a claimed report, and takes it out of the spool after the answer of the last uploader, never before.
    func deliver(
        _ report: consuming ClaimedReport,
        in spool: borrowing Spool,
        deadline: ContinuousClock.Instant
    ) async -> DeliveryOutcome {
        let id = report.entry.id
        do throws(SystemError) {
            let record = spool.record(of: id, by: name)
            if record.outcome != nil { return .settledBefore }
            guard record.unfinished < DeliveryRecord.unfinishedLimit else {
                return try reject(
                    id,
                    in: spool,
                    named("\(record.unfinished) attempts to deliver it ended their process")
                )
            }
            // A disk that is full must not stop the delivery, which empties it.
            try? spool.note(.begun, of: id, by: name)
            guard let bytes = try report.read() else {
                return try reject(id, in: spool, named("the file is empty or above \(Spool.largestReport >> 20) MiB"))
            }
            let outgoing: [UInt8]
            switch await rules.verdict(on: bytes, for: uploader, deadline: deadline) {
            case .send(let bytes): outgoing = bytes
            case .dropped:
                try spool.settle(id, by: name, .delivered, among: all)
                discard(.beforeSend, in: spool)
                return .dropped
            case .notWanted:
                try spool.settle(id, by: name, .delivered, among: all)
                return .notWanted
            case .tooLarge(let reason): return try reject(id, in: spool, named(reason))
            }
            let discarded = spool.takeDiscards(of: name)
            let report = SpooledReport(id: id, gzip: outgoing, deadline: deadline, discarded: discarded)
            switch await upload(report) {
            case nil:
                try spool.settle(id, by: name, .delivered, among: all)
                return .delivered
            case .rejected(let reason):
                spool.note(discarded, discardedFor: name)
                return try reject(id, in: spool, reason)
            case .retry(let after, let reason):
                spool.note(discarded, discardedFor: name)
                try? spool.note(.later, of: id, by: name)
                guard let after else { return .kept(reason: reason, retryAfter: nil) }
                let pause = RetryPolicy.honoured(after)
                try? spool.pause(name, at: uploader.pauseScope, until: .now().advanced(by: pause))
                return .kept(reason: reason, retryAfter: pause)
            }
        } catch {
            return .kept(reason: "the spool \(spool.path) cannot be changed: \(error)", retryAfter: nil)
        }
    }

    private func reject(_ id: String, in spool: borrowing Spool, _ reason: String) throws(SystemError)
        -> DeliveryOutcome
    {
        discard(.rejected, in: spool)
        return .rejected(reason: reason, path: try spool.settle(id, by: name, .rejected(reason: reason), among: all))
    }

    private func discard(_ reason: DiscardReason, in spool: borrowing Spool) {
        spool.note([reason: 1], discardedFor: name)
        DiscardTotals.add([reason: 1])
    }

    /// A reason with where it comes from, in one line, whatever a backend answered.
    private func named(_ reason: String) -> String {
        "\(uploader.destination): \(reason)".madeVisible(limit: 2_000)
    }

    /// Has the uploader let go of what it holds, and stops waiting for it at the deadline.
    func shutdown(deadline: ContinuousClock.Instant) async {
        preparation.reset()
        await firstResult(within: deadline - .now) { await uploader.shutdown() }
    }

    /// Until when the backend asked to be left alone; nil when it did not.
    func pause(in spool: borrowing Spool, now: Timestamp = .now()) -> Timestamp? {
        spool.pause(of: name, at: uploader.pauseScope, now: now)
    }

    /// Keeps in mind what the backend asked for, where there is no spool to write it down in.
    func pause(_ asked: Duration) {
        preparation.pausedUntil.store(
            Timestamp.now().advanced(by: RetryPolicy.honoured(asked)).microseconds,
            ordering: .relaxed
        )
    }

    /// Why a report is not sent now; nil when nothing was asked for.
    var pausedReason: String? {
        let until = Timestamp(microseconds: preparation.pausedUntil.load(ordering: .relaxed))
        return until - .now() > .zero ? "\(uploader.destination) asked not to be sent to before \(until)" : nil
    }

    /// Uploads a report, and stops waiting at its deadline. Returns why it was not delivered, nil when it was.
    func upload(_ report: SpooledReport) async -> UploadError? {
        let error = await firstResult(within: report.deadline - .now) { () -> UploadError? in
            do throws(UploadError) {
                try await preparation.prepare(uploader, deadline: report.deadline)
                try await uploader.upload(report)
                return nil
            } catch {
                return error
            }
        }
        switch error {
        case nil: return .retry(after: nil, reason: "\(uploader.destination): it took too long")
        case .some(nil): return nil
        case .retry(let after, let reason): return .retry(after: after, reason: named(reason))
        case .rejected(let reason): return .rejected(reason: named(reason))
        }
    }
}

/// What is known of an uploader from one upload to the next: whether it is ready, which it is made before its first upload. The reports of a lane are uploaded one at a time.
private final class Preparation: Sendable {
    private let isReady = Atomic(false)
    /// Microseconds since 1970.
    let pausedUntil = Atomic<Int64>(0)

    func prepare(_ uploader: any ReportUploader, deadline: ContinuousClock.Instant) async throws(UploadError) {
        guard !isReady.load(ordering: .relaxed) else { return }
        try await uploader.prepare(deadline: deadline)
        isReady.store(true, ordering: .relaxed)
    }

    func reset() { isReady.store(false, ordering: .relaxed) }
}

/// What became of one report in one lane.
enum DeliveryOutcome: Sendable, Equatable {
    case delivered
    /// The backend will never take it; it lies in `path` now, nil when it waits for other uploaders.
    case rejected(reason: String, path: String?)
    /// Not delivered, but nothing is lost.
    case kept(reason: String, retryAfter: Duration?)
    /// `beforeSend` said so.
    case dropped
    /// The uploader takes none of its kind.
    case notWanted
    /// This uploader was done with it before.
    case settledBefore
}

extension Timestamp {
    func advanced(by duration: Duration) -> Timestamp {
        Timestamp(microseconds: microseconds + duration.microseconds)
    }

    static func - (later: Timestamp, earlier: Timestamp) -> Duration {
        .microseconds(later.microseconds - earlier.microseconds)
    }
}
