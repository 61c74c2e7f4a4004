/// The store on any engine: the tables and what is asked of them are the same everywhere, and differ in `SQLDialect`.
struct SQLStore<Engine: SQLEngine>: Store {
    let engine: Engine

    func isServed() throws(StoreError) -> Bool { try engine.isServed() }

    func close() { engine.close() }
}
