import CrashReport
import Testing
import TestSupport

@testable import Store

@Suite("What a report counts for")
struct OccurrenceTests {
    private let issue = IssueKey(project: 1, number: 1)

    /// A report of an error that occurred so many times since the one before.
    private func report(_ fixture: Fixture, _ seed: UInt64, times: Int?, minutes: Int64 = 0, whole: Bool = true)
        -> NewReport
    {
        var sample = SampleReport(seed: seed)
        sample.time.microseconds += minutes * 60_000_000
        var report = sample.report()
        report.header.occurrences = times
        if !whole { report.end = nil }
        let received = Timestamp(microseconds: sample.time.microseconds + 1_000_000)
        return NewReport(project: fixture.project.id, received: received, report: report, gzip: report.encode())
    }

    private func add(_ report: NewReport, to fixture: Fixture, fingerprint: String = "f") throws -> DigestedIn? {
        _ = try fixture.store.add(report)
        return try fixture.store.finish(fixture.digestion(report, fingerprint: fingerprint))
    }

    /// What an issue says of its count, in all its tables, and that they agree.
    private func counts(_ fixture: Fixture) throws -> [Int] {
        #expect(try fixture.store.check() == [])
        let found = try fixture.store.issues(IssueSelection(limit: 9))
        return try found.map { issue in
            let hours = try fixture.store.hours(of: issue.key, since: Timestamp(microseconds: 0))
            let releases = try fixture.store.releases(of: issue.key)
            #expect(hours.reduce(0) { $0 + $1.count } == issue.count)
            #expect(releases.reduce(0) { $0 + $1.count } == issue.count)
            return issue.count
        }
    }

    @Test(
        "an issue counts occurrences, in its releases, its hours, in statistics and in the order",
        arguments: Backend.allCases
    )
    func counted(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        for seed in 0..<3 {
            _ = try add(report(fixture, UInt64(seed), times: nil, minutes: 9), to: fixture, fingerprint: "seldom")
        }
        _ = try add(report(fixture, 10, times: nil), to: fixture, fingerprint: "often")
        _ = try add(report(fixture, 11, times: 499, minutes: 60), to: fixture, fingerprint: "often")
        #expect(try counts(fixture).sorted() == [3, 500])
        var selection = IssueSelection(limit: 9)
        selection.order = .count
        let byCount = try fixture.store.issues(selection)
        #expect(byCount.map(\.fingerprint) == ["often", "seldom"])
        let question = StatisticsQuestion(filter: ReportFilter(), part: .field(.issue))
        let statistics = try fixture.store.statistics(question)
        #expect(statistics.reports == 5 && statistics.occurrences == 503)
        #expect(statistics.counts.map(\.count) == [500, 3])
        let hours = try fixture.store.hours(of: byCount[0].key, since: Timestamp(microseconds: 0))
        #expect(hours.map(\.count) == [1, 499])
    }

    @Test("a count that no program reaches is a large number, and sums of it are numbers", arguments: Backend.allCases)
    func excessive(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        for seed in 1...3 { _ = try add(report(fixture, UInt64(seed), times: .max), to: fixture) }
        _ = try add(report(fixture, 4, times: 0), to: fixture)
        #expect(try counts(fixture) == [3_000_000_001])
    }

    @Test("a mute until there are more ends with the occurrence that is one more", arguments: Backend.allCases)
    func muted(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        _ = try add(report(fixture, 1, times: 100), to: fixture)
        _ = try fixture.store.decide(.mute(until: nil, more: 50), on: issue, at: .now())
        #expect(try add(report(fixture, 2, times: 49, minutes: 1), to: fixture)?.event == nil)
        #expect(try add(report(fixture, 3, times: 1, minutes: 2), to: fixture)?.event == .unmuted)
    }

    @Test("what is deleted, and what retention removed, is counted as what it was", arguments: Backend.allCases)
    func removed(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let reports = (0..<4).map { report(fixture, UInt64($0), times: 10 + $0, minutes: Int64($0)) }
        for report in reports { _ = try add(report, to: fixture) }
        _ = try fixture.store.setRetention(Retention(count: 3), ofProject: 1)
        #expect(try fixture.store.prune(project: 1, at: .now(), limit: 9) == 1)
        #expect(try counts(fixture) == [46])
        #expect(try fixture.store.delete([reports[2].key]) == 1)
        #expect(try counts(fixture) == [34])
    }

    @Test("a report that takes the place of one that was cut short counts instead of it", arguments: Backend.allCases)
    func completed(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        _ = try add(report(fixture, 1, times: 5, whole: false), to: fixture)
        _ = try add(report(fixture, 2, times: 1), to: fixture)
        #expect(try counts(fixture) == [6])
        let whole = report(fixture, 1, times: 7)
        #expect(try fixture.store.add(whole) == .stored)
        #expect(try counts(fixture) == [8])
        _ = try fixture.store.finish(fixture.digestion(whole))
        #expect(try counts(fixture) == [8])
    }

    @Test("a report that is digested again takes what it counts to another issue", arguments: Backend.allCases)
    func moved(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let (one, other) = (report(fixture, 1, times: 20), report(fixture, 2, times: 3, minutes: 1))
        _ = try add(one, to: fixture)
        _ = try add(other, to: fixture)
        #expect(try fixture.store.digestAgain([one.key]) == 1)
        _ = try fixture.store.finish(fixture.digestion(one, fingerprint: "another"))
        #expect(try counts(fixture).sorted() == [3, 20])
    }

    @Test("issues that counted reports count occurrences after the migration", arguments: Backend.allCases)
    func migration(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        _ = try add(report(fixture, 1, times: 20), to: fixture)
        _ = try add(report(fixture, 2, times: 3, minutes: 60), to: fixture)
        _ = try add(report(fixture, 3, times: nil, minutes: 60), to: fixture)
        _ = try add(report(fixture, 4, times: nil), to: fixture, fingerprint: "another")
        _ = try fixture.store.decide(.mute(until: nil, more: 50), on: issue, at: .now())
        try fixture.execute(
            """
            UPDATE issues SET count = 3, muted_count = 53 WHERE number = 1;
            UPDATE issue_hours SET count = CASE WHEN count = 4 THEN 2 ELSE 1 END;
            UPDATE issue_releases SET count = CASE WHEN count = 24 THEN 3 ELSE 1 END
            """
        )
        #expect(try fixture.store.check().count == 1)
        try fixture.execute(SQLiteSchema.counted)
        #expect(try counts(fixture).sorted() == [1, 24])
        let muted = try fixture.store.issues(IssueSelection(limit: 9)).filter { $0.key == issue }
        #expect(muted.map(\.status) == [.muted(until: nil, count: 74)])
    }
}
