import CrashReport
import Testing
import TestSupport

@testable import Store

@Suite("Issues over time in the store")
struct IssueDecisionTests {
    /// Adds and digests a report, and returns what it changed.
    private func report(_ fixture: Fixture, _ seed: UInt64, release: String? = nil, minutes: Int64 = 0) throws
        -> DigestedIn
    {
        let report = fixture.report(seed, release: release, minutes: minutes)
        _ = try fixture.store.add(report)
        return try #require(try fixture.store.finish(fixture.digestion(report)))
    }

    private let issue = IssueKey(project: 1, number: 1)

    private func status(_ fixture: Fixture, at time: Timestamp = .now()) throws -> IssueStatus? {
        try fixture.store.issues(IssueSelection(time: time, limit: 9)).first?.status
    }

    /// When a report of `Fixture` at a minute happened.
    private func time(minutes: Int64) -> Timestamp {
        Timestamp(microseconds: SampleReport().time.microseconds + minutes * 60_000_000)
    }

    @Test(
        "an issue is new, goes on, is resolved, and regresses once, in the release that shows it",
        arguments: Backend.allCases
    )
    func regression(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        #expect(try report(fixture, 1, release: "checkout@1.4.1").event == .new)
        #expect(try report(fixture, 2, release: "checkout@1.4.2").event == nil)
        let resolved = try fixture.store.decide(.resolve(in: "checkout@1.4.3"), on: issue, at: time(minutes: 1))
        #expect(resolved?.status == .resolved(in: "checkout@1.4.3"))
        #expect(try report(fixture, 3, release: "checkout@1.4.2", minutes: 5).event == nil)
        #expect(try status(fixture) == .resolved(in: "checkout@1.4.3"))
        let back = try report(fixture, 4, release: "checkout@1.5.0", minutes: 6)
        #expect(back.event == .regressed)
        #expect(back.issue.status == .regressed(in: "checkout@1.5.0"))
        #expect(try report(fixture, 5, release: "checkout@1.5.1", minutes: 7).event == nil)
        #expect(try status(fixture) == .regressed(in: "checkout@1.5.0"))
        #expect(try fixture.store.issues(IssueSelection(limit: 9)).first?.count == 5)
        #expect(try fixture.store.decide(.reopen, on: issue, at: .now())?.status == .open)
    }

    @Test("muted for a time: counted, not shown as open, and open again afterwards", arguments: Backend.allCases)
    func mutedForATime(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        _ = try report(fixture, 1)
        let end = time(minutes: 10)
        _ = try fixture.store.decide(.mute(until: end, more: nil), on: issue, at: time(minutes: 1))
        #expect(try report(fixture, 2, minutes: 9).event == nil)
        #expect(try status(fixture, at: time(minutes: 9)) == .muted(until: end, count: nil))
        #expect(try status(fixture, at: end) == .open)
        let muted = IssueSelection(statuses: ["muted"], time: time(minutes: 9), limit: 9)
        #expect(try fixture.store.issues(muted).map(\.count) == [2])
        #expect(try fixture.store.issues(IssueSelection(statuses: ["muted"], time: end, limit: 9)).isEmpty)
        #expect(try fixture.store.issues(IssueSelection(statuses: ["open"], time: end, limit: 9)).count == 1)
        #expect(try report(fixture, 3, minutes: 11).event == .unmuted)
        #expect(try report(fixture, 4, minutes: 12).event == nil)
        #expect(try status(fixture, at: time(minutes: 9)) == .open)
    }

    @Test("muted until two more, or for ever", arguments: Backend.allCases)
    func mutedUntilMore(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        _ = try report(fixture, 1)
        let muted = try fixture.store.decide(.mute(until: nil, more: 2), on: issue, at: .now())
        #expect(muted?.status == .muted(until: nil, count: 3))
        #expect(try report(fixture, 2).event == nil)
        #expect(try report(fixture, 3).event == .unmuted)
        #expect(try status(fixture) == .open)
        _ = try fixture.store.decide(.mute(until: nil, more: nil), on: issue, at: .now())
        for seed in 4..<9 { #expect(try report(fixture, UInt64(seed)).event == nil) }
        #expect(try status(fixture) == .muted(until: nil, count: nil))
        #expect(try fixture.store.decide(.reopen, on: IssueKey(project: 1, number: 2), at: .now()) == nil)
    }

    @Test("hosts count once each, reports by the hour in which they happened", arguments: Backend.allCases)
    func hostsAndHours(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        for (seed, host, minutes) in [(1, "a", 0), (2, "b", 0), (3, "a", 60), (4, nil, 180)]
            as [(UInt64, String?, Int64)]
        {
            var report = fixture.report(seed, minutes: minutes)
            report.facts.host = host
            _ = try fixture.store.add(report)
            let hosts = try fixture.store.finish(fixture.digestion(report))?.issue.hosts
            #expect(hosts == (seed == 1 ? 1 : 2))
        }
        #expect(try fixture.store.issues(IssueSelection(limit: 9)).map(\.hosts) == [2])
        let hours = try fixture.store.hours(of: issue, since: Timestamp(microseconds: 0))
        #expect(hours.map(\.count) == [2, 1, 1])
        let first = SampleReport().time.microseconds / HourCount.length * HourCount.length
        #expect(hours.map { ($0.hour.microseconds - first) / HourCount.length } == [0, 1, 3])
        #expect(try fixture.store.hours(of: issue, since: time(minutes: 61)).map(\.count) == [1, 1])
    }

    @Test("what was counted before hours and hosts were is counted in the migration")
    func migration() throws {
        let fixture = try Fixture()
        for seed in 1...3 { _ = try report(fixture, UInt64(seed), minutes: Int64(seed) * 60) }
        fixture.store.close()
        let connection = try SQLiteConnection(path: fixture.directory.database, create: false)
        try connection.execute("DROP TABLE issue_hours; DROP TABLE issue_hosts")
        for column in ["hosts", "decided", "decided_release", "muted_until", "muted_count"] {
            try connection.execute("ALTER TABLE issues DROP COLUMN \(column)")
        }
        try connection.execute("PRAGMA user_version = 3")
        try SQLiteSchema.migrate(connection, path: "x", steps: Array(SQLiteSchema.migrations[..<4]))
        #expect(
            try connection.query("SELECT sum(count), count(*) FROM issue_hours") { [$0.int(0), $0.int(1)] } == [[3, 3]]
        )
        #expect(try connection.query("SELECT hosts FROM issues") { $0.int(0) } == [1])
    }

    @Test(
        "which report shows that an issue is not fixed",
        arguments: [
            // Fixed in a release: by version, whenever the crash was.
            ("checkout@1.4.3", "checkout@1.4.2", true, false), ("checkout@1.4.3", "checkout@1.4.3", false, true),
            ("checkout@1.4.3", "checkout@1.10.0", false, true), ("checkout@1.4.3", "checkout@1.4.3-rc.1", true, false),
            ("1.4.3", "checkout@1.4.4", false, true), ("checkout@1.4.3", "search@9.0.0", true, true),
            ("checkout@1.4.3", "checkout@abc123", false, false), ("checkout@1.4.3", "checkout@abc123", true, true),
            // No release: by time.
            ("checkout@1.4.3", nil, true, true), ("checkout@1.4.3", nil, false, false), (nil, nil, true, true),
            (nil, nil, false, false),
            // Fixed in what it was not seen in.
            (nil, "checkout@1.4.2", true, false), (nil, "checkout@1.3.0", true, false),
            (nil, "checkout@1.4.10", false, true), (nil, "checkout@abc123", true, true),
            (nil, "checkout@abc123", false, false),
        ] as [(String?, String?, Bool, Bool)]
    )
    func refutation(fixedIn release: String?, reported: String?, isLater: Bool, isRefuted: Bool) throws {
        let resolution = Resolution(
            release: release,
            time: Timestamp(microseconds: 1_000),
            seenIn: ["checkout@1.4.2", "checkout@1.4.0"]
        )
        let time = Timestamp(microseconds: isLater ? 2_000 : 500)
        let known = ["checkout@1.4.2": 300, "checkout@1.4.0": 100].mapValues { Timestamp(microseconds: $0) }
        #expect(try resolution.isRefuted(by: reported, at: time) { known } == isRefuted)
    }

    @Test(
        "a release that is out of line hides no regression, and old releases make none",
        arguments: [
            // Resolved after a test build of 999.9.9 had it: releases after that one, new or known, are later all the same.
            ("checkout@1.5.0", nil, true, true), ("checkout@1.5.0", 700, true, true),
            ("checkout@1.4.3", nil, true, true),
            // What was there before, what is below all there was, and what happened before the decision.
            ("checkout@1.4.1", 200, true, false), ("checkout@1.3.0", nil, true, false),
            ("checkout@1.3.0", 700, true, false), ("checkout@1.5.0", nil, false, false),
            ("checkout@1000.0.0", nil, true, true),
        ] as [(String, Int64?, Bool, Bool)]
    )
    func outOfLine(reported: String, firstSeen: Int64?, isLater: Bool, isRefuted: Bool) throws {
        var known: [String: Int64] = ["checkout@1.4.0": 100, "checkout@1.4.2": 300, "checkout@999.9.9": 500]
        known[reported] = firstSeen
        for seenIn in [["checkout@1.4.2", "checkout@999.9.9"], ["checkout@999.9.9"]] {
            let resolution = Resolution(release: nil, time: Timestamp(microseconds: 1_000), seenIn: seenIn)
            let time = Timestamp(microseconds: isLater ? 2_000 : 900)
            let times = known.mapValues { Timestamp(microseconds: $0) }
            #expect(try resolution.isRefuted(by: reported, at: time) { times } == isRefuted, "\(seenIn)")
        }
    }

    @Test("one test build far ahead does not keep an issue resolved for ever", arguments: Backend.allCases)
    func farAhead(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        _ = try report(fixture, 1, release: "checkout@1.4.1")
        _ = try report(fixture, 2, release: "checkout@999.9.9", minutes: 1)
        _ = try report(fixture, 3, release: "checkout@1.4.2", minutes: 2)
        // Another issue of a release that is there for long.
        let other = fixture.report(4, release: "checkout@1.4.0")
        _ = try fixture.store.add(other)
        _ = try fixture.store.finish(fixture.digestion(other, fingerprint: "g"))
        _ = try fixture.store.decide(.resolve(in: nil), on: issue, at: time(minutes: 5))
        #expect(try report(fixture, 5, release: "checkout@1.4.0", minutes: 6).event == nil)
        #expect(try report(fixture, 6, release: "checkout@1.3.9", minutes: 6).event == nil)
        #expect(try report(fixture, 7, release: "checkout@1.5.0", minutes: 4).event == nil)
        #expect(try report(fixture, 8, release: "checkout@999.9.9", minutes: 6).event == nil)
        let back = try report(fixture, 9, release: "checkout@1.5.1", minutes: 7)
        #expect(back.event == .regressed && back.issue.status == .regressed(in: "checkout@1.5.1"))
    }

    @Test("releases are ordered by version")
    func versions() {
        let ordered = [
            "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11",
            "1.0.0-rc.1", "1.0.0", "v1.0.1+5", "1.2", "1.10", "2", "2026-11-30",
        ]
        for (left, low) in ordered.enumerated() {
            for (right, high) in ordered.enumerated() {
                #expect(ReleaseVersion.precedes(low, "s@\(high)") == (left < right), "\(low) \(high)")
            }
        }
        #expect(ReleaseVersion.precedes("1.0", "v1") == false)
        #expect(ReleaseVersion.precedes("a@1", "b@2") == nil)
        for text in ["", "abc", "1..2", "1.x", "١.٢", "99999999999999999999", "a@"] {
            #expect(ReleaseVersion.precedes(text, "1") == nil, "\(text)")
        }
    }
}
