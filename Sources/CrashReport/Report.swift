/// One crash, handled error or message, as written in `docs/report-format.md`.
///
/// Everything that may be missing from a report that was cut short is optional or empty.
public struct Report: Sendable, Equatable {
    /// What, when and where.
    public var header: ReportHeader {
        get { boxedHeader.header }
        set { boxedHeader = HeaderBox(newValue) }
    }
    private var boxedHeader: HeaderBox
    /// The signal and the registers; nil unless `header.kind` is `.crash` and the line was written.
    public var crash: Crash?
    /// The handled error; nil unless `header.kind` is `.error`.
    public var error: HandledError?
    /// What the service reported; nil unless `header.kind` is `.message`.
    public var message: String?
    /// Stacks, the crashed thread first.
    public var threads: [ThreadStack]
    /// Loaded objects; a frame's `image` is an index into this array.
    public var images: [Image]
    /// What the service had said about itself.
    public var context: Context?
    /// What happened before, oldest first.
    public var breadcrumbs: [Breadcrumb]
    /// Files that the service had its reports take along.
    public var attachments: [AttachedFile]
    /// How the capture went; nil when the file was cut short.
    public var end: CaptureEnd?

    /// A report with its header only; fill in the rest.
    public init(header: ReportHeader) {
        boxedHeader = HeaderBox(header)
        self.crash = nil
        self.error = nil
        self.message = nil
        self.threads = []
        self.images = []
        self.context = nil
        self.breadcrumbs = []
        self.attachments = []
        self.end = nil
    }

    /// What the service groups the report by; nil where it says nothing, and in a rehearsal, which is always an issue of its own.
    public var ownFingerprint: String? {
        guard !header.isRehearsal, let fingerprint = header.fingerprint, !fingerprint.isEmpty else { return nil }
        return fingerprint
    }

    /// The stack of the thread that crashed, or the only stack of a handled error.
    public var crashedThread: ThreadStack? {
        threads.first(where: \.crashed) ?? (header.kind == .crash ? nil : threads.first)
    }
}

/// Keeps the largest part of a report out of the functions that copy reports, which would be 10 KB more in every service.
private final class HeaderBox: Sendable, Equatable {
    let header: ReportHeader

    init(_ header: ReportHeader) { self.header = header }

    static func == (one: HeaderBox, other: HeaderBox) -> Bool { one === other || one.header == other.header }
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
    /// How grave a handled error or a message is: `info`, `warning`, `error` …; nil when it was not said.
    public var level: String?
    /// How many times it happened since the report of the same error before this one, this time included; nil is once.
    public var occurrences: Int?
    /// What the service groups it by, in place of what happened and where; nil leaves that to whoever groups.
    public var fingerprint: String?
    /// True for a crash made on purpose by `Mayday.rehearse()`.
    public var isRehearsal: Bool
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

    /// A header; what is not known is left out.
    public init(
        version: Int = ReportHeader.currentVersion,
        id: String,
        kind: ReportKind,
        time: String,
        level: String? = nil,
        occurrences: Int? = nil,
        fingerprint: String? = nil,
        isRehearsal: Bool = false,
        service: String? = nil,
        release: String? = nil,
        environment: String? = nil,
        process: ProcessFacts,
        host: HostFacts? = nil,
        sdk: SDKFacts
    ) {
        self.version = version
        self.id = id
        self.kind = kind
        self.time = time
        self.level = level
        self.occurrences = occurrences
        self.fingerprint = fingerprint
        self.isRehearsal = isRehearsal
        self.service = service
        self.release = release
        self.environment = environment
        self.process = process
        self.host = host
        self.sdk = sdk
    }

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
