internal import CrashReport

extension HandledError {
    /// Levels of errors within errors, and of values that are searched for them.
    private static let depth = 8
    /// Bytes of a text.
    private static let limit = 16 << 10

    /// Type, text and detail of an error, and of those it holds: an associated value or a property that is an error.
    init(_ error: any Error) {
        var chain: [UnderlyingError] = []
        var next = Self.underlying(error)
        while let error = next, chain.count < Self.depth {
            chain.append(
                UnderlyingError(typeName: Self.typeName(error), text: Self.text(error), detail: ErrorDetail(error))
            )
            next = Self.underlying(error)
        }
        self.init(typeName: Self.typeName(error), text: Self.text(error), detail: ErrorDetail(error), chain: chain)
    }

    private static func typeName(_ error: any Error) -> String { String(reflecting: type(of: error)) }

    private static func text(_ error: any Error) -> String {
        let text = "\(error)"
        guard text.utf8.count > limit else { return text }
        return String(ContextText.prefix(of: text, bytes: limit)) + "…"
    }

    /// The first error among the values that an error holds: what Swift code calls `underlyingError`, `cause`, or nothing,
    /// and Foundation keeps in `userInfo`.
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

extension ErrorDetail {
    /// What an error says of itself: what it encodes, or its `userInfo`, and what the service adds (`Mayday.describeErrors`).
    ///
    /// Domain and code are those of Foundation's `CustomNSError` and `NSError`: the standard library's `Error` has them too,
    /// so that Foundation need not be linked.
    init(_ error: any Error) {
        self.init()
        if error._domain != String(reflecting: type(of: error)) {
            domain = String(ContextText.prefix(of: error._domain, bytes: 256))
            code = error._code
        }
        values = (error as? any Encodable).map(EncodedValue.members) ?? Self.userInfo(of: error)
        guard let added = ErrorDescriber.shared.describe(error), !added.isEmpty else { return }
        values.merge(EncodedValue.bounded(added.mapValues(\.json))) { _, added in added }
    }

    /// The texts and numbers of `userInfo`, where the error has such a dictionary; errors in it are the chain's.
    private static func userInfo(of error: any Error) -> [String: JSONValue] {
        for child in Mirror(reflecting: error).children where ["userInfo", "_userInfo"].contains(child.label) {
            guard let info = child.value as? [String: Any] else { continue }
            return EncodedValue.bounded(
                info.compactMapValues { value in
                    switch value {
                    case is any Error: nil
                    case let value as any ContextValue: value.json
                    default: .string("\(value)")
                    }
                }
            )
        }
        return [:]
    }
}
