/// Why the store could not do what was asked. Each says what to do next.
public enum StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no store at this path.
    case missing(path: String)
    /// The database holds no store.
    case empty(database: String)
    /// It is there, but may not or cannot be opened.
    case unusable(path: String, reason: String)
    /// Written by another version of the program.
    case version(path: String, found: Int, known: Int)
    /// Another process serves it.
    case served(path: String, by: String)
    /// No room is left; nothing of the request was kept.
    case full(reason: String)
    /// Another process held the lock for too long, or the disk failed; nothing of the request was kept.
    case failed(reason: String)

    /// One line: what is wrong, and the remedy.
    public var description: String {
        switch self {
        case .missing(let path):
            "no data at \(path): if a collector runs elsewhere, give its --data DIR (or MAYDAY_DATA) or --server URL; "
                + "a new one is made by `mayday serve --data \(path)`"
        case .empty(let database):
            "no data in \(database): give another --store or MAYDAY_STORE, or make it with `mayday serve --store \(database)`"
        case .unusable(let path, let reason):
            "cannot use \(path): \(reason)"
        case .version(let path, let found, let known) where found > known:
            "\(path) has schema \(found) and this mayday knows \(known): use the newer mayday that wrote it"
        case .version(let path, let found, let known):
            "\(path) has schema \(found) and this mayday uses \(known): start `mayday serve` once to bring it up to date"
        case .served(let path, let who):
            "another `mayday serve` (\(who)) is using \(path): stop it, or give this one another --data DIR"
        case .full(let reason):
            "the store is full (\(reason)): free disk space; reports wait in the spools of their services until then"
        case .failed(let reason):
            "the store failed: \(reason)"
        }
    }
}
