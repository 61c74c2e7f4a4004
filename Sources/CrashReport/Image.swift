/// An `image` line: a loaded object.
public struct Image: Sendable, Equatable {
    /// Path as the loader knew it.
    public var path: String
    /// Lowest mapped address.
    public var base: UInt64
    /// Bytes to the end of the last mapped segment.
    public var size: UInt64
    /// GNU build id in lower-case hex.
    public var buildID: String?

    /// A loaded object and its range.
    public init(
        path: String,
        base: UInt64,
        size: UInt64,
        buildID: String? = nil
    ) {
        self.path = path
        self.base = base
        self.size = size
        self.buildID = buildID
    }
}
