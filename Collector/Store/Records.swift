public import CrashReport

/// Names one report: ids are unique in a project.
public struct ReportKey: Sendable, Hashable {
    /// Id of the project.
    public var project: Int
    /// UUID in lower case with dashes.
    public var id: String

    /// A key by its parts.
    public init(project: Int, id: String) {
        self.project = project
        self.id = id
    }
}

/// Names one issue: numbers count from 1 in each project.
public struct IssueKey: Sendable, Hashable {
    /// Id of the project.
    public var project: Int
    /// Number in the project.
    public var number: Int

    /// A key by its parts.
    public init(project: Int, number: Int) {
        self.project = project
        self.number = number
    }
}

/// A report that has just come in.
public struct NewReport: Sendable {
    /// Project and id.
    public var key: ReportKey
    /// When the collector took it.
    public var received: Timestamp
    /// What the report says of itself.
    public var facts: ReportFacts
    /// The file as it was received.
    public var gzip: [UInt8]
    /// The key that it came with, and without which it is not kept; nil for what this machine adds itself.
    public var credential: SecretHash?

    /// A report for a project.
    public init(
        project: Int,
        received: Timestamp,
        report: Report,
        gzip: [UInt8],
        credential: SecretHash? = nil
    ) {
        self.credential = credential
        key = ReportKey(project: project, id: report.header.id)
        self.received = received
        facts = ReportFacts(report, received: received)
        self.gzip = gzip
    }
}

/// What is searched and listed without opening the report.
public struct ReportFacts: Sendable, Equatable {
    /// `crash`, `error` or `message`.
    public var kind: String
    /// When it happened, never later than it was received: the clock of a host may be ahead.
    public var time: Timestamp
    /// Name of the service.
    public var service: String?
    /// `checkout@1.4.2`.
    public var release: String?
    /// `production`.
    public var environment: String?
    /// Host name.
    public var host: String?
    /// `SIGSEGV`.
    public var signal: String?
    /// The capture or the file was cut short: there is no `end` line.
    public var isCutShort: Bool
    /// How many times its error occurred since the report before, at most `maximumOccurrences`; 1 for what is not counted.
    public var occurrences: Int

    /// Sums of them stay numbers, whatever a report claims.
    public static let maximumOccurrences = 1_000_000_000

    /// The facts of a report that was received at a time, texts cut to a length for lists: the report has them whole.
    public init(_ report: Report, received: Timestamp) {
        kind = report.header.kind.description.cutForLists
        time = min(Timestamp(report.header.time) ?? received, received)
        service = report.header.service?.cutForLists
        release = report.header.release?.cutForLists
        environment = report.header.environment?.cutForLists
        host = report.header.host?.name?.cutForLists
        signal = report.crash?.signal.name.cutForLists
        isCutShort = report.end == nil
        occurrences = min(max(1, report.header.occurrences ?? 1), Self.maximumOccurrences)
    }

    /// Facts by their parts.
    public init(
        kind: String,
        time: Timestamp,
        service: String?,
        release: String?,
        environment: String?,
        host: String?,
        signal: String?,
        isCutShort: Bool,
        occurrences: Int
    ) {
        self.kind = kind
        self.time = time
        self.service = service
        self.release = release
        self.environment = environment
        self.host = host
        self.signal = signal
        self.isCutShort = isCutShort
        self.occurrences = occurrences
    }
}

extension String {
    /// At most 500 scalars: a report may hold texts of a megabyte, and lists and indexes should not.
    var cutForLists: String {
        let limit = 500
        guard utf8.count > limit, unicodeScalars.count > limit else { return self }
        return String(unicodeScalars.prefix(limit - 1)) + "…"
    }
}

/// What became of a report that was added.
public enum Addition: Sendable, Equatable {
    /// It is kept.
    case stored
    /// The project had a report of this id; nothing was changed.
    case duplicate
    /// The key that it came with is not the project's, or not any more; nothing was changed.
    case unauthorized
}

/// A report that waits for digestion.
public struct PendingReport: Sendable {
    /// Project and id.
    public var key: ReportKey
    /// The file as it was received.
    public var gzip: [UInt8]
    /// How often digestion began, this time counted.
    public var attempts: Int
    /// Where it is in the order in which reports came.
    public var position: Int
}

/// The outcome of a digestion.
public struct Digestion: Sendable {
    /// Project and id of the report.
    public var key: ReportKey
    /// Length of the report that was digested: it is not the outcome of one that has taken its place since; nil for any.
    public var receivedBytes: Int?
    /// Key of the issue in its project.
    public var fingerprint: String
    /// Headline.
    public var title: String
    /// Innermost function of the service's own code, with its place.
    public var culprit: String?
    /// What the digestion adds to the report; the store does not look into it.
    public var gzip: [UInt8]
    /// Number of the rules that made the fingerprint.
    public var rules: Int
    /// What a person should know of it.
    public var remarks: DigestRemarks
    /// What the service had set, to filter by.
    public var tags: [String: String]

    /// Tags that are kept to filter by; a report has them all.
    private static let maximumTags = 32

    /// An outcome for a report.
    public init(
        key: ReportKey,
        receivedBytes: Int? = nil,
        fingerprint: String,
        title: String,
        culprit: String?,
        gzip: [UInt8],
        rules: Int = 0,
        remarks: DigestRemarks = DigestRemarks(),
        tags: [String: String] = [:]
    ) {
        self.remarks = remarks
        self.rules = rules
        let kept = tags.sorted { $0.key < $1.key }.prefix(Self.maximumTags)
        self.tags = Dictionary(kept.map { ($0.key.cutForLists, $0.value.cutForLists) }) { first, _ in first }
        self.key = key
        self.receivedBytes = receivedBytes
        self.fingerprint = fingerprint
        self.title = title.cutForLists
        self.culprit = culprit?.cutForLists
        self.gzip = gzip
    }
}

/// What is known of a digestion besides the report with symbols.
public struct DigestRemarks: Sendable, Equatable {
    /// Why functions or lines of an image are not all known.
    public struct Image: Sendable, Equatable {
        /// Index into the report's images.
        public var index: Int
        /// One line: what is missing and what to do about it.
        public var text: String

        /// A remark on an image.
        public init(index: Int, text: String) {
            self.index = index
            self.text = text
        }
    }

    /// What the reader said of the file that was received, such as that it was cut short.
    public var warnings: [String]
    /// What the fingerprint was made of, a line each.
    public var grouping: [String]
    /// A remark for each image that has one.
    public var images: [Image]

    /// Remarks; what is not given is empty.
    public init(warnings: [String] = [], grouping: [String] = [], images: [Image] = []) {
        self.warnings = warnings
        self.grouping = grouping
        self.images = images
    }
}

/// How far a report is.
public enum DigestState: Sendable, Equatable {
    /// It waits.
    case pending
    /// It is grouped.
    case done
    /// It could not be digested; the report itself is kept.
    case failed(reason: String)
}

/// Reports that are not grouped, by state of digestion.
public struct DigestCounts: Sendable, Equatable {
    /// Waiting.
    public var pending: Int
    /// Given up, for now.
    public var failed: Int

    /// Counts as found.
    public init(pending: Int, failed: Int) {
        self.pending = pending
        self.failed = failed
    }
}

/// A report as listed.
public struct StoredReport: Sendable, Equatable {
    /// Project and id.
    public var key: ReportKey
    /// When the collector took it.
    public var received: Timestamp
    /// What the report says of itself.
    public var facts: ReportFacts
    /// How far it is.
    public var state: DigestState
    /// The issue it was grouped into.
    public var issue: IssueKey?
    /// Headline.
    public var title: String?
    /// Innermost function of the service's own code, with its place.
    public var culprit: String?
    /// Tags that the service set, once it is digested.
    public var tags: [String: String]

    /// A report by its parts.
    public init(
        key: ReportKey,
        received: Timestamp,
        facts: ReportFacts,
        state: DigestState,
        issue: IssueKey?,
        title: String?,
        culprit: String?,
        tags: [String: String] = [:]
    ) {
        self.tags = tags
        self.key = key
        self.received = received
        self.facts = facts
        self.state = state
        self.issue = issue
        self.title = title
        self.culprit = culprit
    }
}

/// The bytes of a report.
public struct ReportBody: Sendable, Equatable {
    /// The file as it was received.
    public var received: [UInt8]
    /// What the digestion adds to it; nil until digested.
    public var digested: [UInt8]?
    /// Of the digestion; empty until then.
    public var remarks: DigestRemarks

    /// Bytes as stored.
    public init(received: [UInt8], digested: [UInt8]?, remarks: DigestRemarks = DigestRemarks()) {
        self.remarks = remarks
        self.received = received
        self.digested = digested
    }
}

/// Which reports to list.
public struct ReportSelection: Sendable, Equatable {
    /// Only this project.
    public var project: Int?
    /// Only those of this issue.
    public var issue: IssueKey?
    /// Only those whose id begins so.
    public var idPrefix: String?
    /// Only those that meet it.
    public var filter = ReportFilter()
    /// Without so many of the first.
    public var offset = 0
    /// At most so many.
    public var limit: Int

    /// All reports, or those that meet every condition given.
    public init(project: Int? = nil, issue: IssueKey? = nil, idPrefix: String? = nil, limit: Int) {
        self.project = project
        self.issue = issue
        self.idPrefix = idPrefix
        self.limit = limit
    }
}
