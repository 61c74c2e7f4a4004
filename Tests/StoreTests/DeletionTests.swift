import CrashReport
import Testing
import TestSupport

@testable import Store

@Suite("Deleting reports and projects")
struct DeletionTests {
    /// Four reports of one issue, a minute apart, the last of another release; and one of another.
    private func filled(_ backend: Backend) throws -> (Fixture, [NewReport]) {
        let fixture = try Fixture(backend)
        let reports = (0..<5).map {
            fixture.report(UInt64($0), release: $0 == 3 ? "checkout@2" : "checkout@1", minutes: Int64($0))
        }
        for (index, report) in reports.enumerated() {
            _ = try fixture.store.add(report)
            let name = index == 4 ? "g" : "f"
            _ = try fixture.store.finish(fixture.digestion(report, fingerprint: name, title: "title \(index)"))
        }
        return (fixture, reports)
    }

    @Test(
        "a report goes with what its issue counts of it, and the issue says what is left",
        arguments: Backend.allCases
    )
    func report(_ backend: Backend) throws {
        let (fixture, reports) = try filled(backend)
        let key = IssueKey(project: 1, number: 1)
        #expect(try fixture.store.delete([reports[3].key, ReportKey(project: 1, id: "none")]) == 1)
        #expect(try fixture.store.body(of: reports[3].key) == nil)
        var issue = try #require(try fixture.store.issues(IssueSelection(number: 1, limit: 1)).first)
        #expect((issue.count, issue.title, issue.lastSeen) == (3, "title 2", reports[2].facts.time))
        #expect(try fixture.store.releases(of: key).map(\.release) == ["checkout@1"])
        #expect(try fixture.store.delete([reports[0].key]) == 1)
        issue = try #require(try fixture.store.issues(IssueSelection(number: 1, limit: 1)).first)
        #expect((issue.count, issue.firstSeen) == (2, reports[1].facts.time))
        #expect(try fixture.store.hours(of: key, since: Timestamp(microseconds: 0)).map(\.count).reduce(0, +) == 2)
        #expect(try fixture.store.check() == [])
        #expect(try fixture.store.delete([reports[1].key, reports[2].key]) == 2)
        #expect(try fixture.store.issues(IssueSelection(limit: 9)).map(\.key.number) == [2])
        #expect(try fixture.store.check() == [])
        // Sent again it is new, in an issue that is.
        _ = try fixture.store.add(reports[1])
        let again = try fixture.store.finish(fixture.digestion(reports[1]))
        #expect(again?.event == .new && again?.issue.key.number == 3)
    }

    @Test("a report that waits, and one in digestion, can be deleted", arguments: Backend.allCases)
    func undigested(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let report = fixture.report(1)
        _ = try fixture.store.add(report)
        #expect(try fixture.store.claimPending(limit: 1, after: 0).count == 1)
        #expect(try fixture.store.delete([report.key]) == 1)
        #expect(try fixture.store.finish(fixture.digestion(report)) == nil)
        #expect(try fixture.store.digestCounts(ofProject: nil) == DigestCounts(pending: 0, failed: 0))
        #expect(try fixture.store.check() == [])
    }

    @Test("a project without reports goes, also when it had some", arguments: Backend.allCases)
    func project(_ backend: Backend) throws {
        let (fixture, reports) = try filled(backend)
        #expect(throws: StoreError.self) { try fixture.store.removeProject(1) }
        // Digested again, into another issue: the one before is there, without reports.
        _ = try fixture.store.digestAgain([reports[4].key])
        _ = try fixture.store.finish(fixture.digestion(reports[4], fingerprint: "h"))
        _ = try fixture.store.delete(reports.map(\.key))
        #expect(try fixture.store.removeProject(1))
        #expect(try !fixture.store.removeProject(1))
        #expect(try fixture.store.projects() == [])
        #expect(try fixture.store.check() == [])
    }
}
