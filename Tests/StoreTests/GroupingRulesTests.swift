import CrashReport
import TestSupport
import Testing

@testable import Store

/// Issues that older rules of grouping made.
@Suite("Other rules of grouping in the store")
struct GroupingRulesTests {
    private let rules = 3

    private func add(_ fixture: Fixture, _ seed: UInt64, _ fingerprint: String, minutes: Int64, release: String = "a@1")
        throws
    {
        let report = fixture.report(seed, release: release, minutes: minutes)
        _ = try fixture.store.add(report)
        var digestion = fixture.digestion(report, fingerprint: fingerprint, title: "title \(seed)")
        digestion.remarks = DigestRemarks(warnings: ["cut"], grouping: ["old"])
        _ = try fixture.store.finish(digestion)
    }

    private func outdated(_ fixture: Fixture) throws -> [OutdatedIssue] {
        try fixture.store.outdatedIssues(rules: rules, after: 0, limit: 9)
    }

    private func regroup(_ fixture: Fixture, _ issue: OutdatedIssue, _ fingerprint: String) throws -> RegroupedIssue? {
        let regrouping = Regrouping(
            of: issue,
            fingerprint: fingerprint,
            title: "newer",
            culprit: nil,
            grouping: ["new"]
        )
        return try fixture.store.regroup(regrouping, rules: rules)
    }

    @Test("an issue has another key and is what it was: number, state, counts", arguments: Backend.allCases)
    func goesOn(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        for seed in 1...3 { try add(fixture, UInt64(seed), "old", minutes: Int64(seed)) }
        let key = IssueKey(project: 1, number: 1)
        let resolved = try #require(try fixture.store.decide(.resolve(in: "a@9"), on: key, at: .now()))
        let issue = try #require(try outdated(fixture).first)
        #expect(issue.newest == fixture.report(3, release: "a@1", minutes: 3).key && issue.body.digested == [1, 2, 3])
        #expect(try regroup(fixture, issue, "new") == RegroupedIssue(key: key, joined: nil))
        let after = try #require(try fixture.store.issues(IssueSelection(limit: 9)).first)
        #expect(after.key == key && after.status == resolved.status && after.count == 3)
        #expect(after.fingerprint == "new" && after.title == "newer" && after.culprit == nil)
        let remarks = try #require(try fixture.store.body(of: issue.newest)).remarks
        #expect(remarks == DigestRemarks(warnings: ["cut"], grouping: ["new"]))
        // Once.
        #expect(try outdated(fixture).isEmpty)
        #expect(try regroup(fixture, issue, "newer") == nil)
        // The next report of it is in it, and nothing new.
        let next = fixture.report(4, release: "a@1", minutes: 4)
        _ = try fixture.store.add(next)
        let written = try #require(try fixture.store.finish(fixture.digestion(next, fingerprint: "new")))
        #expect(written.issue.key == key && written.event == nil && written.issue.count == 4)
        #expect(try fixture.store.check().isEmpty)
    }

    @Test(
        "issues that are one by these rules are one, under the older number, with all counts",
        arguments: Backend.allCases
    )
    func join(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        try add(fixture, 1, "a", minutes: 0)
        try add(fixture, 2, "b", minutes: 1, release: "a@2")
        try add(fixture, 3, "b", minutes: 90)
        try add(fixture, 4, "other", minutes: 0)
        let before = try outdated(fixture)
        #expect(before.map(\.position).sorted() == before.map(\.position) && before.count == 3)
        #expect(try fixture.store.outdatedIssues(rules: rules, after: before[1].position, limit: 9).count == 1)
        #expect(try regroup(fixture, before[1], "new")?.joined == nil)
        let older = IssueKey(project: 1, number: 1)
        let joined = try regroup(fixture, before[0], "new")
        #expect(joined == RegroupedIssue(key: older, joined: IssueKey(project: 1, number: 2)))
        let issues = try fixture.store.issues(IssueSelection(limit: 9))
        #expect(issues.map(\.key.number).sorted() == [1, 3])
        let issue = try #require(issues.first { $0.key == older })
        #expect(issue.count == 3 && issue.fingerprint == "new" && issue.title == "newer")
        #expect(issue.lastSeen.microseconds - issue.firstSeen.microseconds == 90 * 60_000_000)
        #expect(try fixture.store.reports(ReportSelection(issue: older, limit: 9)).count == 3)
        let releases = try fixture.store.releases(of: older)
        #expect(Set(releases.map { "\($0.release) \($0.count)" }) == ["a@1 2", "a@2 1"])
        let hours = try fixture.store.hours(of: older, since: Timestamp(microseconds: 0))
        #expect(hours.map(\.count).reduce(0, +) == 3 && hours.count == 2)
        #expect(issue.hosts == 1)
        #expect(try fixture.store.check().isEmpty)
    }

    @Test(
        "of what was decided about issues that become one, the more urgent holds",
        arguments: [
            ("open", "resolved", "open"), ("resolved", "open", "open"), ("muted", "open", "open"),
            ("muted", "resolved", "muted"), ("resolved", "resolved", "resolved"), ("regressed", "muted", "regressed"),
        ]
    )
    func decisions(_ one: String, _ other: String, _ together: String) {
        func issue(_ row: Int, _ status: String) -> RegroupableIssue {
            let time = Timestamp(microseconds: Int64(row))
            let count = status == "muted" ? 12 : nil
            return RegroupableIssue(
                row: row,
                project: 1,
                number: row,
                fingerprint: "f\(row)",
                title: "t",
                count: 10,
                removed: 1,
                firstSeen: time,
                lastSeen: time,
                decision: RegroupableIssue.Decision(status: status, time: time, release: "r\(row)", mutedCount: count)
            )
        }
        let joined = issue(1, one).joined(by: issue(2, other))
        #expect(joined.decision.status == together && joined.count == 20 && joined.removed == 2)
        // Two more of it, of whichever.
        if together == "muted" { #expect(joined.decision.mutedCount == 22) }
        // Of two that are alike, the later decision.
        if one == other { #expect(joined.decision.release == "r2") }
    }
}
