#if os(Linux)
    import CrashReport
    import Foundation
    import Synchronization
    import Testing
    import TestSupport

    @testable import Notify
    @testable import Query
    @testable import Store
    // Testing has an `Issue` too.
    @testable import struct Store.Issue

    /// Fails as often as it is told to.
    final class Channel: NoticeChannel {
        let name = "the channel"
        private let failures: Mutex<[NoticeFailure]>
        private let seen = Mutex<[any Notice]>([])
        private let gate: DispatchSemaphore?

        init(_ failures: [NoticeFailure] = [], gate: DispatchSemaphore? = nil) {
            self.failures = Mutex(failures)
            self.gate = gate
        }

        var all: [any Notice] { seen.withLock { $0 } }
        var notices: [IssueNotice] { all.compactMap { $0 as? IssueNotice } }
        var summaries: [LeftOut] { all.compactMap { ($0 as? LeftOutNotice)?.leftOut } }

        func deliver(_ notice: any Notice, before deadline: () -> ContinuousClock.Instant) throws(NoticeFailure) {
            gate?.wait()
            seen.withLock { $0.append(notice) }
            if let failure = failures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw failure }
        }
    }

    final class Log: Sendable {
        private let kept = Mutex<[String]>([])
        var lines: [String] { kept.withLock { $0 } }
        func line(_ text: String) { kept.withLock { $0.append(text) } }
    }

    func until(_ condition: () -> Bool) {
        let end = ContinuousClock.now + Patience.wait
        while !condition(), ContinuousClock.now < end { sched_yield() }
    }

    /// A notice of an issue of project 1.
    func notice(
        _ number: Int,
        issue issueNumber: Int = 3,
        title: String = "Index out of range",
        event: IssueEvent = .new
    ) -> IssueNotice {
        let seen = Timestamp(microseconds: 1_705_300_000_000_000)
        let issue = Issue(
            key: IssueKey(project: 1, number: issueNumber),
            fingerprint: "f",
            kind: "crash",
            title: title,
            culprit: "total(of:) (Cart.swift:41)",
            count: 1,
            firstSeen: seen,
            lastSeen: seen,
            hosts: 1,
            status: .open
        )
        var notice = IssueNotice(
            event: event,
            entry: IssueList.Entry(issue: issue, releases: []),
            report: ReportKey(project: 1, id: "\(number)"),
            project: "shop",
            release: "shop@1.2.0"
        )
        (notice.environment, notice.host) = ("production", "web-3")
        return notice
    }
#endif
