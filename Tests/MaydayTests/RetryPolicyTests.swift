import CrashReport
import Testing

@testable import Mayday

@Suite struct RetryPolicyTests {
    @Test(arguments: [(0, 0), (1, 1), (2, 2), (3, 4), (10, 512), (12, 2_048), (13, 3_600), (1_000, 3_600)])
    func `pauses double up to an hour, and jitter takes up to half`(failures: Int, seconds: Int) {
        let whole = Duration.seconds(seconds)
        #expect(RetryPolicy.pause(after: failures, jitter: 1) == whole)
        #expect(RetryPolicy.pause(after: failures, jitter: 0) == whole / 2)
        #expect(RetryPolicy.pause(after: failures, jitter: 0.5) == whole * 0.75)
    }

    @Test func `a backend may ask for a day`() {
        #expect(RetryPolicy.honoured(.seconds(60)) == .seconds(60))
        #expect(RetryPolicy.honoured(.seconds(1_000_000)) == .seconds(86_400))
        #expect(RetryPolicy.honoured(.seconds(-1)) == .zero)
    }

    private let now = Timestamp(microseconds: 1_796_026_673_000_000)

    private func tried(_ id: String, _ attempts: Int, secondsAgo: Int64) -> WaitingReport {
        let last = Timestamp(microseconds: now.microseconds - secondsAgo * 1_000_000)
        return WaitingReport(id: id, attempts: attempts, lastAttempt: last)
    }

    private func plan(_ waiting: [WaitingReport], urgent: Bool = false) -> DeliveryPlan {
        var plan = DeliveryPlan(now: now, urgent: urgent)
        for report in waiting { plan.add(report) }
        return plan
    }

    @Test func `what was tried less often comes first, then what is older`() {
        let waiting = [
            tried("d", 2, secondsAgo: 9), WaitingReport(id: "c", attempts: 0), tried("b", 1, secondsAgo: 9),
            WaitingReport(id: "a", attempts: 0),
        ]
        #expect(plan(waiting).due.map(\.id) == ["a", "c", "b", "d"])
    }

    @Test func `a report waits by its attempts, unless it is urgent`() {
        let waiting = [tried("a", 4, secondsAgo: 5), tried("b", 3, secondsAgo: 3), tried("c", 2, secondsAgo: 2)]
        #expect(plan(waiting).due.map(\.id) == ["c"])
        #expect(plan(waiting).next == .seconds(1))
        let urgent = plan(waiting, urgent: true)
        #expect(urgent.due.map(\.id) == ["c", "b", "a"])
        #expect(urgent.next == nil)
    }

    @Test func `a round in parts tries all once, in the same order`() {
        let waiting = (0..<50).map { tried("\(100 + $0)", 1 + $0 % 3, secondsAgo: 100) }.shuffled()
        var (seen, last) = ([WaitingReport](), WaitingReport?.none)
        repeat {
            var plan = DeliveryPlan(behind: last, now: now, urgent: false, window: 7)
            for report in waiting { plan.add(report) }
            #expect(plan.due.count <= 7)
            seen += plan.due
            last = plan.due.last
        } while last != nil
        #expect(seen == waiting.sorted { $0.comes(before: $1) })
    }

    @Test func `a last attempt in the future is another clock's`() {
        #expect(plan([tried("a", 4, secondsAgo: -60)]).due.map(\.id) == ["a"])
    }

    @Test(
        arguments: [
            ("", 0, 0, nil), ("begun\n", 1, 0, nil), ("begun\nlater\nbegun\n", 2, 1, nil),
            ("begun\nlat", 1, 0, nil), ("\u{fffd}\nbegun\n\n", 1, 0, nil), ("begun\ndelivered\n", 1, 0, .delivered),
            ("begun\nrejected why not\n", 1, 0, .rejected(reason: "why not")),
        ] as [(String, Int, Int, DeliveryRecord.Outcome?)]
    )
    func `a record is what its whole lines say`(
        text: String,
        begun: Int,
        later: Int,
        outcome: DeliveryRecord.Outcome?
    ) {
        let record = DeliveryRecord(Array(text.utf8))
        #expect(record.begun == begun && record.later == later && record.outcome == outcome)
        #expect(record.unfinished == begun - later)
    }

    @Test func `pauses of a running service`() {
        var summary = DeliverySummary()
        #expect(summary.pause(failures: 0, jitter: 1) == nil)
        summary.next = .seconds(7)
        #expect(summary.pause(failures: 3, jitter: 1) == .seconds(7))
        summary.elsewhere = 1
        #expect(summary.pause(failures: 0, jitter: 1) == .seconds(7))
        summary.keep("down")
        #expect(summary.pause(failures: 3, jitter: 1) == .seconds(4))
        summary.keep("slow down", asked: .seconds(600))
        #expect(summary.pause(failures: 3, jitter: 1) == .seconds(600))
    }
}
