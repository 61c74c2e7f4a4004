import CSQLite
import Foundation

/// One connection to a database file. Not Sendable: whoever holds it (by `Mutex`) is the only one who uses it.
final class SQLiteConnection: SQLConnection {
    let dialect = SQLDialect.sqlite
    private let handle: OpaquePointer
    private let path: String
    /// True for a database that nobody can change.
    let isImmutable: Bool
    private var prepared = StatementCache<Statement>()

    /// Opens a database that is there already, or makes it.
    init(path: String, create: Bool) throws(StoreError) {
        self.path = path
        var opened: OpaquePointer?
        isImmutable = !create && Self.isImmutable(path)
        // NOMUTEX: the connection is never used by two threads at once.
        let access = isImmutable ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE
        let flags = access | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0)
        let code = sqlite3_open_v2(isImmutable ? Self.immutableURI(path) : path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let reason = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(opened)
            throw .unusable(path: path, reason: reason)
        }
        handle = opened
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, 10_000)
    }

    /// A database on a file system that nobody can write to, as a backup that is mounted read-only: SQLite could not make the files
    /// beside it by which it keeps processes apart, and need not. One that was left with a log is not of these: what is in the log
    /// would not be seen.
    private static func isImmutable(_ path: String) -> Bool {
        var (status, system) = (stat(), statvfs())
        guard statvfs(path, &system) == 0, system.f_flag & UInt(ST_RDONLY) != 0 else { return false }
        return stat("\(path)-wal", &status) != 0 || status.st_size == 0
    }

    private static func immutableURI(_ path: String) -> String {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~/")
        return "file:\(path.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")?immutable=1"
    }

    deinit {
        for statement in prepared.statements { statement.finalize() }
        sqlite3_close_v2(handle)
    }

    /// False inside a transaction.
    var isIdle: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// Sees that the database is still what its path names. A file that was removed while it is open can be written and
    /// read as before, and all that was written is lost with the last descriptor.
    func checkInPlace() throws(StoreError) {
        var hasMoved: Int32 = 0
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard code == SQLITE_OK else { throw error(code) }
        guard hasMoved == 0 else {
            throw .unusable(
                path: path,
                reason: "it was removed or moved while in use; put it back, or start `mayday serve` again"
            )
        }
    }

    /// Runs SQL without results, possibly several statements. Not for values: those are bound.
    func execute(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    func perform(_ sql: String, _ values: [any SQLBindable]) throws(StoreError) -> (rows: [SQLRow], changed: Int) {
        let statement = try prepare(sql)
        defer { statement.reset() }
        for (index, value) in values.enumerated() {
            let code = value.sqlValue.bind(to: statement.handle, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw error(code) }
        }
        var rows: [SQLRow] = []
        while true {
            switch sqlite3_step(statement.handle) {
            case SQLITE_ROW: rows.append(SQLRow(current: statement.handle))
            case SQLITE_DONE: return (rows, Int(sqlite3_changes(handle)))
            case let code: throw error(code)
            }
        }
    }

    /// Nothing to do: a transaction that writes keeps the others out.
    func lockStore() {}

    private func prepare(_ sql: String) throws(StoreError) -> Statement {
        if let statement = prepared.use(sql) { return statement }
        if let excess = prepared.excess {
            excess.statement.finalize()
            prepared.remove(excess.sql)
        }
        var created: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &created, nil)
        guard code == SQLITE_OK, let created else { throw error(code) }
        let statement = Statement(handle: created)
        prepared.add(statement, for: sql)
        return statement
    }

    /// `SQLITE_IOERR_WRITE` and `SQLITE_IOERR_SHMSIZE`: what else a full disk looks like. Their macros are not imported.
    private static let writeFailed = SQLITE_IOERR | 3 << 8
    private static let sharedMemorySize = SQLITE_IOERR | 19 << 8

    private func error(_ code: Int32) -> StoreError {
        let text = String(cString: sqlite3_errmsg(handle))
        switch code & 0xff {
        case SQLITE_FULL: return .full(reason: text)
        case SQLITE_IOERR where [EROFS, EIO, EPERM].contains(sqlite3_system_errno(handle)):
            return .unusable(
                path: path,
                reason: "its disk has failed, or is read-only (\(text)); it goes on when it can be written to again"
            )
        case SQLITE_IOERR where code == Self.writeFailed || code == Self.sharedMemorySize:
            return .full(reason: "\(text), code \(code)")
        case SQLITE_NOTADB, SQLITE_CORRUPT:
            return .unusable(path: path, reason: "\(text); restore it from a backup, or move it away to begin anew")
        case SQLITE_READONLY where isImmutable:
            return .unusable(path: path, reason: "its file system is read-only; copy the directory, and use the copy")
        case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            return .unusable(path: path, reason: "\(text); it must be writable by this user")
        case SQLITE_BUSY: return .failed(reason: "another process held the database for more than 10 s")
        default: return .failed(reason: "\(text), SQLite code \(code)")
        }
    }
}

/// A prepared statement, kept for the next use.
private final class Statement {
    let handle: OpaquePointer

    init(handle: OpaquePointer) { self.handle = handle }

    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    func finalize() { sqlite3_finalize(handle) }
}

extension SQLRow {
    /// The row that a statement has come to.
    fileprivate init(current statement: OpaquePointer) {
        values = (0..<sqlite3_column_count(statement)).map { column in
            let count = Int(sqlite3_column_bytes(statement, column))
            switch sqlite3_column_type(statement, column) {
            case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
            case SQLITE_TEXT:
                let bytes = UnsafeBufferPointer(start: sqlite3_column_text(statement, column), count: count)
                return .text(String(decoding: bytes, as: UTF8.self))
            case SQLITE_BLOB:
                return .blob(Array(UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, column), count: count)))
            default: return .null
            }
        }
    }
}

/// SQLite copies what it is given: the bytes need not outlive the call.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension SQLValue {
    fileprivate func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch self {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let value): return sqlite3_bind_int64(statement, index, value)
        case .text(var text):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    sqlite3_bind_text64(
                        statement,
                        index,
                        characters.baseAddress,
                        UInt64(characters.count),
                        copied,
                        UInt8(SQLITE_UTF8)
                    )
                }
            }
        case .blob(let bytes):
            return bytes.withUnsafeBytes { bytes in
                // A null pointer would bind NULL.
                bytes.isEmpty
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), copied)
            }
        }
    }
}
