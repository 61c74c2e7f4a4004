import CrashReport
import Foundation
import Testing
import TestSupport

@testable import Store

@Suite("Opening the store")
struct StoreOpeningTests {
    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("the directory is its owner's only, and so are its files")
    func modes() throws {
        let fixture = try Fixture()
        _ = try fixture.store.add(fixture.report(1))
        #expect(try mode(fixture.directory.path) == 0o700)
        for file in try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path) {
            #expect(try mode("\(fixture.directory.path)/\(file)") == 0o600, "\(file)")
        }
    }

    @Test("a directory that is there keeps its mode, and one that others use is refused")
    func others() throws {
        let temporary = try TemporaryDirectory()
        #expect(chmod(temporary.path, 0o755) == 0)
        let directory = DataDirectory(temporary.path)
        let file = "\(temporary.path)/notes.txt"
        try Data("x".utf8).write(to: URL(fileURLWithPath: file))
        let error = #expect(throws: StoreError.self) { try directory.createStore() }
        #expect("\(try #require(error))".contains("notes.txt in it is not of a store; give a directory"))
        #expect(try mode(temporary.path) == 0o755)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == ["notes.txt"])
        // Empty, as an init system makes it: taken, and twice, with files of this user alone.
        try FileManager.default.removeItem(atPath: file)
        for _ in 0..<2 {
            let lock = try StoreLocation.directory(directory).lock()
            try directory.createStore().close()
            lock?.release()
        }
        #expect(try mode(temporary.path) == 0o755)
        #expect(try mode(directory.database) == 0o600)
    }

    @Test("opening what is not there makes nothing and says how to make it")
    func missing() throws {
        let temporary = try TemporaryDirectory()
        let directory = DataDirectory("\(temporary.path)/none")
        #expect(throws: StoreError.missing(path: directory.path)) { try directory.openStore() }
        #expect(!FileManager.default.fileExists(atPath: directory.path))
        #expect("\(StoreError.missing(path: "d"))".contains("mayday serve --data d"))
    }

    @Test("a newer schema is refused and left as it is; an older one is brought up to date by serve only")
    func versions() throws {
        let fixture = try Fixture()
        let path = fixture.directory.path
        func set(_ version: Int) throws {
            try SQLiteConnection(path: fixture.directory.database, create: false).execute(
                "PRAGMA user_version = \(version)"
            )
        }
        try set(SQLiteSchema.current + 1)
        let newer = StoreError.version(path: path, found: SQLiteSchema.current + 1, known: SQLiteSchema.current)
        #expect(throws: newer) { try fixture.directory.openStore() }
        #expect(throws: newer) { try fixture.directory.createStore() }
        #expect("\(newer)".contains("newer mayday"))
        try set(SQLiteSchema.current - 1)
        let older = StoreError.version(path: path, found: SQLiteSchema.current - 1, known: SQLiteSchema.current)
        #expect(throws: older) { try fixture.directory.openStore() }
        #expect("\(older)".contains("start `mayday serve` once"))
    }

    @Test("migrations run in order, all or nothing")
    func migrations() throws {
        let temporary = try TemporaryDirectory()
        let connection = try SQLiteConnection(path: "\(temporary.path)/db", create: true)
        let (first, second) = ("CREATE TABLE a (x)", "ALTER TABLE a ADD y; CREATE TABLE b (x)")
        try SQLiteSchema.migrate(connection, path: "db", steps: [first])
        #expect(throws: StoreError.self) {
            try SQLiteSchema.migrate(connection, path: "db", steps: [first, second + "; no"])
        }
        try SQLiteSchema.migrate(connection, path: "db", steps: [first, second])
        try SQLiteSchema.migrate(connection, path: "db", steps: [first, second])
        try connection.execute("INSERT INTO a VALUES (1, 2); INSERT INTO b VALUES (3)")
        #expect(throws: StoreError.version(path: "db", found: 2, known: 1)) {
            try SQLiteSchema.migrate(connection, path: "db", steps: [first])
        }
    }

    @Test("a file that is no database is named, with what to do")
    func damaged() throws {
        let temporary = try TemporaryDirectory()
        let directory = DataDirectory(temporary.path)
        try Data(repeating: 0x41, count: 8_192).write(to: URL(fileURLWithPath: directory.database))
        let error = #expect(throws: StoreError.self) { try directory.createStore() }
        #expect("\(try #require(error))".contains("not a database; restore it from a backup"))
    }

    @Test("a directory is served by one process; the lock says by whom, and is free again after it")
    func serveLock() throws {
        let fixture = try Fixture()
        #expect(!fixture.directory.isServed)
        let lock = try fixture.directory.lock()
        #expect(fixture.directory.isServed)
        let error = #expect(throws: StoreError.self) { try fixture.directory.lock() }
        #expect(error == .served(path: fixture.directory.path, by: "process \(getpid())"))
        lock.release()
        #expect(!fixture.directory.isServed)
        _ = try fixture.directory.lock()
    }

    @Test("a path that cannot be a data directory is named, with what to do")
    func unusable() throws {
        let temporary = try TemporaryDirectory()
        let file = "\(temporary.path)/file"
        try Data().write(to: URL(fileURLWithPath: file))
        for (path, text) in [
            (file, "not a directory; give another with --data"), ("\(file)/sub", "Not a directory"),
            ("\(temporary.path)/no/parent", "make its parent directory"),
        ] {
            let error = #expect(throws: StoreError.self) { try DataDirectory(path).create() }
            #expect("\(try #require(error))".contains(text))
        }
        guard geteuid() == 0 else {
            print("not root: the directory of another user is not tested")
            return
        }
        let foreign = "\(temporary.path)/foreign"
        try FileManager.default.createDirectory(atPath: foreign, withIntermediateDirectories: false)
        try #require(chown(foreign, 12_345, 12_345) == 0)
        let error = #expect(throws: StoreError.self) { try DataDirectory(foreign).create() }
        #expect("\(try #require(error))".contains("belongs to user 12345 and this is user 0; run as its owner"))
    }
}
