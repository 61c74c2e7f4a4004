import CrashReport
import Dispatch
import Synchronization
import Testing
import TestSupport

@testable import Store

@Suite("Reports that are digested again, in the store")
struct AgainTests {
    private let first = IssueKey(project: 1, number: 1)

    /// A store with reports of one issue, a minute apart, each of a release and a host of its own.
    private func filled(_ backend: Backend, _ count: Int, releases: [String?] = []) throws -> (Fixture, [NewReport]) {
        let fixture = try Fixture(backend)
        let reports = (0..<count).map { index in
            fixture.report(
                UInt64(index),
                release: index < releases.count ? releases[index] : "checkout@1.0.\(index)",
                minutes: Int64(index) * 60
            )
        }
        for report in reports { try digest(report, "offsets", fixture) }
        return (fixture, reports)
    }

    @discardableResult
    private func digest(_ report: NewReport, _ fingerprint: String, _ fixture: Fixture) throws -> DigestedIn? {
        _ = try fixture.store.add(report)
        return try fixture.store.finish(fixture.digestion(report, fingerprint: fingerprint, title: fingerprint))
    }

    /// Number, fingerprint, title, count of each issue, and first and last report in minutes.
    private func issues(_ fixture: Fixture) throws -> [String] {
        #expect(try fixture.store.check() == [])
        let start = SampleReport().time.microseconds
        func hour(_ time: Timestamp) -> Int64 { (time.microseconds - start) / 3_600_000_000 }
        return try fixture.store.issues(IssueSelection(limit: 10)).sorted { $0.key.number < $1.key.number }.map {
            let hours = try fixture.store.hours(of: $0.key, since: Timestamp(microseconds: 0))
            return
                "\($0.key.number) \($0.fingerprint) \($0.title) \($0.count) \(hour($0.firstSeen))-\(hour($0.lastSeen)) "
                + "hours \(hours.count) hosts \($0.hosts) releases \(try fixture.store.releases(of: $0.key).count)"
        }
    }

    @Test(
        "an issue whose reports all wait goes with the first, and nothing is told or counted anew",
        arguments: Backend.allCases
    )
    func carried(_ backend: Backend) throws {
        let (fixture, reports) = try filled(backend, 3)
        #expect(try fixture.store.digestAgain(reports.map(\.key)) == 3)
        #expect(try fixture.store.digestAgain(reports.map(\.key)) == 0, "they wait already")
        #expect(try fixture.store.digestCounts(ofProject: nil) == DigestCounts(pending: 3, failed: 0))
        // Until then all is as it was.
        #expect(try issues(fixture) == ["1 offsets offsets 3 0-2 hours 3 hosts 1 releases 3"])
        #expect(
            try fixture.store.reports(ReportSelection(issue: first, limit: 9)).map(\.state) == [.done, .done, .done]
        )
        #expect(try fixture.store.body(of: reports[0].key)?.digested != nil)
        let titles = ["offsets", "offsets", "functions"]
        for (report, title) in zip(reports, titles) {
            #expect(try fixture.store.claimPending(limit: 1, after: 0).map(\.key) == [report.key])
            let moved = try digest(report, "functions", fixture)
            #expect(moved?.issue.key == first && moved?.event == nil && moved?.issue.count == 3)
            #expect(try issues(fixture) == ["1 functions \(title) 3 0-2 hours 3 hosts 1 releases 3"])
        }
        #expect(try fixture.store.digestCounts(ofProject: nil) == DigestCounts(pending: 0, failed: 0))
        #expect(try fixture.store.digestAgain([ReportKey(project: 1, id: "no such report")]) == 0)
    }

    @Test("what is of the same fingerprint stays, with its new headline", arguments: Backend.allCases)
    func same(_ backend: Backend) throws {
        let (fixture, reports) = try filled(backend, 2)
        _ = try fixture.store.digestAgain(reports.map(\.key))
        for report in reports {
            let digestion = fixture.digestion(report, fingerprint: "offsets", title: "news")
            #expect(try fixture.store.finish(digestion)?.event == nil)
        }
        #expect(try issues(fixture) == ["1 offsets news 2 0-1 hours 2 hosts 1 releases 2"])
    }

    @Test("those that leave others behind are another issue, and each counts its own", arguments: Backend.allCases)
    func split(_ backend: Backend) throws {
        let (fixture, reports) = try filled(backend, 3)
        _ = try fixture.store.digestAgain([reports[2].key])
        let alone = try digest(reports[2], "functions", fixture)
        #expect(alone?.issue.key.number == 2 && alone?.event == .new)
        #expect(
            try issues(fixture) == [
                "1 offsets offsets 2 0-1 hours 2 hosts 1 releases 2",
                "2 functions functions 1 2-2 hours 1 hosts 1 releases 1",
            ]
        )
        _ = try fixture.store.digestAgain(reports[...1].map(\.key))
        let joined = try digest(reports[0], "functions", fixture)
        #expect(joined?.issue.key.number == 2 && joined?.event == nil && joined?.issue.count == 2)
        #expect(
            try issues(fixture) == [
                "1 offsets offsets 1 1-1 hours 1 hosts 1 releases 1",
                "2 functions functions 2 0-2 hours 2 hosts 1 releases 2",
            ]
        )
        #expect(try digest(reports[1], "functions", fixture)?.issue.count == 3)
        #expect(try issues(fixture) == ["2 functions functions 3 0-2 hours 3 hosts 1 releases 3"])
        func followed(_ project: Int?, _ number: Int) throws -> [Int] {
            try fixture.store.issues(IssueSelection(project: project, number: number, limit: 9)).map(\.key.number)
        }
        #expect(try followed(1, 1) == [2] && followed(nil, 1) == [2])
        #expect(try followed(2, 1) == [] && followed(1, 3) == [])
        // On to where that goes, and to nothing once it is deleted.
        try digest(fixture.report(9), "others", fixture)
        _ = try fixture.store.digestAgain(reports.map(\.key))
        for report in reports { try digest(report, "others", fixture) }
        #expect(try followed(1, 1) == [3] && followed(1, 2) == [3])
        #expect(try fixture.store.delete(reports.map(\.key) + [fixture.report(9).key]) == 4)
        #expect(try followed(1, 1) == [] && followed(1, 3) == [])
        #expect(try fixture.store.removeProject(1))
    }

    @Test("an issue of which retention removed reports takes those along", arguments: Backend.allCases, [false, true])
    func removed(_ backend: Backend, isThere: Bool) throws {
        let (fixture, reports) = try filled(backend, 4)
        _ = try fixture.store.setRetention(Retention(count: 2), ofProject: 1)
        #expect(try fixture.store.prune(project: 1, at: .now(), limit: 9) == 2)
        if isThere { try digest(fixture.report(9, release: nil, minutes: 120), "functions", fixture) }
        #expect(try fixture.store.digestAgain(reports.map(\.key)) == 2)
        try digest(reports[0], "functions", fixture)
        try digest(reports[3], "functions", fixture)
        #expect(
            try issues(fixture) == [
                isThere
                    ? "2 functions functions 5 0-3 hours 4 hosts 1 releases 4"
                    : "1 functions functions 4 0-3 hours 4 hosts 1 releases 4"
            ]
        )
    }

    @Test(
        "what was decided stays so in all that becomes of the issue, and old reports refute nothing",
        arguments: Backend.allCases
    )
    func decided(_ backend: Backend) throws {
        // The fix is said to be in a release that it was seen in: the next report of it would refute that.
        let (fixture, reports) = try filled(backend, 3, releases: ["checkout@1.0.0", "checkout@1.0.1", nil])
        _ = try fixture.store.decide(.resolve(in: "checkout@1.0.1"), on: first, at: reports[0].received)
        _ = try fixture.store.digestAgain(reports.map(\.key))
        for (report, fingerprint) in zip(reports, ["functions", "functions", "others"]) {
            let moved = try digest(report, fingerprint, fixture)
            #expect(moved?.event == nil && moved?.issue.status == .resolved(in: "checkout@1.0.1"))
            #expect(moved?.issue.key.number == (fingerprint == "others" ? 2 : 1))
        }
        let next = try digest(fixture.report(8, release: "checkout@1.0.1", minutes: 600), "others", fixture)
        #expect(next?.event == .regressed)
    }

    @Test("a report that joins a resolved issue refutes it when it says so itself", arguments: Backend.allCases)
    func refuted(_ backend: Backend) throws {
        let (fixture, reports) = try filled(backend, 2)
        try digest(fixture.report(8, release: "checkout@0.1.0"), "functions", fixture)
        let second = IssueKey(project: 1, number: 2)
        _ = try fixture.store.decide(.resolve(in: "checkout@1.0.1"), on: second, at: .now())
        _ = try fixture.store.digestAgain(reports.map(\.key))
        let older = try digest(reports[0], "functions", fixture)
        #expect(older?.event == nil && older?.issue.status == .resolved(in: "checkout@1.0.1"))
        let same = try digest(reports[1], "functions", fixture)
        #expect(same?.event == .regressed && same?.issue.count == 3)
    }

    @Test("a mute until there are more counts only what comes after it", arguments: Backend.allCases)
    func muted(_ backend: Backend) throws {
        let (fixture, reports) = try filled(backend, 3)
        try digest(fixture.report(8), "functions", fixture)
        let second = IssueKey(project: 1, number: 2)
        _ = try fixture.store.decide(.mute(until: nil, more: 2), on: first, at: reports[2].received)
        _ = try fixture.store.decide(.mute(until: nil, more: 2), on: second, at: reports[2].received)
        _ = try fixture.store.digestAgain(reports.map(\.key))
        #expect(try digest(reports[0], "functions", fixture)?.event == nil)
        #expect(try digest(reports[1], "functions", fixture)?.issue.status == .muted(until: nil, count: 5))
        // The last becomes an issue of its own, with what the first had left of its mute.
        #expect(try digest(reports[2], "others", fixture)?.issue.status == .muted(until: nil, count: 3))
        for (key, seed) in [("functions", UInt64(20)), ("others", 30)] {
            #expect(try digest(fixture.report(seed, minutes: 600), key, fixture)?.event == nil)
            #expect(try digest(fixture.report(seed + 1, minutes: 601), key, fixture)?.event == .unmuted)
        }
    }

    @Test("one that cannot be digested again stays what it was", arguments: Backend.allCases)
    func failed(_ backend: Backend) throws {
        let (fixture, reports) = try filled(backend, 2)
        _ = try fixture.store.digestAgain(reports.map(\.key))
        try fixture.store.fail(reports[0].key, reason: "no")
        for _ in 0..<3 { _ = try fixture.store.claimPending(limit: 1, after: 0) }
        try fixture.store.retryFailed(maximumAttempts: 3)
        #expect(try fixture.store.digestCounts(ofProject: nil) == DigestCounts(pending: 0, failed: 0))
        #expect(try issues(fixture) == ["1 offsets offsets 2 0-1 hours 2 hosts 1 releases 2"])
        #expect(try fixture.store.reports(ReportSelection(issue: first, limit: 9)).map(\.state) == [.done, .done])
    }

    @Test(
        "an issue that is deleted meanwhile takes its reports along, and what was digested of them",
        arguments: Backend.allCases
    )
    func deleted(_ backend: Backend) throws {
        let (fixture, reports) = try filled(backend, 2)
        _ = try fixture.store.digestAgain(reports.map(\.key))
        #expect(try fixture.store.delete([reports[0].key]) == 1)
        #expect(try digest(reports[1], "functions", fixture)?.issue.key == first)
        _ = try fixture.store.digestAgain([reports[1].key])
        #expect(try fixture.store.delete([reports[1].key]) == 1)
        #expect(try fixture.store.finish(fixture.digestion(reports[1], fingerprint: "functions")) == nil)
        #expect(try issues(fixture) == [])
    }

    @Test("bytes are those of the report and of its last digestion", arguments: Backend.allCases)
    func bytes(_ backend: Backend) throws {
        let (fixture, reports) = try filled(backend, 1)
        _ = try fixture.store.setRetention(Retention(bytes: 1 << 40), ofProject: 1)
        for length in [10, 2] {
            _ = try fixture.store.digestAgain([reports[0].key])
            var digestion = fixture.digestion(reports[0], fingerprint: "offsets")
            digestion.receivedBytes = reports[0].gzip.count
            digestion.gzip = [UInt8](repeating: 7, count: length)
            #expect(try fixture.store.finish(digestion) != nil)
            try fixture.execute(
                "UPDATE reports SET failure = 'other bytes' WHERE bytes <> \(reports[0].gzip.count + length)"
            )
            try fixture.execute("UPDATE reports SET digest = 2 WHERE failure = 'other bytes'")
            #expect(try fixture.store.digestCounts(ofProject: nil).failed == 0)
        }
    }

    @Test("nodes that move reports of the same issues at once count each once, and tell none as new")
    func nodes() async throws {
        let fixture = try Fixture(.postgres)
        let nodes = try (0..<3).map { _ in try fixture.location.open() }
        let reports = (0..<60).map { fixture.report(UInt64($0), minutes: Int64($0)) }
        for (index, report) in reports.enumerated() { try digest(report, "offsets \(index % 2)", fixture) }
        #expect(try fixture.store.digestAgain(reports.map(\.key)) == 60)
        let told = Mutex(0)
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: nodes.count) { node in
            do {
                while case let pending = try nodes[node].claimPending(limit: 4, after: 0), !pending.isEmpty {
                    let digestions = pending.map {
                        Digestion(key: $0.key, fingerprint: "functions", title: "t", culprit: nil, gzip: [1])
                    }
                    for written in try nodes[node].finish(digestions) where written?.event != nil {
                        told.withLock { $0 += 1 }
                    }
                }
            } catch { failures.withLock { $0.append("\(error)") } }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(told.withLock { $0 } == 0)
        #expect(try fixture.store.check() == [])
        let left = try fixture.store.issues(IssueSelection(limit: 9))
        #expect(left.map(\.count) == [60] && left.first?.fingerprint == "functions")
        for node in nodes { node.close() }
    }
}
