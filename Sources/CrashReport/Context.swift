/// The `context` lines.
public struct Context: Sendable, Equatable {
    /// Short facts to filter by.
    public var tags: [String: String]
    /// Who was affected.
    public var user: [String: JSONValue]
    /// The request in flight.
    public var request: [String: JSONValue]
    /// Anything else.
    public var custom: [String: JSONValue]

    /// A context; what is not given is empty.
    public init(
        tags: [String: String] = [:],
        user: [String: JSONValue] = [:],
        request: [String: JSONValue] = [:],
        custom: [String: JSONValue] = [:]
    ) {
        self.tags = tags
        self.user = user
        self.request = request
        self.custom = custom
    }

    /// The values of both; where they have the same name, those of `other`.
    public func overlaid(by other: Context) -> Context {
        Context(
            tags: tags.merging(other.tags) { $1 },
            user: user.merging(other.user) { $1 },
            request: request.merging(other.request) { $1 },
            custom: custom.merging(other.custom) { $1 }
        )
    }
}

/// A `breadcrumb` line: something that happened before.
public struct Breadcrumb: Sendable, Equatable {
    /// RFC 3339 in UTC.
    public var time: String
    /// What happened.
    public var message: String
    /// Area of the service.
    public var category: String?
    /// `info`, `warning` …
    public var level: String?
    /// Details.
    public var data: [String: JSONValue]

    /// A breadcrumb with its time and text.
    public init(
        time: String,
        message: String,
        category: String? = nil,
        level: String? = nil,
        data: [String: JSONValue] = [:]
    ) {
        self.time = time
        self.message = message
        self.category = category
        self.level = level
        self.data = data
    }
}
