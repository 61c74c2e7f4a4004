import Dispatch
import Synchronization

/// The engine of several machines: a PostgreSQL database that any number of collectors share.
///
/// Transactions that commit at the same time share a write to the disk there, so each caller has one of its own, on one of
/// a few connections.
final class PostgresEngine: SQLEngine {
    private let address: PostgresAddress
    private let idle = Mutex<[Slot]>([])
    private let free = DispatchSemaphore(value: 0)
    private let presence: Mutex<Presence?> = Mutex(nil)
    /// Connections for everything but claims.
    private static let connections = 8
    /// How often a transaction is begun anew that others came in between of.
    private static let tries = 5

    /// A connection in the pool.
    private final class Slot: Sendable {
        let connection: Mutex<PostgresConnection>
        init(_ connection: sending PostgresConnection) { self.connection = Mutex(connection) }
    }

    /// What this process claims reports with: a number that is locked as long as the connection lives, so that the others
    /// know at once when this process is gone.
    private struct Presence {
        let connection: PostgresConnection
        let claimant: Int

        init(_ address: PostgresAddress) throws(StoreError) {
            connection = try PostgresConnection(address)
            var number: Int
            repeat {
                number = Int(Int32.random(in: 1...Int32.max))
            } while try connection.query(
                "SELECT pg_try_advisory_lock(('reports'::regclass)::oid::int4, CAST(? AS int4))",
                [number]
            ) { $0.int(0) } != [1]
            claimant = number
        }
    }

    static func open(_ address: PostgresAddress) throws(StoreError) -> PostgresEngine {
        let engine = PostgresEngine(address)
        try engine.withConnection { connection, _ throws(StoreError) in
            try PostgresSchema.check(connection, address)
        }
        return engine
    }

    static func create(_ address: PostgresAddress) throws(StoreError) -> PostgresEngine {
        let engine = PostgresEngine(address)
        try engine.write { connection throws(StoreError) in try PostgresSchema.migrate(connection, address) }
        return engine
    }

    private init(_ address: PostgresAddress) {
        self.address = address
        // A semaphore that is made with its number may not be let go of while it is lower.
        for _ in 0..<Self.connections { free.signal() }
    }

    func read<Value: Sendable>(_ body: (any SQLConnection) throws(StoreError) -> Value) throws(StoreError) -> Value {
        var result: Result<Value, StoreError>
        var isReused = false
        var isBroken = false
        repeat {
            (result, isReused, isBroken) = try withConnection { connection, isReused throws(StoreError) in
                let result: Result<Value, StoreError>
                do throws(StoreError) { result = .success(try body(connection)) } catch { result = .failure(error) }
                return (result, isReused, connection.isBroken)
            }
            // The server may have been started anew since a connection was used last.
        } while isBroken && isReused
        return try result.get()
    }

    func write<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value)
        throws(StoreError) -> Value
    {
        var last = StoreError.failed(reason: "other transactions came in between, \(Self.tries) times")
        for _ in 1...Self.tries {
            let outcome = try withConnection { connection, isReused throws(StoreError) in
                Self.transaction(on: connection, isReused: isReused, body)
            }
            switch outcome {
            case .done(let value): return value
            case .again(let error): last = error
            case .failed(let error): throw error
            }
        }
        throw last
    }

    func snapshot<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws(StoreError) -> Value)
        throws(StoreError) -> Value
    {
        try write { connection throws(StoreError) in
            try connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            return try body(connection)
        }
    }

    /// The server checks what it reads; its own tool for more is `pg_amcheck`.
    func damage() -> [String] { [] }

    func backUp(into directory: DataDirectory, adding files: (String) throws(StoreError) -> Void) throws(StoreError) {
        throw .failed(
            reason: "\(address) is backed up, while it runs, by its own tools: pg_dump --format=custom --file=FILE URL"
        )
    }

    func claim<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection, _ claimant: Int) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try presence.withLock { presence throws(StoreError) in
            for _ in 1...Self.tries {
                let isReused = presence != nil
                let known = if let presence { presence } else { try Presence(address) }
                let outcome = Self.transaction(on: known.connection, isReused: isReused) {
                    connection throws(StoreError) in
                    try body(connection, known.claimant)
                }
                presence = known.connection.isBroken ? nil : known
                switch outcome {
                case .done(let value): return value
                case .again: continue
                case .failed(let error): throw error
                }
            }
            throw .failed(reason: "other transactions came in between, \(Self.tries) times")
        }
    }

    func isServed() throws(StoreError) -> Bool {
        try read { connection throws(StoreError) in
            try connection.query("SELECT count(*) FROM present_claimants") { $0.int(0) } != [0]
        }
    }

    func close() {
        idle.withLock { $0.removeAll() }
        presence.withLock { $0 = nil }
    }

    private enum Outcome<Value: Sendable>: Sendable {
        case done(Value)
        /// Nothing of it was done, and it may work now.
        case again(StoreError)
        case failed(StoreError)
    }

    private static func transaction<Value: Sendable>(
        on connection: PostgresConnection,
        isReused: Bool,
        _ body: (any SQLConnection) throws(StoreError) -> Value
    ) -> Outcome<Value> {
        do throws(StoreError) {
            try connection.execute("BEGIN")
        } catch {
            return isReused && connection.isBroken ? .again(error) : .failed(error)
        }
        do throws(StoreError) {
            let value = try body(connection)
            try connection.commit()
            return .done(value)
        } catch {
            let mayRetry = connection.mayRetry
            if !connection.isBroken, connection.isInTransaction { try? connection.execute("ROLLBACK") }
            return mayRetry ? .again(error) : .failed(error)
        }
    }

    /// Waits for one of the connections; one that broke is not used again.
    private func withConnection<Value: Sendable>(
        _ body: (PostgresConnection, _ isReused: Bool) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        guard free.wait(timeout: .now() + .seconds(30)) == .success else {
            throw .failed(reason: "\(address) is too slow: all \(Self.connections) connections are busy for 30 s")
        }
        defer { free.signal() }
        let known = idle.withLock { $0.popLast() }
        let slot = if let known { known } else { Slot(try PostgresConnection(address)) }
        return try slot.connection.withLock { connection throws(StoreError) in
            defer { if !connection.isBroken, !connection.isInTransaction { idle.withLock { $0.append(slot) } } }
            return try body(connection, known != nil)
        }
    }
}
