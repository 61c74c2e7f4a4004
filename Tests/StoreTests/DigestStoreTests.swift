import CrashReport
import Testing

@testable import Store

@Suite("Digestion and issues in the store")
struct DigestStoreTests {
    @Test("reports of one fingerprint are one issue, with its count, times and releases", arguments: Backend.allCases)
    func counting(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let reports = [
            fixture.report(1, release: "checkout@1.0.0", minutes: 10),
            fixture.report(2, release: "checkout@1.1.0", minutes: 30),
            fixture.report(3, release: "checkout@1.0.0", minutes: 20),
            fixture.report(4, release: nil, minutes: 40),
        ]
        for (index, report) in reports.enumerated() {
            _ = try fixture.store.add(report)
            _ = try fixture.store.finish(fixture.digestion(report, title: "title \(index)"))
        }
        let issue = try #require(try fixture.store.issues(IssueSelection(limit: 10)).first)
        #expect(issue.key == IssueKey(project: 1, number: 1))
        #expect(issue.count == 4)
        #expect(issue.firstSeen == reports[0].facts.time)
        #expect(issue.lastSeen == reports[3].facts.time)
        #expect(issue.title == "title 3")
        let releases = try fixture.store.releases(of: issue.key)
        #expect(releases.map(\.release) == ["checkout@1.1.0", "checkout@1.0.0"])
        #expect(releases.map(\.count) == [1, 2])
        #expect(releases[1].firstSeen == reports[0].facts.time)
        #expect(releases[1].lastSeen == reports[2].facts.time)
        #expect(try fixture.store.reports(ReportSelection(issue: issue.key, limit: 10)).count == 4)
    }

    @Test("an older report that comes late does not take over the headline", arguments: Backend.allCases)
    func lateReport(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let (new, old) = (fixture.report(1, minutes: 10), fixture.report(2, minutes: 5))
        for (report, title) in [(new, "new"), (old, "old")] {
            _ = try fixture.store.add(report)
            _ = try fixture.store.finish(fixture.digestion(report, title: title))
        }
        let issue = try #require(try fixture.store.issues(IssueSelection(limit: 10)).first)
        #expect(issue.title == "new")
        #expect(issue.firstSeen == old.facts.time)
    }

    @Test("numbers count from 1 in each project", arguments: Backend.allCases)
    func numbers(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let other = try #require(try fixture.store.addProject(name: "other", key: Secret("k").hash, at: .now()))
        for (project, seed) in [(1, 1), (other.id, 2), (1, 3)] {
            var report = fixture.report(UInt64(seed))
            report.key.project = project
            _ = try fixture.store.add(report)
            _ = try fixture.store.finish(fixture.digestion(report, fingerprint: "f\(seed)"))
        }
        let keys = Set(try fixture.store.issues(IssueSelection(limit: 10)).map(\.key))
        let expected = [(1, 1), (1, 2), (other.id, 1)].map { IssueKey(project: $0.0, number: $0.1) }
        #expect(keys == Set(expected))
    }

    @Test("a digestion that is written twice counts once", arguments: Backend.allCases)
    func twice(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let report = fixture.report(1)
        _ = try fixture.store.add(report)
        #expect(try fixture.store.finish(fixture.digestion(report)) != nil)
        #expect(try fixture.store.finish(fixture.digestion(report)) == nil)
        #expect(try fixture.store.issues(IssueSelection(limit: 10)).map(\.count) == [1])
        #expect(try fixture.store.body(of: report.key)?.digested == [1, 2, 3])
    }

    @Test("remarks come back as they were; a digest of an older schema has none", arguments: Backend.allCases)
    func remarks(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let report = fixture.report(1)
        _ = try fixture.store.add(report)
        #expect(try fixture.store.body(of: report.key)?.remarks == DigestRemarks())
        var digestion = fixture.digestion(report)
        digestion.remarks = DigestRemarks(
            warnings: ["The file was cut short."],
            grouping: ["kind: \u{202e}\"\n", "function: f()"],
            images: [.init(index: 3, text: "/srv/checkout: stripped"), .init(index: .max, text: "")]
        )
        _ = try fixture.store.finish(digestion)
        #expect(try fixture.store.body(of: report.key)?.remarks == digestion.remarks)
        for damaged in ["NULL", "''", "'{}'", "'[1]'", "'{\"images\":[{\"index\":1.5}],\"warnings\":[1]}'"] {
            try fixture.execute("UPDATE digested_bodies SET remarks = \(damaged)")
            #expect(try fixture.store.body(of: report.key)?.remarks == DigestRemarks())
        }
    }

    @Test("reports are claimed oldest first; one that was tried before comes alone", arguments: Backend.allCases)
    func claiming(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let reports = (0..<5).map { fixture.report(UInt64($0)) }
        for report in reports { _ = try fixture.store.add(report) }
        let first = try fixture.store.claimPending(limit: 2, after: 0)
        #expect(first.map(\.key) == reports[..<2].map(\.key))
        #expect(first.map(\.gzip) == reports[..<2].map(\.gzip))
        // The process ends here. The next one finds the two again, each alone.
        #expect(try fixture.store.claimPending(limit: 9, after: 0).map(\.key) == [reports[0].key])
        _ = try fixture.store.finish(fixture.digestion(reports[0]))
        #expect(try fixture.store.claimPending(limit: 9, after: 0).map(\.attempts) == [2])
        _ = try fixture.store.finish(fixture.digestion(reports[1]))
        #expect(try fixture.store.claimPending(limit: 9, after: 0).map(\.key) == reports[2...].map(\.key))
        try fixture.store.release(reports[3...].map(\.key))
        _ = try fixture.store.finish(fixture.digestion(reports[2]))
        #expect(try fixture.store.claimPending(limit: 9, after: 0).map(\.attempts) == [1, 1])
    }

    @Test(
        "a report that fails, or ends the process, is given up after its attempts and holds nobody up",
        arguments: Backend.allCases
    )
    func givingUp(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let (failing, killing, good) = (fixture.report(1), fixture.report(2), fixture.report(3))
        for report in [failing, killing, good] { _ = try fixture.store.add(report) }
        for start in 1...3 {
            try fixture.store.retryFailed(maximumAttempts: 3)
            if start == 1 {
                #expect(try fixture.store.claimPending(limit: 1, after: 0).count == 1)
            } else {
                #expect(try fixture.store.claimPending(limit: 9, after: 0).map(\.key) == [failing.key])
            }
            try fixture.store.fail(failing.key, reason: "no \(start)")
            #expect(try fixture.store.claimPending(limit: 1, after: 0).map(\.key) == [killing.key])
        }
        try fixture.store.retryFailed(maximumAttempts: 3)
        #expect(try fixture.store.claimPending(limit: 9, after: 0).map(\.key) == [good.key])
        _ = try fixture.store.finish(fixture.digestion(good))
        #expect(try fixture.store.digestCounts(ofProject: nil) == DigestCounts(pending: 0, failed: 2))
        let other = try #require(try fixture.store.addProject(name: "other", key: Secret("k").hash, at: .now()))
        #expect(try fixture.store.digestCounts(ofProject: 1) == DigestCounts(pending: 0, failed: 2))
        #expect(try fixture.store.digestCounts(ofProject: other.id) == DigestCounts(pending: 0, failed: 0))
        let states = try fixture.store.reports(ReportSelection(limit: 9)).map(\.state)
        #expect(states.contains(.failed(reason: "no 3")))
        #expect(states.contains(.failed(reason: "the collector ended while digesting it, 3 times")))
    }
}
