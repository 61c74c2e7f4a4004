/// A database that the store is kept in: how to get a connection, and what a transaction is there.
protocol SQLEngine: Sendable {
    /// Reads; each query sees one consistent state.
    func read<Value: Sendable>(_ body: (any SQLConnection) throws(StoreError) -> Value) throws(StoreError) -> Value
    /// Reads, all queries of one consistent state, without keeping anybody from writing.
    func snapshot<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value)
        throws(StoreError) -> Value
    /// Runs `body` in a transaction and returns its value once that is durable. What `body` did is undone if it throws; it
    /// may be run again when another transaction came in between.
    func write<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value)
        throws(StoreError) -> Value
    /// Does as `write` with what claims reports for digestion: always on the one connection that stands for this process.
    func claim<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection, _ claimant: Int) throws(StoreError) -> Value
    )
        throws(StoreError) -> Value
    /// True while some `mayday serve` works on it.
    func isServed() throws(StoreError) -> Bool
    /// What the engine itself finds damaged, a line each.
    func damage() throws(StoreError) -> [String]
    /// Writes a copy of the store, as it is at one moment, into a directory that is not there yet.
    func backUp(into directory: DataDirectory, adding files: (String) throws(StoreError) -> Void) throws(StoreError)
    /// Lets go of files and connections.
    func close()
}

/// One connection. Whoever holds it is the only one who uses it.
protocol SQLConnection: AnyObject {
    var dialect: SQLDialect { get }
    /// Runs SQL without results, possibly several statements. Not for values: those are bound.
    func execute(_ sql: String) throws(StoreError)
    /// Runs a statement, and returns its rows and how many it changed. `sql` is made of constants: every value is bound to a
    /// `?`, or to `?1`, `?2` … where it is needed more than once.
    func perform(_ sql: String, _ values: [any SQLBindable]) throws(StoreError) -> (rows: [SQLRow], changed: Int)
    /// Keeps every other node out until the transaction ends.
    func lockStore() throws(StoreError)
}

extension SQLConnection {
    /// Runs a statement and hands over each row.
    func query<Row>(
        _ sql: String,
        _ values: [any SQLBindable] = [],
        row: (SQLRow) throws(StoreError) -> Row
    ) throws(StoreError) -> [Row] {
        var found: [Row] = []
        for each in try perform(sql, values).rows { found.append(try row(each)) }
        return found
    }

    /// Runs a statement that changes rows, and says how many.
    @discardableResult
    func run(_ sql: String, _ values: [any SQLBindable] = []) throws(StoreError) -> Int {
        try perform(sql, values).changed
    }
}

/// What the engines call by different names.
struct SQLDialect: Sendable {
    /// The lesser of two values.
    let least: String
    /// The greater of two values.
    let greatest: String
    /// Keeps rows that were selected from being changed by other transactions.
    let forUpdate: String
    /// The same, and passes over rows that others hold.
    let skipLocked: String
    /// Name of the function that says where a text begins in another, from 1 on, or 0.
    let positionFunction: String
    /// True for a report that nobody, this claimant, or a claimant who is gone has claimed. `?1` is this claimant.
    let isFree: String

    /// Where a text begins in another, from 1 on, or 0.
    func position(_ text: String, _ part: String) -> String { "\(positionFunction)(\(text), CAST(\(part) AS TEXT))" }

    /// One process writes at a time, and only that which serves claims.
    static let sqlite = SQLDialect(
        least: "min",
        greatest: "max",
        forUpdate: "",
        skipLocked: "",
        positionFunction: "instr",
        isFree: "?1 = ?1"
    )
    /// Several nodes at once, each known by a lock that ends with its connection.
    static let postgres = SQLDialect(
        least: "least",
        greatest: "greatest",
        forUpdate: "FOR UPDATE",
        skipLocked: "FOR UPDATE SKIP LOCKED",
        positionFunction: "strpos",
        isFree: "(claimant IS NULL OR claimant = ?1 OR claimant NOT IN (SELECT claimant FROM present_claimants))"
    )
}
