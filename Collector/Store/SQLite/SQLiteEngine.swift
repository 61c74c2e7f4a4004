import CSQLite
import Foundation
import Synchronization

/// The engine of one machine: an SQLite database in a data directory.
///
/// Several processes may use it at once (`serve` and the commands); within a process one connection writes and others
/// read, so that no reader waits for a writer.
final class SQLiteEngine: SQLEngine {
    private let writes: WriteQueue
    private let readers = Mutex<[Reader]>([])
    private let directory: DataDirectory

    /// A connection in the pool.
    private final class Reader: Sendable {
        let connection: Mutex<SQLiteConnection>

        init(_ connection: sending SQLiteConnection) { self.connection = Mutex(connection) }
    }

    static func open(_ directory: DataDirectory) throws(StoreError) -> SQLiteEngine {
        guard access(directory.database, F_OK) == 0 else {
            // A directory that may not be entered is there, but looks empty.
            guard errno == EACCES else { throw .missing(path: directory.path) }
            throw .unusable(path: directory.path, reason: "\(describe(errno)); run as its owner")
        }
        let connection = try SQLiteConnection(path: directory.database, create: false)
        try SQLiteSchema.check(connection, path: directory.path)
        if !connection.isImmutable { try configure(connection) }
        return SQLiteEngine(writer: connection, directory: directory)
    }

    static func create(_ directory: DataDirectory, maximumPages: Int? = nil) throws(StoreError) -> SQLiteEngine {
        try directory.create()
        // SQLite gives its other files the mode of the database.
        let descriptor = Foundation.open(directory.database, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusable(path: directory.database, reason: describe(errno)) }
        Foundation.close(descriptor)
        let connection = try SQLiteConnection(path: directory.database, create: true)
        try connection.execute("PRAGMA journal_mode = WAL")
        try configure(connection)
        try SQLiteSchema.migrate(connection, path: directory.path)
        if let maximumPages { try connection.execute("PRAGMA max_page_count = \(maximumPages)") }
        return SQLiteEngine(writer: connection, directory: directory)
    }

    private static func configure(_ connection: SQLiteConnection) throws(StoreError) {
        // FULL: a commit is on the disk before it is answered. The log is cut back after a burst. What is deleted is overwritten.
        try connection.execute(
            """
            PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 67108864;
            PRAGMA secure_delete = ON
            """
        )
    }

    private init(writer: sending SQLiteConnection, directory: DataDirectory) {
        writes = WriteQueue(writer)
        self.directory = directory
    }

    /// Reads one consistent state of the database.
    func read<Value: Sendable>(_ body: (any SQLConnection) throws(StoreError) -> Value) throws(StoreError) -> Value {
        let idle = readers.withLock { $0.popLast() }
        let reader = if let idle { idle } else { try makeReader() }
        defer { readers.withLock { $0.append(reader) } }
        return try reader.connection.withLock { connection throws(StoreError) in
            try connection.run("BEGIN")
            defer { _ = try? connection.run("COMMIT") }
            try connection.checkInPlace()
            return try body(connection)
        }
    }

    func write<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value)
        throws(StoreError) -> Value
    {
        try writes.perform(body)
    }

    func claim<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection, _ claimant: Int) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try writes.perform { connection throws(StoreError) in try body(connection, 0) }
    }

    func snapshot<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value)
        throws(StoreError) -> Value
    {
        try read(body)
    }

    func damage() throws(StoreError) -> [String] {
        let found = try read { connection throws(StoreError) in
            try connection.query("PRAGMA integrity_check") { $0.text(0) }
                + connection.query("PRAGMA foreign_key_check") {
                    "a row of \($0.text(0)) refers to nothing in \($0.text(2))"
                }
        }
        return found.filter { $0 != "ok" }
    }

    func backUp(into target: DataDirectory, adding files: (String) throws(StoreError) -> Void) throws(StoreError) {
        guard access(target.path, F_OK) != 0 else {
            throw .unusable(path: target.path, reason: "it is there already; give a path that is not, or move it away")
        }
        // What has the name is whole.
        let partial = DataDirectory("\(target.path).partial")
        try? FileManager.default.removeItem(atPath: partial.path)
        try partial.create()
        do throws(StoreError) {
            // Made with the mode of this user alone, before SQLite writes into it.
            let descriptor = Foundation.open(partial.database, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw .unusable(path: partial.database, reason: describe(errno)) }
            defer { Foundation.close(descriptor) }
            let connection = try SQLiteConnection(path: directory.database, create: false)
            try connection.checkInPlace()
            _ = try connection.perform("VACUUM INTO ?", [partial.database])
            try useWriteAheadLog(of: partial)
            try files(partial.path)
            guard fsync(descriptor) == 0, rename(partial.path, target.path) == 0 else {
                throw .unusable(path: target.path, reason: describe(errno))
            }
        } catch {
            try? FileManager.default.removeItem(atPath: partial.path)
            throw error
        }
    }

    private func useWriteAheadLog(of directory: DataDirectory) throws(StoreError) {
        try SQLiteConnection(path: directory.database, create: false).execute("PRAGMA journal_mode = WAL")
    }

    func isServed() -> Bool { directory.isServed }

    private func makeReader() throws(StoreError) -> Reader {
        let connection = try SQLiteConnection(path: directory.database, create: false)
        try connection.execute("PRAGMA query_only = ON")
        return Reader(connection)
    }

    /// Closes what is not in use, and moves the log into the database file: the writer goes with the last reference only,
    /// which a thread may hold to the process' end.
    func close() {
        readers.withLock { $0.removeAll() }
        writes.moveLog()
    }
}

extension DataDirectory {
    /// Opens the store that `serve` made here.
    public func openStore() throws(StoreError) -> any Store { SQLStore(engine: try SQLiteEngine.open(self)) }

    /// Opens the store, and makes it or brings it up to date where needed. For `serve`, which holds the lock.
    ///
    /// - Parameter maximumPages: the store is full at so many pages of 4,096 bytes; nil has no limit but the disk.
    public func createStore(maximumPages: Int? = nil) throws(StoreError) -> any Store {
        SQLStore(engine: try SQLiteEngine.create(self, maximumPages: maximumPages))
    }
}
