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

    /// A process, of which only the id must be known.
    public init(
        pid: Int,
        name: String? = nil,
        path: String? = nil,
        started: String? = nil,
        uptimeMilliseconds: Int? = nil,
        forked: Bool = false
    ) {
        self.pid = pid
        self.name = name
        self.path = path
        self.started = started
        self.uptimeMilliseconds = uptimeMilliseconds
        self.forked = forked
    }
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
    /// Name of the Kubernetes pod.
    public var pod: String?
    /// Namespace of the pod.
    public var namespace: String?
    /// Name of the node.
    public var node: String?
    /// Which of the service's instances it is, as its deployment names it.
    public var instance: String?
    /// Processors available.
    public var cpus: Int?
    /// Bytes of memory of the host or of the container's limit.
    public var memory: UInt64?

    /// A host; what is not known is left out.
    public init(
        name: String? = nil,
        os: String? = nil,
        kernel: String? = nil,
        arch: String? = nil,
        container: String? = nil,
        pod: String? = nil,
        namespace: String? = nil,
        node: String? = nil,
        instance: String? = nil,
        cpus: Int? = nil,
        memory: UInt64? = nil
    ) {
        self.name = name
        self.os = os
        self.kernel = kernel
        self.arch = arch
        self.container = container
        self.pod = pod
        self.namespace = namespace
        self.node = node
        self.instance = instance
        self.cpus = cpus
        self.memory = memory
    }
}

/// The `sdk` object of the `report` line.
public struct SDKFacts: Sendable, Equatable {
    /// `mayday-swift`.
    public let name: String
    /// Version of the SDK.
    public let version: String

    /// Name of Swift's own backtracer, in reports that were made of what it wrote as JSON.
    package static var swiftBacktracer: String { "swift-backtrace" }

    /// An SDK by name and version.
    public init(
        name: String,
        version: String
    ) {
        self.name = name
        self.version = version
    }
}
