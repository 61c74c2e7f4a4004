import CrashReport
import Testing
import TestSupport

@testable import Store

/// What the store is kept in: the same suites run on each.
enum Backend: CaseIterable, CustomTestStringConvertible {
    case sqlite
    case postgres

    var testDescription: String {
        switch self {
        case .sqlite: "SQLite"
        case .postgres: "PostgreSQL"
        }
    }

    /// A place that holds nothing yet.
    func freshLocation(in temporary: TemporaryDirectory) throws -> StoreLocation {
        switch self {
        case .sqlite: return .directory(DataDirectory("\(temporary.path)/data"))
        case .postgres:
            return .database(try #require(PostgresAddress(try PostgresServer.running().freshURL())))
        }
    }
}

/// A store with one project, in a place of its own.
struct Fixture {
    let temporary: TemporaryDirectory
    let location: StoreLocation
    let store: any Store
    let project: Project
    let key = Secret.random()

    /// The conformance suites give the backend; what is said of files and their modes is said of SQLite alone.
    init(_ backend: Backend) throws {
        temporary = try TemporaryDirectory()
        location = try backend.freshLocation(in: temporary)
        store = try location.create()
        project = try Self.setUp(store, key)
    }

    /// On SQLite.
    ///
    /// - Parameter maximumPages: the database is full at so many.
    init(maximumPages: Int? = nil) throws {
        temporary = try TemporaryDirectory()
        location = try Backend.sqlite.freshLocation(in: temporary)
        store = try DataDirectory("\(temporary.path)/data").createStore(maximumPages: maximumPages)
        project = try Self.setUp(store, key)
    }

    /// Where it is on SQLite.
    var directory: DataDirectory { DataDirectory("\(temporary.path)/data") }

    private static func setUp(_ store: any Store, _ key: Secret) throws -> Project {
        try #require(
            try store.setUp(project: "default", key: key.hash, adminToken: Secret("admin").hash, at: .now())
        )
    }

    /// Runs SQL on the database beside the store.
    func execute(_ sql: String) throws {
        switch location {
        case .directory(let directory): try SQLiteConnection(path: directory.database, create: false).execute(sql)
        case .database(let address): try PostgresConnection(address).execute(sql)
        }
    }

    /// A report that differs by its seed.
    func report(_ seed: UInt64, release: String? = "checkout@1.4.2", minutes: Int64 = 0) -> NewReport {
        var sample = SampleReport(seed: seed, release: release)
        sample.time.microseconds += minutes * 60_000_000
        let received = Timestamp(microseconds: sample.time.microseconds + 1_000_000)
        let report = sample.report()
        return NewReport(project: project.id, received: received, report: report, gzip: report.encode())
    }

    /// What a digest makes of a report.
    func digestion(_ report: NewReport, fingerprint: String = "f", title: String = "title") -> Digestion {
        Digestion(key: report.key, fingerprint: fingerprint, title: title, culprit: "culprit", gzip: [1, 2, 3])
    }
}

extension Store {
    /// Writes the outcome of one digestion.
    func finish(_ digestion: Digestion) throws(StoreError) -> DigestedIn? { try finish([digestion])[0] }
}
