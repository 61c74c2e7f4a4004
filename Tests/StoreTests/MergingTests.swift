import CrashReport
import TestSupport
import Testing

@testable import Store
// Testing has an `Issue` too.
@testable import struct Store.Issue

@Suite("Issues that are merged")
struct MergingTests {
    private func report(_ fixture: Fixture, _ seed: UInt64, _ fingerprint: String, minutes: Int64 = 0) throws
        -> DigestedIn
    {
        let report = fixture.report(seed, minutes: minutes)
        _ = try fixture.store.add(report)
        return try #require(try fixture.store.finish(fixture.digestion(report, fingerprint: fingerprint)))
    }

    private func key(_ number: Int) -> IssueKey { IssueKey(project: 1, number: number) }

    private func merge(_ fixture: Fixture, _ number: Int, _ into: Int) throws -> Issue? {
        try fixture.store.decide(.merge(into: into), on: key(number), at: .now())
    }

    private func found(_ fixture: Fixture, _ number: Int) throws -> Int? {
        try fixture.store.issues(IssueSelection(project: 1, number: number, limit: 1)).first?.key.number
    }

    @Test(
        "all is counted together, later reports and the old number lead to the one that is left",
        arguments: Backend.allCases
    )
    func merged(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        for (seed, fingerprint) in ["a", "b", "b", "c"].enumerated() {
            _ = try report(fixture, UInt64(seed + 1), fingerprint, minutes: Int64(seed))
        }
        _ = try fixture.store.decide(.resolve(in: nil), on: key(1), at: .now())
        let kept = try merge(fixture, 2, 1)
        #expect(kept?.key == key(1) && kept?.count == 3 && kept?.status == .open, "what is open needs somebody")
        #expect(try found(fixture, 2) == 1)
        #expect(try fixture.store.joined(to: key(1)) == [2])
        // Later reports are told as what they are: one more.
        let later = try report(fixture, 5, "b", minutes: 9)
        #expect(later.event == nil && later.issue.key == key(1) && later.issue.count == 4)
        // Reports of the other key go on too, and a chain leads to its end.
        #expect(try report(fixture, 6, "a").issue.key == key(1))
        #expect(try merge(fixture, 1, 3)?.count == 6)
        #expect(try report(fixture, 7, "b").issue.key == key(3) && report(fixture, 8, "a").issue.count == 8)
        #expect(try found(fixture, 2) == 3 && found(fixture, 1) == 3)
        #expect(try fixture.store.joined(to: key(3)) == [1, 2])
        #expect(try fixture.store.issues(IssueSelection(limit: 9)).map(\.count) == [8])
        #expect(try fixture.store.releases(of: key(3)).map(\.count) == [8])
        #expect(try report(fixture, 9, "d").issue.key == key(4))
        #expect(try fixture.store.check().isEmpty)
    }

    @Test("a resolved one that both are regresses with a report of either", arguments: Backend.allCases)
    func resolved(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        _ = try report(fixture, 1, "a")
        _ = try report(fixture, 2, "b")
        _ = try merge(fixture, 2, 1)
        _ = try fixture.store.decide(.resolve(in: "checkout@1.0.0"), on: key(1), at: .now())
        #expect(try report(fixture, 3, "b").event == .regressed)
    }

    @Test("reports that are digested again stay, unless their key is another one", arguments: Backend.allCases)
    func again(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        _ = try report(fixture, 1, "a")
        let other = fixture.report(2)
        _ = try fixture.store.add(other)
        _ = try fixture.store.finish(fixture.digestion(other, fingerprint: "b"))
        _ = try merge(fixture, 2, 1)
        _ = try fixture.store.digestAgain([other.key])
        #expect(try fixture.store.finish(fixture.digestion(other, fingerprint: "b"))?.issue.key == key(1))
        _ = try fixture.store.digestAgain([other.key])
        let moved = try fixture.store.finish(fixture.digestion(other, fingerprint: "functions"))
        #expect(moved?.issue.key == key(3) && moved?.issue.count == 1)
        #expect(try fixture.store.check().isEmpty)
    }

    @Test("what is not there, and itself, change nothing; what is deleted leads nowhere", arguments: Backend.allCases)
    func refused(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        _ = try report(fixture, 1, "a")
        _ = try report(fixture, 2, "b")
        for (number, into) in [(1, 1), (1, 9), (9, 1)] { #expect(try merge(fixture, number, into) == nil) }
        #expect(try fixture.store.issues(IssueSelection(limit: 9)).map(\.count) == [1, 1])
        _ = try merge(fixture, 2, 1)
        let reports = try fixture.store.reports(ReportSelection(limit: 9)).map(\.key)
        #expect(try fixture.store.delete(reports) == 2)
        #expect(try report(fixture, 3, "b").event == .new)
        #expect(try fixture.store.check().isEmpty)
    }
}
