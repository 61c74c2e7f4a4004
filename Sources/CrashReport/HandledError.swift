/// The `error` line.
public struct HandledError: Sendable, Equatable {
    /// Name of the error's type.
    public var typeName: String
    /// Its text.
    public var text: String
    /// What else the error says of itself.
    public var detail: ErrorDetail
    /// The underlying errors, outermost first.
    public var chain: [UnderlyingError]

    /// An error by type and text.
    public init(
        typeName: String,
        text: String,
        detail: ErrorDetail = ErrorDetail(),
        chain: [UnderlyingError] = []
    ) {
        self.typeName = typeName
        self.text = text
        self.detail = detail
        self.chain = chain
    }
}

/// An error beneath another.
public struct UnderlyingError: Sendable, Equatable {
    /// Name of the error's type.
    public var typeName: String
    /// Its text.
    public var text: String
    /// What else the error says of itself.
    public var detail: ErrorDetail

    /// An underlying error by type and text.
    public init(
        typeName: String,
        text: String,
        detail: ErrorDetail = ErrorDetail()
    ) {
        self.typeName = typeName
        self.text = text
        self.detail = detail
    }
}

/// What an error says of itself beside its text; nothing of it has to be there.
public struct ErrorDetail: Sendable, Equatable {
    /// Its domain, where it has another than its type: `NSURLErrorDomain`.
    public var domain: String?
    /// Its code in that domain.
    public var code: Int?
    /// Its values by name: what it encodes, or what its `userInfo` holds.
    public var values: [String: JSONValue]

    /// Detail by its parts.
    public init(domain: String? = nil, code: Int? = nil, values: [String: JSONValue] = [:]) {
        self.domain = domain
        self.code = code
        self.values = values
    }

    /// `NSURLErrorDomain -1001`; nil without a domain.
    public var label: String? { domain.map { domain in code.map { "\(domain) \($0)" } ?? domain } }
}
