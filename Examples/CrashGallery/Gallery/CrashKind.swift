/// One way to crash, and what a report of it must say.
///
/// The line it crashes at is not a number here: it bears the comment `crash: NAME` in the source.
struct CrashKind: Sendable {
    /// Name on the command line, in kebab-case.
    let name: String
    /// Signal that ends the process.
    let signal: String
    /// What the report says, by build.
    let message: Message
    /// Innermost function of our own, as the collector names it.
    let function: String
    /// Where it can happen.
    let stages: [Stage]
    /// False when an optimised build does not crash.
    let inRelease: Bool
    /// Functions of our own that await the one that crashed, innermost first; the report must list at least these.
    let awaitedBy: [String]
    /// True when the compiler may give no line to the instruction that crashes: it is code of its own making.
    let mayHaveNoLine: Bool
    /// What crashes.
    let body: Body

    /// Part of the fatal message in a debug and in a release build; nil when there is no message at all.
    struct Message: Sendable {
        let debug: String?
        let release: String?

        static let none = Message(debug: nil, release: nil)
        static func both(_ text: String) -> Message { Message(debug: text, release: text) }
        static func debug(_ debug: String?, release: String?) -> Message { Message(debug: debug, release: release) }
    }

    /// The argument is a small number that reaches the crash through this closure, where the optimiser cannot follow it.
    enum Body: Sendable {
        case plain(@Sendable (Int) -> Void)
        case suspending(@Sendable (Int) async -> Void)
        /// Thrown out of `main` itself, so there is nothing to call.
        case topLevel
    }

    /// A crash in a function that can be called anywhere, if `stages` does not say less.
    init(
        _ name: String,
        _ signal: String,
        _ message: Message,
        in function: String,
        on stages: [Stage] = Stage.allCases,
        inRelease: Bool = true,
        mayHaveNoLine: Bool = false,
        run: @escaping @Sendable (Int) -> Void
    ) {
        self.init(
            name,
            signal,
            message,
            in: function,
            on: stages,
            inRelease: inRelease,
            mayHaveNoLine: mayHaveNoLine,
            body: .plain(run)
        )
    }

    /// A crash that only a task can have, or one that only top-level code can have.
    init(
        _ name: String,
        _ signal: String,
        _ message: Message,
        in function: String,
        on stages: [Stage],
        inRelease: Bool = true,
        mayHaveNoLine: Bool = false,
        awaitedBy: [String] = [],
        body: Body
    ) {
        self.name = name
        self.signal = signal
        self.message = message
        self.function = function
        self.stages = stages
        self.inRelease = inRelease
        self.mayHaveNoLine = mayHaveNoLine
        self.awaitedBy = awaitedBy
        self.body = body
    }
}

/// Where a crash happens.
enum Stage: String, CaseIterable, Sendable {
    /// The thread that runs `main`.
    case main
    /// A thread made by `pthread_create`.
    case thread
    /// A worker of libdispatch.
    case dispatch
    /// A Swift task on the concurrency pool.
    case task
}

/// The signal of a Swift trap on this machine.
#if arch(arm64)
    let trap = "SIGTRAP"
#else
    let trap = "SIGILL"
#endif
