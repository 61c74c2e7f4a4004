import CrashReport
import Foundation
import Testing
import TestSupport

@testable import Store

@Suite("What the store keeps, and whether it is sound")
struct RetentionTests {
    /// Reports of two issues in turn, a minute apart, digested.
    private func filled(_ backend: Backend, _ count: Int) throws -> (Fixture, [NewReport]) {
        let fixture = try Fixture(backend)
        let reports = (0..<count).map { fixture.report(UInt64($0), minutes: Int64($0)) }
        for (index, report) in reports.enumerated() {
            _ = try fixture.store.add(report)
            _ = try fixture.store.finish(fixture.digestion(report, fingerprint: "f\(index % 2)"))
        }
        return (fixture, reports)
    }

    private func kept(_ fixture: Fixture, of reports: [NewReport]) throws -> [Int] {
        let ids = Set(try fixture.store.reports(ReportSelection(limit: 1_000)).map(\.key.id))
        return reports.indices.filter { ids.contains(reports[$0].key.id) }
    }

    private func pruneAll(_ fixture: Fixture, at time: Timestamp, piece: Int = 3) throws -> Int {
        var sum = 0
        while true {
            let removed = try fixture.store.prune(project: 1, at: time, limit: piece)
            sum += removed
            if removed < piece { return sum }
        }
    }

    @Test("without limits nothing is removed; limits come back as they were set", arguments: Backend.allCases)
    func unlimited(_ backend: Backend) throws {
        let (fixture, reports) = try filled(backend, 6)
        #expect(try fixture.store.retention(ofProject: 1) == Retention())
        #expect(try pruneAll(fixture, at: Timestamp(microseconds: .max)) == 0)
        let retention = Retention(age: 1, count: 2, bytes: 3)
        #expect(try fixture.store.setRetention(retention, ofProject: 1))
        #expect(try fixture.store.retention(ofProject: 1) == retention)
        #expect(try !fixture.store.setRetention(retention, ofProject: 9))
        #expect(try fixture.store.retention(ofProject: 9) == nil)
        #expect(try kept(fixture, of: reports).count == 6)
    }

    @Test(
        "by age: the oldest go, but for the first and last of each issue, and the counts stay",
        arguments: Backend.allCases
    )
    func byAge(_ backend: Backend) throws {
        let (fixture, reports) = try filled(backend, 12)
        _ = try fixture.store.setRetention(Retention(age: 60_000_000), ofProject: 1)
        // A minute after report 6 came.
        #expect(try pruneAll(fixture, at: Timestamp(microseconds: reports[7].received.microseconds)) == 4)
        #expect(try kept(fixture, of: reports) == [0, 1, 6, 7, 8, 9, 10, 11])
        #expect(try pruneAll(fixture, at: Timestamp(microseconds: .max)) == 4)
        #expect(try kept(fixture, of: reports) == [0, 1, 10, 11])
        #expect(try pruneAll(fixture, at: Timestamp(microseconds: .max)) == 0)
        #expect(try fixture.store.issues(IssueSelection(limit: 9)).map(\.count) == [6, 6])
        #expect(try fixture.store.body(of: reports[5].key) == nil)
        #expect(try fixture.store.check() == [])
    }

    @Test("by count and by bytes", arguments: Backend.allCases)
    func byCountAndBytes(_ backend: Backend) throws {
        let (fixture, reports) = try filled(backend, 10)
        _ = try fixture.store.setRetention(Retention(count: 7), ofProject: 1)
        #expect(try pruneAll(fixture, at: .now()) == 3)
        #expect(try kept(fixture, of: reports) == [0, 1, 5, 6, 7, 8, 9])
        // 3 are the bytes that the fixture's digestion makes.
        let bytes = [0, 1, 7, 8, 9].map { reports[$0].gzip.count + 3 }.reduce(0, +)
        _ = try fixture.store.setRetention(Retention(bytes: bytes), ofProject: 1)
        #expect(try pruneAll(fixture, at: .now()) == 2)
        #expect(try kept(fixture, of: reports) == [0, 1, 7, 8, 9])
        #expect(try fixture.store.check() == [])
    }

    @Test("what would go is counted, up to a limit, and stays", arguments: Backend.allCases)
    func counting(_ backend: Backend) throws {
        let (fixture, reports) = try filled(backend, 12)
        let store = fixture.store
        let late = Timestamp(microseconds: .max)
        func count(_ keep: Retention, at time: Timestamp, upTo limit: Int = 100) throws -> Int {
            try store.countBeyond(keep, ofProject: 1, at: time, upTo: limit)
        }
        #expect(try count(Retention(), at: late) == 0)
        #expect(try count(Retention(age: 60_000_000), at: reports[7].received) == 4)
        #expect(try count(Retention(age: 60_000_000), at: late) == 8)
        #expect(try count(Retention(count: 9), at: late) == 3)
        #expect(try count(Retention(bytes: 20), at: late) == 8)
        #expect(try count(Retention(bytes: 20), at: late, upTo: 5) == 5)
        #expect(try count(Retention(count: 12), at: late) == 0)
        #expect(try store.countBeyond(Retention(bytes: 20), ofProject: 9, at: late, upTo: 5) == 0)
        #expect(try store.retention(ofProject: 1) == Retention())
        #expect(try kept(fixture, of: reports).count == 12)
        _ = try store.setRetention(Retention(count: 9), ofProject: 1)
        #expect(try pruneAll(fixture, at: .now()) == 3)
    }

    @Test("what waits for digestion stays; what could not be digested goes", arguments: Backend.allCases)
    func undigested(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let (waiting, failed) = (fixture.report(1), fixture.report(2))
        for report in [waiting, failed] { _ = try fixture.store.add(report) }
        try fixture.store.fail(failed.key, reason: "no")
        _ = try fixture.store.setRetention(Retention(count: 1), ofProject: 1)
        #expect(try pruneAll(fixture, at: Timestamp(microseconds: .max)) == 1)
        _ = try fixture.store.setRetention(Retention(age: 1), ofProject: 1)
        #expect(try pruneAll(fixture, at: Timestamp(microseconds: .max)) == 0)
        #expect(try fixture.store.reports(ReportSelection(limit: 9)).map(\.key) == [waiting.key])
    }

    @Test(
        "what does not fit together is found",
        arguments: Backend.allCases,
        [
            ("DELETE FROM received_bodies WHERE report = 1", "of project 1 has lost its bytes"),
            ("DELETE FROM digested_bodies WHERE report = 1", "is digested and has no issue, or no bytes with symbols"),
            ("UPDATE reports SET title = NULL WHERE row = 1", "is in an issue and has no headline"),
            (
                "UPDATE issues SET count = count + 1 WHERE number = 1",
                "issue 1 of project 1 counts other occurrences than its reports have"
            ),
            ("DELETE FROM issue_hours", "issue 2 of project 1 counts other occurrences than its hours"),
            ("UPDATE issue_releases SET count = 9", "counts fewer occurrences than its releases"),
            ("DELETE FROM issue_hosts", "counts other hosts than it has"),
        ]
    )
    func check(_ backend: Backend, damage: (sql: String, says: String)) throws {
        let (fixture, _) = try filled(backend, 4)
        #expect(try fixture.store.check() == [])
        try fixture.execute(damage.sql)
        let found = try fixture.store.check()
        #expect(found.contains { $0.contains(damage.says) }, "\(found)")
    }

    @Test("the walk through all bytes comes to each report once", arguments: Backend.allCases)
    func bodies(_ backend: Backend) throws {
        let (fixture, reports) = try filled(backend, 5)
        var found: [StoredBody] = []
        while true {
            let page = try fixture.store.bodies(after: found.last?.position ?? 0, limit: 2)
            if page.isEmpty { break }
            found += page
        }
        #expect(found.map(\.key) == reports.map(\.key))
        #expect(found.map(\.body.received) == reports.map(\.gzip))
        #expect(found.allSatisfy { $0.body.digested == [1, 2, 3] })
    }

    @Test("a backup is the store of one moment, whole or not there, for its user alone")
    func backup() throws {
        let (fixture, reports) = try filled(.sqlite, 6)
        let target = DataDirectory("\(fixture.temporary.path)/backup")
        try fixture.store.backUp(into: target, adding: { _ in })
        _ = try fixture.store.add(fixture.report(99))
        let copy = try target.openStore()
        #expect(Set(try copy.reports(ReportSelection(limit: 99)).map(\.key)) == Set(reports.map(\.key)))
        #expect(try copy.check() == [])
        #expect(try copy.project(1)?.key == fixture.key.hash)
        let mode = try FileManager.default.attributesOfItem(atPath: target.database)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let error = #expect(throws: StoreError.self) { try fixture.store.backUp(into: target, adding: { _ in }) }
        #expect("\(try #require(error))".contains("it is there already; give a path that is not"))
        let nowhere = DataDirectory("\(fixture.temporary.path)/no/where")
        #expect(throws: StoreError.self) { try fixture.store.backUp(into: nowhere, adding: { _ in }) }
        #expect(!FileManager.default.fileExists(atPath: "\(target.path).partial"))
        // It goes on as a store of its own.
        #expect(try target.createStore().add(fixture.report(100)) == .stored)
    }

    @Test("a PostgreSQL database is backed up by its own tools, which is said")
    func postgresBackup() throws {
        let fixture = try Fixture(.postgres)
        let error = #expect(throws: StoreError.self) {
            try fixture.store.backUp(into: fixture.directory, adding: { _ in })
        }
        #expect("\(try #require(error))".contains("pg_dump"))
    }
}
