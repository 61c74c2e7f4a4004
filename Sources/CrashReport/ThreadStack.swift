/// A `thread` line: one stack.
public struct ThreadStack: Sendable, Equatable {
    /// Kernel thread id.
    public var id: Int
    /// Name of the thread.
    public var name: String?
    /// True for the crashing thread.
    public var crashed: Bool
    /// State letter of the kernel.
    public var state: String?
    /// Innermost first.
    public var frames: [Frame]
    /// Where frames were left out of a deep stack.
    public var omitted: OmittedFrames?
    /// Why the walk ended early: `deadline`, `unreadable`, `limit`, `fault`.
    public var truncated: String?

    /// A thread and its frames.
    public init(
        id: Int,
        name: String? = nil,
        crashed: Bool = false,
        state: String? = nil,
        frames: [Frame] = [],
        omitted: OmittedFrames? = nil,
        truncated: String? = nil
    ) {
        self.id = id
        self.name = name
        self.crashed = crashed
        self.state = state
        self.frames = frames
        self.omitted = omitted
        self.truncated = truncated
    }
}

/// The gap in a deep stack.
public struct OmittedFrames: Sendable, Equatable {
    /// The frames were between `frames[index - 1]` and `frames[index]`.
    public var index: Int
    /// How many; nil when the walk ended before the stack did.
    public var count: Int?

    /// A gap before `frames[index]`.
    public init(
        index: Int,
        count: Int? = nil
    ) {
        self.index = index
        self.count = count
    }
}
