public import CrashReport

/// What the server needs to take debug files: where they grow, and what becomes of them.
public struct SymbolUploads: Sendable {
    /// Directory in which uploads grow until they are whole; made when it is needed, but not what it is in.
    public var directory: String
    /// Bytes of one upload.
    public var maximumSize = 2 << 30
    /// Uploads at once.
    public var maximumCount = 8
    /// What is kept of a build; called on the thread of the connection, as is `take`.
    public var kept: @Sendable (_ buildID: String) -> Kept?
    /// Checks a whole upload and keeps it. The file may be moved away; it is removed otherwise.
    public var take: @Sendable (_ path: String, _ buildID: String, _ name: String) -> Outcome

    /// Uploads into a directory.
    public init(
        directory: String,
        kept: @escaping @Sendable (String) -> Kept?,
        take: @escaping @Sendable (String, String, String) -> Outcome
    ) {
        self.directory = directory
        self.kept = kept
        self.take = take
    }

    /// What is kept of a build.
    public struct Kept: Sendable {
        /// As it is answered.
        public var value: JSONValue
        /// True when no other file could say more.
        public var isComplete: Bool

        /// What is kept.
        public init(value: JSONValue, isComplete: Bool) {
            self.value = value
            self.isComplete = isComplete
        }
    }

    /// What became of an upload.
    public enum Outcome: Sendable {
        /// It is kept.
        case stored(JSONValue)
        /// One that says as much was there.
        case duplicate(JSONValue)
        /// It is another build, with that build id.
        case mismatch(String)
        /// It cannot serve: why.
        case refused(String)
        /// It could not be checked or kept; it may be later.
        case failed(String)
    }
}
