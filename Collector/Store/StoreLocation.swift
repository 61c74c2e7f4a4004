/// Where a store is: in a directory of this machine, or in a PostgreSQL database.
public enum StoreLocation: Sendable, Equatable, CustomStringConvertible {
    /// SQLite, for one collector.
    case directory(DataDirectory)
    /// PostgreSQL, for any number of collectors.
    case database(PostgresAddress)

    /// The path, or the URL without its password.
    public var description: String {
        switch self {
        case .directory(let directory): directory.path
        case .database(let address): "\(address)"
        }
    }

    /// The flag that leads here, for messages.
    public var flag: String {
        switch self {
        case .directory(let directory): "--data \(directory.path)"
        case .database(let address): "--store \(address)"
        }
    }

    /// Opens the store that `serve` made here.
    public func open() throws(StoreError) -> any Store {
        switch self {
        case .directory(let directory): try directory.openStore()
        case .database(let address): SQLStore(engine: try PostgresEngine.open(address))
        }
    }

    /// Opens the store, and makes it or brings it up to date where needed. For `serve`, which holds the lock.
    public func create() throws(StoreError) -> any Store {
        switch self {
        case .directory(let directory): try directory.createStore()
        case .database(let address): SQLStore(engine: try PostgresEngine.create(address))
        }
    }

    /// Takes the right to serve; a database is served by any number.
    public func lock() throws(StoreError) -> ServeLock? {
        guard case .directory(let directory) = self else { return nil }
        try directory.create()
        return try directory.lock()
    }
}
