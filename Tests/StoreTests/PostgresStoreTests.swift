import CrashReport
import Dispatch
import Synchronization
import Testing
import TestSupport

@testable import Store

@Suite("A PostgreSQL database that several collectors share")
struct PostgresStoreTests {
    @Test("nodes that start at once on an empty database make its tables once, and one of them the first project")
    func startingTogether() throws {
        let location = try Backend.postgres.freshLocation(in: TemporaryDirectory())
        let outcomes = Mutex<[Result<Project?, any Error>]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { index in
            let outcome = Result {
                try location.create().setUp(
                    project: "default",
                    key: Secret("k\(index)").hash,
                    adminToken: Secret("a").hash,
                    at: .now()
                )
            }
            outcomes.withLock { $0.append(outcome) }
        }
        let projects = try outcomes.withLock { $0 }.map { try $0.get() }
        #expect(projects.count == 8)
        #expect(projects.compactMap { $0?.id } == [1])
        #expect(try location.open().projects().map(\.id) == [1])
    }

    @Test("an empty database, a newer and an older schema are each named, with what to do")
    func versions() throws {
        let temporary = try TemporaryDirectory()
        let empty = try Backend.postgres.freshLocation(in: temporary)
        let error = #expect(throws: StoreError.self) { try empty.open() }
        #expect(error == .empty(database: "\(empty)"))
        #expect("\(try #require(error))".contains("`mayday serve --store postgres://test"))
        let fixture = try Fixture(.postgres)
        func set(_ version: Int) throws { try fixture.execute("UPDATE mayday_schema SET version = \(version)") }
        let (known, path) = (PostgresSchema.current, "\(fixture.location)")
        try set(known + 1)
        let newer = StoreError.version(path: path, found: known + 1, known: known)
        #expect(throws: newer) { try fixture.location.open() }
        #expect(throws: newer) { try fixture.location.create() }
        try set(known - 1)
        #expect(throws: StoreError.version(path: path, found: known - 1, known: known)) { try fixture.location.open() }
    }

    @Test("a migration that fails leaves everything as it was")
    func failedMigration() throws {
        let location = try Backend.postgres.freshLocation(in: TemporaryDirectory())
        guard case .database(let address) = location else { return }
        let connection = try PostgresConnection(address)
        try connection.execute("BEGIN")
        #expect(throws: StoreError.self) {
            try PostgresSchema.migrate(connection, address, steps: ["CREATE TABLE a (x INT)", "no"])
        }
        try connection.execute("ROLLBACK")
        #expect(try connection.query("SELECT to_regclass('a') IS NULL") { $0.int(0) } == [1])
        #expect(throws: StoreError.empty(database: "\(address)")) { try location.open() }
    }

    @Test("reports in digestion on one node are not given to another, and are as soon as that node is gone")
    func sharedDigestion() throws {
        let fixture = try Fixture(.postgres)
        let reports = (0..<6).map { fixture.report(UInt64($0)) }
        for report in reports { _ = try fixture.store.add(report) }
        let other = try fixture.location.open()
        #expect(try fixture.store.claimPending(limit: 2, after: 0).map(\.key) == reports[..<2].map(\.key))
        #expect(try other.claimPending(limit: 2, after: 0).map(\.key) == reports[2..<4].map(\.key))
        try other.release([reports[3].key])
        #expect(try fixture.store.isServed())
        fixture.store.close()
        // The connection's end reaches the server a moment later.
        var claimed: [PendingReport] = []
        while claimed.first?.key != reports[0].key {
            claimed = try other.claimPending(limit: 9, after: 0)
            if claimed.first?.key == reports[0].key { break }
            try other.release(claimed.map(\.key))
        }
        #expect(claimed.map(\.attempts) == [2])
        other.close()
    }

    @Test("a digestion that two nodes bring to an end counts once, and a new issue is made once")
    func finishedTwice() throws {
        let fixture = try Fixture(.postgres)
        let reports = (0..<24).map { fixture.report(UInt64($0)) }
        for report in reports { _ = try fixture.store.add(report) }
        let stores = [fixture.store, try fixture.location.open(), try fixture.location.open()]
        let counted = Mutex(0)
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: reports.count * stores.count) { index in
            let report = reports[index / stores.count]
            let fingerprint = "f\(index / stores.count % 4)"
            do {
                let issue = try stores[index % stores.count].finish(fixture.digestion(report, fingerprint: fingerprint))
                if issue != nil { counted.withLock { $0 += 1 } }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 }.isEmpty)
        #expect(counted.withLock { $0 } == reports.count)
        let issues = try fixture.store.issues(IssueSelection(limit: 100))
        #expect(issues.map(\.key.number).sorted() == [1, 2, 3, 4])
        #expect(issues.allSatisfy { $0.count == 6 })
    }

    @Test("connections that the server closed are opened anew, for writing, reading and claiming")
    func closedConnections() throws {
        let fixture = try Fixture(.postgres)
        _ = try fixture.store.add(fixture.report(1))
        #expect(try fixture.store.claimPending(limit: 1, after: 0).count == 1)
        try fixture.execute(
            """
            SELECT pg_terminate_backend(pid, 600000) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND pid IN
                (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = 'reports'::regclass::oid)
            """
        )
        #expect(try fixture.store.claimPending(limit: 1, after: 0).map(\.attempts) == [2])
        // Those of this schema alone: other tests run on the same server.
        let close = """
            SELECT pg_terminate_backend(pid, 600000) FROM pg_stat_activity
            WHERE pid <> pg_backend_pid() AND usename = current_user
            """
        try fixture.execute(close)
        #expect(try fixture.store.add(fixture.report(2)) == .stored)
        try fixture.execute(close)
        #expect(try fixture.store.projects().count == 1)
    }

    @Test("a server that is not there is named without the password")
    func unreachable() throws {
        let address = try #require(PostgresAddress("postgres://me:s3cret@/db?host=/nowhere&port=5433"))
        #expect("\(address)" == "postgres://me@/nowhere:5433/db")
        let error = #expect(throws: StoreError.self) { try StoreLocation.database(address).create() }
        let text = "\(try #require(error))"
        #expect(text.contains("cannot use postgres://me@/nowhere:5433/db: "))
        #expect(text.contains("see that the server runs"))
        #expect(!text.contains("s3cret"))
    }

    @Test(
        "an address is a URL with a database",
        arguments: [
            "", "postgres://", "postgres://host", "mysql://a/b", "host=a dbname=b", "postgres://a/%zz",
            "postgres://a/b?nonsense=1",
        ]
    )
    func wrongAddress(_ url: String) {
        #expect(PostgresAddress(url) == nil)
    }
}
