/// Why some bytes are not JSON, or not the JSON that was asked for.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Byte of the input, from 0.
    public var offset: Int
    /// The member or element it is about, `frames[4].address`; empty for the value as a whole.
    public var path: String
    /// What is wrong: `expected a string`.
    public var problem: String
    /// What sort of failure it is.
    public var kind: Kind

    /// What sort of failure an error is.
    public enum Kind: Sendable, Equatable {
        /// The bytes break the grammar of JSON, and only the offset leads to the place.
        case syntax
        /// The value is not of the wanted type, or not there.
        case mismatch
        /// A bound of the reader was passed.
        case limit
    }

    @inline(never)
    package init(_ kind: Kind, at offset: Int, _ problem: String) {
        self.kind = kind
        self.offset = offset
        self.path = ""
        self.problem = problem
    }

    /// One line with the place and the problem.
    public var description: String {
        (path.isEmpty ? "" : "\(path.madeVisible(limit: 120)): ") + placedProblem
    }

    /// The problem, with the offset where the path does not lead to the place.
    var placedProblem: String { kind == .syntax ? "byte \(offset): \(problem)" : problem }

    /// The same error, seen from the object that holds the value as its member `key`.
    @inline(never)
    package func inside(_ key: String) -> JSONError {
        var error = self
        error.path = path.isEmpty || path.hasPrefix("[") ? key + path : "\(key).\(path)"
        return error
    }

    /// The same error, seen from the array that holds the value at `index`.
    @inline(never)
    func inside(_ index: Int) -> JSONError { inside("[\(index)]") }
}
