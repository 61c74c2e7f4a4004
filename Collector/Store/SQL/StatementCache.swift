/// Prepared statements by their text, so many at most: which conditions a query has is up to whoever asks, and each statement takes
/// memory here, and at PostgreSQL's server too.
struct StatementCache<Statement> {
    private var entries: [String: (statement: Statement, lastUse: Int)] = [:]
    private var uses = 0

    /// More than the store has of its own, so that those stay.
    static var limit: Int { 128 }

    /// The statement of a text, if it is there.
    mutating func use(_ sql: String) -> Statement? {
        guard let index = entries.index(forKey: sql) else { return nil }
        uses += 1
        entries.values[index].lastUse = uses
        return entries.values[index].statement
    }

    /// The statement to end before another is added: the one that was not used for longest; nil while there is room.
    var excess: (sql: String, statement: Statement)? {
        guard entries.count >= Self.limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) else {
            return nil
        }
        return (oldest.key, oldest.value.statement)
    }

    mutating func remove(_ sql: String) { entries[sql] = nil }

    mutating func add(_ statement: Statement, for sql: String) {
        uses += 1
        entries[sql] = (statement, uses)
    }

    /// All of them.
    var statements: [Statement] { entries.values.map(\.statement) }
}
