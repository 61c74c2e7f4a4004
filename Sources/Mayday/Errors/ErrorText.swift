internal import CrashReport

extension HandledError {
    /// Levels of errors within errors, and of values that are searched for them.
    private static let depth = 8
    /// Bytes of a text.
    private static let limit = 16 << 10

    /// Type and text of an error, and of those it holds: an associated value or a property that is an error.
    init(_ error: any Error) {
        var chain: [UnderlyingError] = []
        var next = Self.underlying(error)
        while let error = next, chain.count < Self.depth {
            chain.append(UnderlyingError(typeName: Self.typeName(error), text: Self.text(error)))
            next = Self.underlying(error)
        }
        self.init(typeName: Self.typeName(error), text: Self.text(error), chain: chain)
    }

    private static func typeName(_ error: any Error) -> String { String(reflecting: type(of: error)) }

    private static func text(_ error: any Error) -> String {
        let text = "\(error)"
        guard text.utf8.count > limit else { return text }
        return String(ContextText.prefix(of: text, bytes: limit)) + "…"
    }

    /// The first error among the values that an error holds: what Swift code calls `underlyingError`, `cause`, or nothing.
    private static func underlying(_ value: Any, depth: Int = 0) -> (any Error)? {
        guard depth < 4 else { return nil }
        let children = Mirror(reflecting: value).children
        for child in children {
            if let error = child.value as? any Error { return error }
        }
        for child in children {
            if let error = underlying(child.value, depth: depth + 1) { return error }
        }
        return nil
    }
}
