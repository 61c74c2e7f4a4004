import Testing
import TestSupport

@testable import Store

@Suite("Prepared statements")
struct StatementCacheTests {
    @Test("so many are kept, and those that are used go last")
    func bounded() {
        var cache = StatementCache<Int>()
        var ended: [Int] = []
        for number in 0..<1_000 {
            #expect(cache.use("often") == (number == 0 ? nil : -1))
            for (sql, statement) in number == 0 ? [("often", -1), ("0", 0)] : [("\(number)", number)] {
                if let excess = cache.excess {
                    ended.append(excess.statement)
                    cache.remove(excess.sql)
                }
                cache.add(statement, for: sql)
            }
        }
        let limit = StatementCache<Int>.limit
        #expect(cache.statements.count == limit)
        #expect(ended == Array(0..<(1_000 - limit + 1)))
        #expect(cache.use("999") == 999 && cache.use("0") == nil)
    }

    @Test("a connection answers every statement, also those that it had ended", arguments: Backend.allCases)
    func ended(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let connection: any SQLConnection =
            switch fixture.location {
            case .directory(let directory): try SQLiteConnection(path: directory.database, create: false)
            case .database(let address): try PostgresConnection(address)
            }
        for number in Array(0..<300) + [0, 299, 5] {
            #expect(
                try connection.query("SELECT id + \(number) FROM projects WHERE id = ?", [1]) { $0.int(0) } == [
                    1 + number
                ]
            )
        }
        guard backend == .postgres else { return }
        let kept = try connection.query("SELECT count(*) FROM pg_prepared_statements") { $0.int(0) }
        #expect(kept == [StatementCache<String>.limit])
    }

    @Test("a state that is named again and again is one condition")
    func states() {
        #expect(IssueStatus.selection("open,open,unresolved,muted,open") == ["regressed", "open", "muted"])
        #expect(IssueStatus.selection("open") == ["open"] && IssueStatus.selection("open,no") == nil)
    }
}
