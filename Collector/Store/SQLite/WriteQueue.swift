import Dispatch
import Synchronization

/// Serialises writes on one connection, and commits those that wait together: while one transaction goes to the disk,
/// the next gathers. Nobody is answered before the transaction that holds their write is durable.
///
/// There is no thread of its own: the first caller leads a round and hands the lead to the next one who waits.
final class WriteQueue: Sendable {
    private let connection: Mutex<SQLiteConnection>
    private let line = Mutex(Line())
    /// Bounds how long the first of a round waits for the last.
    private static let maximumRound = 64

    private struct Line {
        var waiting: [Write] = []
        var isLed = false
    }

    init(_ connection: sending SQLiteConnection) { self.connection = Mutex(connection) }

    /// Runs `body` in a transaction and returns its value once that is durable. What `body` did is undone if it throws.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        let outcome = Outcome<Value>()
        let write = Write(
            run: { connection in
                do throws(StoreError) {
                    let value = try body(connection)
                    outcome.set(.success(value))
                    return nil
                } catch {
                    outcome.set(.failure(error))
                    return error
                }
            },
            fail: { outcome.set(.failure($0)) }
        )
        let leads = line.withLock { line in
            line.waiting.append(write)
            defer { line.isLed = true }
            return !line.isLed
        }
        if !leads { write.turn.wait() }
        if !write.isDone { lead() }
        return try outcome.get()
    }

    /// Moves the log into the database file, as far as nobody reads. What cannot be moved stays in the log, which is as durable.
    func moveLog() { connection.withLock { try? $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") } }

    /// Commits one round, and wakes its callers and the next leader.
    private func lead() {
        let round = line.withLock { line in
            let round = Array(line.waiting.prefix(Self.maximumRound))
            line.waiting.removeFirst(round.count)
            return round
        }
        connection.withLock { Self.commit(round, on: $0) }
        let next = line.withLock { line in
            line.isLed = !line.waiting.isEmpty
            return line.waiting.first
        }
        next?.turn.signal()
        for write in round {
            write.finish()
        }
    }

    private static func commit(_ round: [Write], on connection: SQLiteConnection) {
        do throws(StoreError) {
            try connection.run("BEGIN IMMEDIATE")
            for write in round {
                try connection.run("SAVEPOINT one")
                if let error = write.run(connection) {
                    // A full disk ends the whole transaction, and with it what the others wrote in it.
                    if connection.isIdle { throw error }
                    try connection.run("ROLLBACK TO one")
                }
                try connection.run("RELEASE one")
            }
            try connection.checkInPlace()
            try connection.run("COMMIT")
        } catch {
            if !connection.isIdle { try? connection.execute("ROLLBACK") }
            for write in round { write.fail(error) }
        }
    }
}

/// One caller's write.
private final class Write: Sendable {
    /// Does it, keeps its outcome, and returns the error if there was one.
    let run: @Sendable (SQLiteConnection) -> StoreError?
    /// Replaces its outcome, since the transaction that held it is gone.
    let fail: @Sendable (StoreError) -> Void
    /// Signalled once: to lead, or because it is done.
    let turn = DispatchSemaphore(value: 0)
    private let done = Atomic(false)

    init(run: @escaping @Sendable (SQLiteConnection) -> StoreError?, fail: @escaping @Sendable (StoreError) -> Void) {
        self.run = run
        self.fail = fail
    }

    var isDone: Bool { done.load(ordering: .acquiring) }

    func finish() {
        done.store(true, ordering: .releasing)
        turn.signal()
    }
}

/// Where the value of a write waits for its caller.
private final class Outcome<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, StoreError>>(.failure(.failed(reason: "the write was never run")))

    func set(_ new: Result<Value, StoreError>) { result.withLock { $0 = new } }

    func get() throws(StoreError) -> Value { try result.withLock { $0 }.get() }
}
