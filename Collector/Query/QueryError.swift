public import Store

/// Why something could not be shown.
public enum QueryError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no such thing, or more than one.
    case notFound(String)
    /// It is there, but is not a report that can be read.
    case unreadable(String)
    /// The question is wrong: which parameter, and what it takes.
    case wrong(String)
    /// The collector could not be asked, or not understood.
    case unreachable(String)
    /// The store could not be asked.
    case store(StoreError)

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .notFound(let text), .unreadable(let text), .wrong(let text), .unreachable(let text): text
        case .store(let error): "\(error)"
        }
    }
}
