/// The `error` line.
public struct HandledError: Sendable, Equatable {
    /// Name of the error's type.
    public var typeName: String
    /// Its text.
    public var text: String
    /// The underlying errors, outermost first.
    public var chain: [UnderlyingError]

    /// An error by type and text.
    public init(
        typeName: String,
        text: String,
        chain: [UnderlyingError] = []
    ) {
        self.typeName = typeName
        self.text = text
        self.chain = chain
    }
}

/// An error beneath another.
public struct UnderlyingError: Sendable, Equatable {
    /// Name of the error's type.
    public var typeName: String
    /// Its text.
    public var text: String

    /// An underlying error by type and text.
    public init(
        typeName: String,
        text: String
    ) {
        self.typeName = typeName
        self.text = text
    }
}
