import CSQLite
import Foundation
import Synchronization

/// The store of one machine: an SQLite database in a data directory.
///
/// Several processes may use it at once (`serve` and the commands); within a process one connection writes and others
/// read, so that no reader waits for a writer.
final class SQLiteStore: Store {
    let writes: WriteQueue
    private let readers = Mutex<[Reader]>([])
    private let path: String

    /// A connection in the pool.
    private final class Reader: Sendable {
        let connection: Mutex<Connection>

        init(_ connection: sending Connection) { self.connection = Mutex(connection) }
    }

    static func open(_ directory: DataDirectory) throws(StoreError) -> SQLiteStore {
        guard access(directory.database, F_OK) == 0 else {
            // A directory that may not be entered is there, but looks empty.
            guard errno == EACCES else { throw .missing(path: directory.path) }
            throw .unusable(path: directory.path, reason: "\(describe(errno)); run as its owner")
        }
        let connection = try Connection(path: directory.database, create: false)
        try Schema.check(connection, path: directory.path)
        try configure(connection)
        return SQLiteStore(writer: connection, path: directory.database)
    }

    static func create(_ directory: DataDirectory, maximumPages: Int? = nil) throws(StoreError) -> SQLiteStore {
        try directory.create()
        // SQLite gives its other files the mode of the database.
        let descriptor = Foundation.open(directory.database, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusable(path: directory.database, reason: describe(errno)) }
        Foundation.close(descriptor)
        let connection = try Connection(path: directory.database, create: true)
        try connection.execute("PRAGMA journal_mode = WAL")
        try configure(connection)
        try Schema.migrate(connection, path: directory.path)
        if let maximumPages { try connection.execute("PRAGMA max_page_count = \(maximumPages)") }
        return SQLiteStore(writer: connection, path: directory.database)
    }

    private static func configure(_ connection: Connection) throws(StoreError) {
        // FULL: a commit is on the disk before it is answered. The log is cut back after a burst.
        try connection.execute(
            "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 67108864"
        )
    }

    private init(writer: sending Connection, path: String) {
        writes = WriteQueue(writer)
        self.path = path
    }

    /// Reads one consistent state of the database.
    func read<Value: Sendable>(_ body: (Connection) throws(StoreError) -> Value) throws(StoreError) -> Value {
        let idle = readers.withLock { $0.popLast() }
        let reader = if let idle { idle } else { try makeReader() }
        defer { readers.withLock { $0.append(reader) } }
        return try reader.connection.withLock { connection throws(StoreError) in
            try connection.execute("BEGIN")
            defer { try? connection.execute("COMMIT") }
            try connection.checkInPlace()
            return try body(connection)
        }
    }

    private func makeReader() throws(StoreError) -> Reader {
        let connection = try Connection(path: path, create: false)
        try connection.execute("PRAGMA query_only = ON")
        return Reader(connection)
    }

    /// Closes what is not in use; the writer follows with the last reference.
    func close() { readers.withLock { $0.removeAll() } }
}

extension DataDirectory {
    /// Opens the store that `serve` made here.
    public func openStore() throws(StoreError) -> any Store { try SQLiteStore.open(self) }

    /// Opens the store, and makes it or brings it up to date where needed. For `serve`, which holds the lock.
    ///
    /// - Parameter maximumPages: the store is full at so many pages of 4,096 bytes; nil has no limit but the disk.
    public func createStore(maximumPages: Int? = nil) throws(StoreError) -> any Store {
        try SQLiteStore.create(self, maximumPages: maximumPages)
    }
}
