import Store
import Synchronization

/// A number of `GET /metrics`.
public struct Metric: Sendable {
    /// Name with its unit, as Prometheus has it: `mayday_reports_total`.
    public var name: String
    /// Label and value, such as `result="stored"`; empty for none.
    public var label: String
    /// One sentence.
    public var help: String
    /// True when it only ever rises.
    public var isCounter: Bool
    /// Its value now.
    public var value: Int

    /// A number by its parts.
    public init(_ name: String, label: String = "", help: String, isCounter: Bool = true, value: Int) {
        self.name = name
        self.label = label
        self.help = help
        self.isCounter = isCounter
        self.value = value
    }

    /// The numbers in Prometheus' text format; those of one name stand together.
    static func text(_ metrics: [Metric]) -> String {
        var lines: [String] = []
        var last = ""
        for metric in metrics {
            if metric.name != last {
                lines.append("# HELP \(metric.name) \(metric.help)")
                lines.append("# TYPE \(metric.name) \(metric.isCounter ? "counter" : "gauge")")
                last = metric.name
            }
            let label = metric.label.isEmpty ? "" : "{\(metric.label)}"
            lines.append("\(metric.name)\(label) \(metric.value)")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// What the server counted since it began.
final class IngestMetrics: Sendable {
    let stored = Counter()
    let storedBytes = Counter()
    let duplicates = Counter()
    private let refused = Refusal.allCases.map { _ in Counter() }
    let limited = Counter()
    let storeFailures = Counter()
    let unavailable = Counter()
    private let answers = (1...5).map { _ in Counter() }
    private let gone = Counter()
    private let fault = Mutex<Fault?>(nil)
    private let isStoreKnown = Atomic(false)
    private let nextFaultLine = Mutex(ContinuousClock.now)
    private let refusedConnections = Mutex(RefusedConnections())
    /// What services said that they did not send, by reason.
    private let clientDiscards = Mutex<[String: Int]>([:])

    /// The reasons that are counted: those of the SDK (`DiscardReason`).
    private static let reasons = ["sampled", "limited", "overflow", "before_send", "spool_full", "rejected"]

    /// Counts the header `Mayday-Discarded: REASON=COUNT, …`; what is not one is ignored.
    func clientDiscarded(_ header: String?) {
        guard let header else { return }
        for entry in header.split(separator: ",").prefix(Self.reasons.count) {
            let words = entry.split(separator: "=").map { $0.trimmingPrefix(while: { $0 == " " }) }
            guard words.count == 2, let reason = Self.reasons.first(where: { $0 == words[0] }),
                let count = Int(words[1]), (1...1_000_000_000).contains(count)
            else { continue }
            clientDiscards.withLock { $0[reason, default: 0] &+= count }
        }
    }

    /// The last failure of the store, unless it worked since.
    var storeFault: StoreError? { fault.withLock { $0?.error } }

    func storeAnswered() {
        isStoreKnown.store(true, ordering: .relaxed)
        fault.withLock { $0 = nil }
    }

    func storeFailed(_ error: StoreError) {
        storeFailures.add()
        fault.withLock { $0 = Fault(error: error, nextTest: $0?.nextTest ?? .now) }
    }

    /// True once a second while the store is known to fail, and once before anything is known, for the one who then tests it.
    func mayTestStore() -> Bool {
        if !isStoreKnown.exchange(true, ordering: .relaxed) { return true }
        return fault.withLock { fault in
            guard let next = fault?.nextTest, next <= .now else { return false }
            fault?.nextTest = .now + .seconds(1)
            return true
        }
    }

    /// True at most every ten seconds, for a line of the log about what `/healthz` does not say.
    func mayLogFault() -> Bool {
        nextFaultLine.withLock { next in
            guard next <= .now else { return false }
            next = .now + .seconds(10)
            return true
        }
    }

    private struct Fault {
        var error: StoreError
        var nextTest: ContinuousClock.Instant
    }

    /// Why a report was refused, by what it was answered.
    private enum Refusal: CaseIterable {
        case malformed, key, project, size, type, other

        init(status: Int) {
            self =
                switch status {
                case 400: .malformed
                case 401, 403: .key
                case 404: .project
                case 413: .size
                case 415: .type
                default: .other
                }
        }
    }

    /// Counts a report that was refused with that status.
    func refused(_ status: Int) {
        let refusal = Refusal(status: status)
        for (each, counter) in zip(Refusal.allCases, refused) where each == refusal { counter.add() }
    }

    /// Counts a connection that was ended or refused.
    ///
    /// - Returns: how many there were since a line of the log said so, every ten seconds when it should; else nil.
    func refused(_ connection: ConnectionRefusal) -> Int? {
        refusedConnections.withLock { refused in
            refused.counts[connection, default: 0] += 1
            refused.unsaid += 1
            guard refused.nextLine <= .now else { return nil }
            defer { refused.unsaid = 0 }
            refused.nextLine = .now + .seconds(10)
            return refused.unsaid
        }
    }

    private struct RefusedConnections {
        var counts: [ConnectionRefusal: Int] = [:]
        var unsaid = 0
        var nextLine = ContinuousClock.now
    }

    /// Counts an answer by its status; 0 when the client went away before it had it.
    func answered(_ status: Int) {
        if answers.indices.contains(status / 100 - 1) { answers[status / 100 - 1].add() } else { gone.add() }
    }

    /// All of them, for `GET /metrics`.
    var all: [Metric] {
        let reports = "Reports received, by what became of them."
        let requests = "HTTP requests, by class of the status; gone: the client left before its answer."
        var all = [
            Metric("mayday_reports_total", label: "result=\"stored\"", help: reports, value: stored.value),
            Metric("mayday_reports_total", label: "result=\"duplicate\"", help: reports, value: duplicates.value),
            Metric("mayday_reports_total", label: "result=\"limited\"", help: reports, value: limited.value),
            Metric("mayday_reports_total", label: "result=\"unavailable\"", help: reports, value: unavailable.value),
            Metric("mayday_stored_bytes_total", help: "Bytes of stored reports as received.", value: storedBytes.value),
            Metric("mayday_store_failures_total", help: "Requests the store failed.", value: storeFailures.value),
        ]
        for (refusal, counter) in zip(Refusal.allCases, refused) {
            let label = "result=\"refused\",reason=\"\(refusal)\""
            all.insert(Metric("mayday_reports_total", label: label, help: reports, value: counter.value), at: 2)
        }
        let discards = clientDiscards.withLock { $0 }
        for reason in Self.reasons {
            let help = "Reports that services say they did not send, by reason."
            let value = discards[reason] ?? 0
            all.append(Metric("mayday_client_discarded_total", label: "reason=\"\(reason)\"", help: help, value: value))
        }
        let refused = refusedConnections.withLock { $0.counts }
        for cause in ConnectionRefusal.allCases {
            let help = "Connections that were ended or refused because there were too many, by reason."
            let label = "reason=\"\(cause)\""
            let value = refused[cause] ?? 0
            all.append(Metric("mayday_connections_refused_total", label: label, help: help, value: value))
        }
        for (index, counter) in answers.enumerated() where index > 0 {
            let label = "status=\"\(index + 1)xx\""
            all.append(Metric("mayday_http_requests_total", label: label, help: requests, value: counter.value))
        }
        all.append(Metric("mayday_http_requests_total", label: "status=\"gone\"", help: requests, value: gone.value))
        return all
    }
}

/// A number that rises.
final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add(_ amount: Int = 1) { count.add(amount, ordering: .relaxed) }
}
