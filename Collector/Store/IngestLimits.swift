/// How many reports a project may send; nil is without limit.
public struct IngestLimits: Sendable, Equatable {
    /// In any minute.
    public var perMinute: Int?
    /// In any day.
    public var perDay: Int?

    /// Limits; what is not given has none.
    public init(perMinute: Int? = nil, perDay: Int? = nil) {
        self.perMinute = perMinute
        self.perDay = perDay
    }
}
