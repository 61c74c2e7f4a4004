/// What a project keeps at most; nil is without limit.
public struct Retention: Sendable, Equatable {
    /// Microseconds since a report was received.
    public var age: Int64?
    /// Reports.
    public var count: Int?
    /// Bytes of reports, as they came and with symbols.
    public var bytes: Int?

    /// Limits; what is not given has none.
    public init(age: Int64? = nil, count: Int? = nil, bytes: Int? = nil) {
        self.age = age
        self.count = count
        self.bytes = bytes
    }

    /// True when nothing is ever removed.
    public var isUnlimited: Bool { age == nil && count == nil && bytes == nil }
}

/// The bytes of a report, on a walk through all.
public struct StoredBody: Sendable {
    /// Where to go on after it.
    public var position: Int
    /// Project and id.
    public var key: ReportKey
    /// The bytes.
    public var body: ReportBody
}
