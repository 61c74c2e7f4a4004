import CPQ

/// One connection to a PostgreSQL server, by libpq. Not Sendable: whoever holds it (by `Mutex`) is the only one who uses it.
final class PostgresConnection: SQLConnection {
    let dialect = SQLDialect.postgres
    private let handle: OpaquePointer
    private let address: PostgresAddress
    private var prepared = StatementCache<String>()
    private var names = 0
    /// SQLSTATE of the last error; empty when the server said none.
    private(set) var lastState = ""

    /// Connects. What the URL leaves open is taken from libpq's variables and files (`PGPASSFILE` …), and for time limits from
    /// here: a server that is gone must not hold a thread for ever.
    init(_ address: PostgresAddress) throws(StoreError) {
        self.address = address
        let settings = [
            ("connect_timeout", "10"), ("keepalives_idle", "30"), ("keepalives_interval", "10"),
            ("keepalives_count", "3"), ("tcp_user_timeout", "60000"), ("fallback_application_name", "mayday"),
            ("dbname", address.url), ("client_encoding", "UTF8"),
        ]
        let opened = withCStrings(settings.map { $0.0 }) { names in
            withCStrings(settings.map { $0.1 }) { values in PQconnectdbParams(names, values, 1) }
        }
        guard let opened else { throw .unusable(path: "\(address)", reason: "out of memory") }
        handle = opened
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQstatus(handle) == CONNECTION_OK else {
            throw .unusable(
                path: "\(address)",
                reason: "\(Self.line(PQerrorMessage(handle))); see that the server runs and lets this user in"
            )
        }
        // What is acknowledged is durable, also where the server's default is not to wait.
        try execute(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
        )
    }

    deinit { PQfinish(handle) }

    /// True once it cannot be used any more.
    var isBroken: Bool { PQstatus(handle) != CONNECTION_OK }

    /// True inside a transaction, also one that failed.
    var isInTransaction: Bool { PQtransactionStatus(handle) != PQTRANS_IDLE }

    /// True when another transaction came in between and this one may be tried again.
    var mayRetry: Bool { ["40001", "40P01"].contains(lastState) }

    func execute(_ sql: String) throws(StoreError) {
        try check(PQexec(handle, sql)) { _ in }
    }

    /// Ends the transaction; an error when it was undone.
    func commit() throws(StoreError) {
        let tag = try check(PQexec(handle, "COMMIT")) { String(cString: PQcmdStatus($0)) }
        guard tag == "COMMIT" else { throw .failed(reason: "the transaction was undone: \(tag)") }
    }

    func lockStore() throws(StoreError) {
        try execute("SELECT pg_advisory_xact_lock(hashtextextended('mayday ' || current_schema(), 0))")
    }

    func perform(_ sql: String, _ values: [any SQLBindable]) throws(StoreError) -> (rows: [SQLRow], changed: Int) {
        let name = try prepare(sql)
        let parameters = Parameters(values.map { $0.sqlValue })
        let result = parameters.withPointers { values, lengths, formats in
            PQexecPrepared(handle, name, Int32(lengths.count), values, lengths, formats, 1)
        }
        return try check(result) { result in
            let columns = PQnfields(result)
            let rows = (0..<PQntuples(result)).map { row in
                SQLRow(values: (0..<columns).map { Self.value(result, row, $0) })
            }
            return (rows, Int(String(cString: PQcmdTuples(result))) ?? 0)
        }
    }

    private func prepare(_ sql: String) throws(StoreError) -> String {
        if let name = prepared.use(sql) { return name }
        if let excess = prepared.excess {
            try execute("DEALLOCATE \(excess.statement)")
            prepared.remove(excess.sql)
        }
        names += 1
        let name = "s\(names)"
        try check(PQprepare(handle, name, Self.withDollars(sql), 0, nil)) { _ in }
        prepared.add(name, for: sql)
        return name
    }

    /// `?` and `?2` as `$1` and `$2`. No statement has a question mark in a text.
    private static func withDollars(_ sql: String) -> String {
        var text = ""
        var count = 0
        var rest = sql[...]
        while let mark = rest.firstIndex(of: "?") {
            text += rest[..<mark] + "$"
            rest = rest[rest.index(after: mark)...]
            if rest.first?.isNumber == true { continue }
            count += 1
            text += "\(count)"
        }
        return text + rest
    }

    @discardableResult
    private func check<Value>(_ result: OpaquePointer?, _ body: (OpaquePointer) -> Value) throws(StoreError) -> Value {
        defer { PQclear(result) }
        lastState = ""
        let status = PQresultStatus(result)
        if let result, status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK { return body(result) }
        lastState = PQresultErrorField(result, Int32(UnicodeScalar("C").value)).map { String(cString: $0) } ?? ""
        throw error(Self.line(PQerrorMessage(handle)))
    }

    /// SQLSTATE classes: PostgreSQL's manual, appendix A.
    private func error(_ text: String) -> StoreError {
        switch lastState {
        case "53100": .full(reason: text)
        case "28000", "28P01", "42501", "25006":
            .unusable(path: "\(address)", reason: "\(text); this user must be let in and may write")
        case "" where isBroken: .failed(reason: "\(address) went away: \(text)")
        default: .failed(reason: lastState.isEmpty ? text : "\(text), SQLSTATE \(lastState)")
        }
    }

    private static func line(_ text: UnsafePointer<CChar>?) -> String {
        let lines = text.map { String(cString: $0) }?.split(whereSeparator: \.isNewline) ?? []
        return lines.map { $0.drop(while: \.isWhitespace) }.joined(separator: "; ")
    }

    /// Values come in binary form; the numbers are the types' ids in `pg_type`.
    private static func value(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> SQLValue {
        guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else { return .null }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
        switch PQftype(result, column) {
        case 20: return .integer(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
        case 23: return .integer(Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self))))
        case 16: return .integer(bytes.first == 0 ? 0 : 1)
        case 17: return .blob(Array(bytes))
        default: return .text(String(decoding: bytes, as: UTF8.self))
        }
    }
}

/// Values as libpq takes them: numbers and texts as text, bytes as they are.
private struct Parameters {
    private var bytes: [UInt8] = []
    /// Where each begins; nil for NULL.
    private var starts: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    init(_ values: [SQLValue]) {
        for value in values {
            let (content, format): ([UInt8]?, Int32) =
                switch value {
                case .null: (nil, 0)
                case .integer(let number): (Array("\(number)".utf8), 0)
                case .text(let text): (Array(text.utf8), 0)
                case .blob(let bytes): (bytes, 1)
                }
            starts.append(content == nil ? nil : bytes.count)
            lengths.append(Int32(content?.count ?? 0))
            formats.append(format)
            bytes += (content ?? []) + [0]
        }
    }

    func withPointers<Result>(
        _ body: (_ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { buffer in
            let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            return body(starts.map { offset in offset.flatMap { start?.advanced(by: $0) } }, lengths, formats)
        }
    }
}

/// Calls `body` with a NULL-terminated array of C strings.
private func withCStrings<Result>(_ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
    var bytes: [CChar] = []
    let starts = strings.map { string in
        defer { bytes += string.utf8CString }
        return bytes.count
    }
    return bytes.withUnsafeBufferPointer { buffer in
        body(starts.map { start in buffer.baseAddress?.advanced(by: start) } + [nil])
    }
}
