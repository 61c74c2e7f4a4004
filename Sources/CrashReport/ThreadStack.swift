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
    /// The Swift task that the crashing thread was running; nil outside of one, and of other threads.
    public var task: TaskFacts?
    /// The accesses of a crash by Swift's check of exclusive access.
    public var accessConflict: AccessConflict?
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
        task: TaskFacts? = nil,
        accessConflict: AccessConflict? = nil,
        frames: [Frame] = [],
        omitted: OmittedFrames? = nil,
        truncated: String? = nil
    ) {
        self.id = id
        self.name = name
        self.crashed = crashed
        self.state = state
        self.task = task
        self.accessConflict = accessConflict
        self.frames = frames
        self.omitted = omitted
        self.truncated = truncated
    }
}

/// A Swift task.
public struct TaskFacts: Sendable, Equatable {
    /// Number of the task in its process, from 1.
    public var id: Int
    /// The name that it was given.
    public var name: String?

    /// A task by its number.
    public init(id: Int, name: String? = nil) {
        self.id = id
        self.name = name
    }
}

/// Two accesses to one variable that exclude each other.
public struct AccessConflict: Sendable, Equatable {
    /// Address of the variable.
    public var address: UInt64
    /// The access that had begun and not ended.
    public var previous: MemoryAccess
    /// The access that crashed.
    public var current: MemoryAccess

    /// A conflict at an address.
    public init(address: UInt64, previous: MemoryAccess, current: MemoryAccess) {
        self.address = address
        self.previous = previous
        self.current = current
    }
}

/// The beginning of an access to memory.
public struct MemoryAccess: Sendable, Equatable {
    /// `read` or `modification`, as Swift's runtime says it.
    public var kind: String?
    /// Where it began, a return address; nil when unknown.
    public var frame: Frame?

    /// An access of a kind.
    public init(kind: String? = nil, frame: Frame? = nil) {
        self.kind = kind
        self.frame = frame
    }
}

/// The gap in a deep stack.
public struct OmittedFrames: Sendable, Equatable {
    /// The frames were between `frames[index - 1]` and `frames[index]`.
    public let index: Int
    /// How many; nil when the walk ended before the stack did.
    public let count: Int?

    /// A gap before `frames[index]`.
    public init(
        index: Int,
        count: Int? = nil
    ) {
        self.index = index
        self.count = count
    }
}
