/// One crash, handled error or message, as written in `docs/report-format.md`.
///
/// Everything that may be missing from a report that was cut short is optional or empty.
public struct Report: Sendable, Equatable {
    /// What, when and where.
    public var header: ReportHeader
    /// The signal and the registers; nil unless `header.kind` is `.crash` and the line was written.
    public var crash: Crash?
    /// The handled error; nil unless `header.kind` is `.error`.
    public var error: HandledError?
    /// Stacks, the crashed thread first.
    public var threads: [ThreadStack]
    /// Loaded objects; a frame's `image` is an index into this array.
    public var images: [Image]
    /// What the service had said about itself.
    public var context: Context?
    /// What happened before, oldest first.
    public var breadcrumbs: [Breadcrumb]
    /// How the capture went; nil when the file was cut short.
    public var end: CaptureEnd?

    /// A report with its header only; fill in the rest.
    public init(header: ReportHeader) {
        self.header = header
        self.crash = nil
        self.error = nil
        self.threads = []
        self.images = []
        self.context = nil
        self.breadcrumbs = []
        self.end = nil
    }

    /// The stack of the thread that crashed, or the only stack of a handled error.
    public var crashedThread: ThreadStack? {
        threads.first(where: \.crashed) ?? (header.kind == .crash ? nil : threads.first)
    }
}

/// The `report` line.
public struct ReportHeader: Sendable, Equatable {
    /// Format version; readers say so when it is above `ReportHeader.currentVersion`.
    public var version: Int
    /// UUIDv7 in lower case with dashes.
    public var id: String
    /// Crash, handled error or message.
    public var kind: ReportKind
    /// RFC 3339 in UTC with microseconds, by the clock of the host.
    public var time: String
    /// Name of the service.
    public var service: String?
    /// `checkout@1.4.2`.
    public var release: String?
    /// `production`.
    public var environment: String?
    /// The process it happened in.
    public var process: ProcessFacts
    /// The machine or container it happened on.
    public var host: HostFacts?
    /// Who wrote the report.
    public var sdk: SDKFacts

    /// The version this code writes.
    public static let currentVersion = 1
}

/// Kind of a report. Unknown kinds of later versions are kept by name.
public struct ReportKind: Sendable, Hashable, CustomStringConvertible {
    /// The name in the report.
    public let description: String

    /// A kind by its name in the report.
    public init(_ name: String) { description = name }

    /// The process died.
    public static let crash = ReportKind("crash")
    /// An error that the service handled and reported.
    public static let error = ReportKind("error")
    /// A text that the service reported.
    public static let message = ReportKind("message")
}

/// The `process` object of the `report` line.
public struct ProcessFacts: Sendable, Equatable {
    /// Process id in its own namespace.
    public var pid: Int
    /// Name of the executable.
    public var name: String?
    /// Absolute path of the executable.
    public var path: String?
    /// When it was started, RFC 3339.
    public var started: String?
    /// Milliseconds from the start of the process to the report.
    public var uptimeMilliseconds: Int?
    /// True in a forked child of the process that called `start`.
    public var forked: Bool
}

/// The `host` object of the `report` line; each fact is nil when it is not known.
public struct HostFacts: Sendable, Equatable {
    /// Host name.
    public var name: String?
    /// Distribution and version.
    public var os: String?
    /// Kernel release.
    public var kernel: String?
    /// Machine architecture.
    public var arch: String?
    /// Container id.
    public var container: String?
    /// Processors available.
    public var cpus: Int?
    /// Bytes of memory of the host or of the container's limit.
    public var memory: UInt64?
}

/// The `sdk` object of the `report` line.
public struct SDKFacts: Sendable, Equatable {
    /// `mayday-swift`.
    public var name: String
    /// Version of the SDK.
    public var version: String
}

/// The `crash` line.
public struct Crash: Sendable, Equatable {
    /// The signal that ended the process.
    public var signal: CrashSignal
    /// Address whose access or execution faulted.
    public var faultAddress: UInt64?
    /// Who sent the signal, when it was sent.
    public var sender: SignalSender?
    /// Kernel id of the crashing thread.
    public var thread: Int
    /// The fatal message.
    public var message: String?
    /// Where the message came from: `swift`, `glibc`, `terminate`, `runtime_failure`.
    public var messageSource: String?
    /// Registers in the machine's own order.
    public var registers: [Register]
}

/// A signal by number and by name.
public struct CrashSignal: Sendable, Equatable {
    /// 11.
    public var number: Int
    /// `SIGSEGV`.
    public var name: String
    /// `si_code`.
    public var code: Int
    /// `SEGV_MAPERR`; nil when the code has no name.
    public var codeName: String?
}

/// Process and user that sent a signal.
public struct SignalSender: Sendable, Equatable {
    /// Process id, as seen from the receiver.
    public var pid: Int
    /// User id.
    public var uid: Int
}

/// A register and its value at the crash.
public struct Register: Sendable, Equatable {
    /// `rip`.
    public var name: String
    /// Its value.
    public var value: UInt64
}

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
}

/// The gap in a deep stack.
public struct OmittedFrames: Sendable, Equatable {
    /// The frames were between `frames[index - 1]` and `frames[index]`.
    public var index: Int
    /// How many; nil when the walk ended before the stack did.
    public var count: Int?
}

/// One physical frame of a stack.
public struct Frame: Sendable, Equatable {
    /// Program counter.
    public var address: UInt64
    /// Index into `Report.images`.
    public var image: Int?
    /// `address` − the image's `base`.
    public var offset: UInt64?
    /// How the frame was found.
    public var trust: FrameTrust
    /// Functions at this address, innermost inlined one first; empty until symbolicated.
    public var symbols: [FrameSymbol]
    /// Whose code it is; nil until symbolicated.
    public var origin: FrameOrigin?
}

/// How a frame was found, which decides whether its pc is exact or a return address.
public enum FrameTrust: String, Sendable {
    /// From the saved registers: the pc is exact.
    case context
    /// By unwind tables: a return address.
    case cfi
    /// By frame pointer: a return address.
    case fp
    /// An async caller: the pc is a function's entry, exact.
    case await

    /// True when 1 must be subtracted from the pc before looking up its function and line.
    public var isReturnAddress: Bool { self == .cfi || self == .fp }
}

/// Whose code a frame is.
public enum FrameOrigin: String, Sendable {
    /// The service's own code and its packages.
    case service
    /// Swift's runtime and standard libraries.
    case runtime
    /// libc and other libraries of the system.
    case system
}

/// A function at a frame's address, from debug information or a symbol table.
public struct FrameSymbol: Sendable, Equatable {
    /// As people write it.
    public var function: String
    /// As the linker knows it.
    public var mangled: String?
    /// Source file; nil when unknown or generated by the compiler.
    public var file: String?
    /// From 1; nil when unknown (the compiler's line 0).
    public var line: Int?
    /// From 1; nil when unknown.
    public var column: Int?
    /// True when the function was inlined into the next symbol of the frame.
    public var inlined: Bool

    /// A symbol by its parts.
    public init(
        function: String,
        mangled: String? = nil,
        file: String? = nil,
        line: Int? = nil,
        column: Int? = nil,
        inlined: Bool = false
    ) {
        self.function = function
        self.mangled = mangled
        self.file = file
        self.line = line
        self.column = column
        self.inlined = inlined
    }
}

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
}

/// The `context` line.
public struct Context: Sendable, Equatable {
    /// Short facts to filter by.
    public var tags: [String: String]
    /// Who was affected.
    public var user: [String: JSONValue]
    /// The request in flight.
    public var request: [String: JSONValue]
    /// Anything else.
    public var custom: [String: JSONValue]
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
}

/// The `error` line.
public struct HandledError: Sendable, Equatable {
    /// Name of the error's type.
    public var typeName: String
    /// Its text.
    public var text: String
    /// The underlying errors, outermost first.
    public var chain: [UnderlyingError]
}

/// An error beneath another.
public struct UnderlyingError: Sendable, Equatable {
    /// Name of the error's type.
    public var typeName: String
    /// Its text.
    public var text: String
}

/// The `end` line: how the capture went.
public struct CaptureEnd: Sendable, Equatable {
    /// Stages that were completed, in order.
    public var stages: [String]
    /// Microseconds from the handler's entry.
    public var durationMicroseconds: Int
    /// `libunwind` or `frame-pointer`.
    public var unwinder: String?
    /// What was cut short, and why.
    public var cut: [CutStage]
}

/// A stage of the capture that was not completed.
public struct CutStage: Sendable, Equatable {
    /// Name of the stage.
    public var stage: String
    /// `deadline`, `fault`, `limit`, `io`.
    public var reason: String
}
