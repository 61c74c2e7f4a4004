/// Delivers what waits in the spool of a running service, to every backend side by side.
///
/// Nothing runs at rest: there is a task only while there are reports to deliver.
actor Delivery {
    private let uploaders: [any ReportUploader]
    private let rules: OutgoingRules
    /// Lanes and path are made when something is delivered: most runs of a service deliver nothing.
    private lazy var lanes = Lane.lanes(of: uploaders, rules: rules)
    /// The service's directory in the spool.
    private lazy var path = findPath()
    private let findPath: @Sendable () -> String
    private let limits: SpoolLimits
    /// The last round of each lane.
    private var last = [UploaderName: Task<DeliverySummary, Never>]()
    /// What was said last of a lane's reports that stay; the same is not said again.
    private var said = [UploaderName: [String]]()
    private var background: Task<Void, Never>?
    /// Something was added while the background task was about to end.
    private var hasMore = false

    init(
        uploaders: [any ReportUploader],
        path: @escaping @autoclosure @Sendable () -> String,
        limits: SpoolLimits = SpoolLimits(),
        rules: OutgoingRules = OutgoingRules()
    ) {
        self.uploaders = uploaders
        self.rules = rules
        findPath = path
        self.limits = limits
    }

    /// Delivers in the background until the spool is empty, with pauses between failures, and ends then.
    func deliverInBackground() {
        guard background == nil else {
            hasMore = true
            return
        }
        guard !Descriptors.areFew else {
            for lane in lanes { say(.shortOfDescriptors, of: lane) }
            return
        }
        // Nobody is kept alive by a pause: it may take an hour.
        background = Task.detached(priority: .utility) { [weak self, lanes] in
            await withTaskGroup { group in
                for lane in lanes {
                    group.addTask {
                        var failures = 0
                        while !Task.isCancelled, let next = await self?.deliverAll(in: lane, failures: failures) {
                            failures = next.failures
                            try? await Task.sleep(for: next.pause)
                        }
                    }
                }
            }
            await self?.backgroundEnded()
        }
    }

    private func backgroundEnded() {
        background = nil
        guard hasMore else { return }
        hasMore = false
        deliverInBackground()
    }

    /// A round of a lane in the background. Returns the pause before the next, and how many failed in a row by then; nil when there
    /// is nothing to wait for.
    private func deliverAll(in lane: Lane, failures: Int) async -> (pause: Duration, failures: Int)? {
        let summary = await round(of: lane, limit: .seconds(30), urgent: false)
        let failures = (summary.delivered > 0 ? 0 : failures) + (summary.kept == nil ? 0 : 1)
        let pause = summary.pause(failures: failures, jitter: Double.random(in: 0..<1))
        return pause.map { ($0, failures) }
    }

    /// Tries every report once, in every lane.
    ///
    /// - Parameter limit: how long each report may take.
    /// - Returns: true when nothing is left to deliver.
    func deliverAllNow(limit: Duration) async -> Bool {
        await withTaskGroup { group in
            for lane in lanes { group.addTask { await self.round(of: lane, limit: limit, urgent: true).isDone } }
            var isDone = true
            for await laneIsDone in group { isDone = isDone && laneIsDone }
            return isDone
        }
    }

    /// Has every uploader let go of what it holds.
    func shutdown(deadline: ContinuousClock.Instant) async {
        await withTaskGroup { group in
            for lane in lanes { group.addTask { await lane.shutdown(deadline: deadline) } }
        }
    }

    /// A round of a lane, after one that is under way.
    private func round(of lane: Lane, limit: Duration, urgent: Bool) async -> DeliverySummary {
        let (previous, path, limits, names) = (last[lane.name], path, limits, lanes.map(\.name))
        let round = Task {
            _ = await previous?.value
            guard !Descriptors.areFew else {
                let summary = DeliverySummary.shortOfDescriptors
                say(summary, of: lane)
                return summary
            }
            var tidying = DeliverySummary()
            tidy(path, limits: limits, uploaders: names, summary: &tidying)
            let summary = await lane.round(in: path, limit: limit, urgent: urgent, tidying: tidying)
            // Before the round ends: whoever waits for it may end the process.
            say(summary, of: lane)
            return summary
        }
        last[lane.name] = round
        let summary = await round.value
        if last[lane.name] == round { last[lane.name] = nil }
        return summary
    }

    private func say(_ summary: DeliverySummary, of lane: Lane) {
        for line in summary.events(destination: lane.uploader.destination) { StandardError.say(line) }
        for line in summary.state where said[lane.name]?.contains(line) != true { StandardError.say(line) }
        said[lane.name] = summary.state
    }
}

/// How a round of one lane went.
struct DeliverySummary: Sendable, Equatable {
    var delivered = 0
    /// Reports that the backend will never take, with the reasons; the first of them, and how many more there are.
    private(set) var rejected: [String] = []
    private var moreRejected = 0
    /// Files that have the name of a report and cannot be read, with the reasons; the first of them. They hold up nothing.
    private(set) var unreadable: [String] = []
    private var moreUnreadable = 0
    /// Reports that were above the limits of the spool, and are gone.
    var removed = 0
    /// Reports that other processes of the service are delivering.
    var elsewhere = 0
    /// Why the round stopped with reports left in the spool; nil when it did not.
    var kept: String?
    /// How long the backend asked to be left alone.
    var asked: Duration?
    /// How long until the next report is due, when reports wait that were tried before.
    var next: Duration?

    /// True when the spool has nothing left to deliver.
    var isDone: Bool { kept == nil && elsewhere == 0 && next == nil }

    /// The round stops with a report that must be tried later.
    mutating func keep(_ reason: String, asked: Duration? = nil) {
        kept = reason
        self.asked = asked
    }

    /// Each is a line, of which there should not be thousands.
    private static let lines = 20

    mutating func reject(_ reason: String) {
        if rejected.count < Self.lines { rejected.append(reason) } else { moreRejected += 1 }
    }

    mutating func leave(_ reason: String) {
        if unreadable.count < Self.lines { unreadable.append(reason) } else { moreUnreadable += 1 }
    }

    /// The pause before the next round of a running service, nil when there is nothing to wait for.
    ///
    /// - Parameter failures: rounds in a row that stopped, this one included.
    func pause(failures: Int, jitter: Double) -> Duration? {
        let own = RetryPolicy.pause(after: failures, jitter: jitter)
        if kept != nil { return max(own, asked ?? .zero) }
        // A report that another process has is ours again if that process dies.
        let elsewhere: Duration? = elsewhere > 0 ? .seconds(30) : nil
        return [next, elsewhere].compactMap { $0 }.min()
    }

    /// What happened, for standard error; nothing when there was nothing to do.
    func events(destination: String) -> [String] {
        var lines: [String] = []
        if delivered > 0 {
            let reports = delivered == 1 ? "1 report" : "\(delivered) reports"
            lines.append("\(reports) from the spool delivered to \(destination)")
        }
        if removed > 0 {
            lines.append("warning: \(removed) of the oldest reports in the spool removed, they were above its limits")
        }
        lines += rejected.map { "report rejected, set aside: \($0)" }
        if moreRejected > 0 { lines.append("\(moreRejected) more reports rejected by \(destination), set aside") }
        return lines
    }

    /// How the spool was left.
    var state: [String] {
        var lines = unreadable.map { "left alone in the spool: \($0)" }
        if moreUnreadable > 0 { lines.append("left alone in the spool: \(moreUnreadable) more files") }
        if let kept { lines.append("reports stay in the spool: \(kept)") }
        return lines
    }
}
