public import CrashReport

/// Equal crashes or errors, as one thing to fix.
public struct Issue: Sendable, Equatable {
    /// Project and number.
    public var key: IssueKey
    /// What the grouping made of its reports.
    public var fingerprint: String
    /// Kind of its first report.
    public var kind: String
    /// Headline of its newest report.
    public var title: String
    /// Culprit of its newest report.
    public var culprit: String?
    /// How many reports were grouped into it.
    public var count: Int
    /// When the first of them happened.
    public var firstSeen: Timestamp
    /// When the last of them happened.
    public var lastSeen: Timestamp
    /// How many hosts reported it.
    public var hosts: Int
    /// What is to be done about it, at the time of the question.
    public var status: IssueStatus
    /// All of its reports that are kept were cut short; known where issues are listed.
    public var isCutShort = false
    /// Environment of its newest report; known where issues are listed.
    public var environment: String?

    /// An issue by its parts.
    public init(
        key: IssueKey,
        fingerprint: String,
        kind: String,
        title: String,
        culprit: String?,
        count: Int,
        firstSeen: Timestamp,
        lastSeen: Timestamp,
        hosts: Int,
        status: IssueStatus,
        isCutShort: Bool = false,
        environment: String? = nil
    ) {
        self.isCutShort = isCutShort
        self.environment = environment
        self.key = key
        self.fingerprint = fingerprint
        self.kind = kind
        self.title = title
        self.culprit = culprit
        self.count = count
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.hosts = hosts
        self.status = status
    }
}

/// A digestion that was written.
public struct DigestedIn: Sendable, Equatable {
    /// The issue that the report is in.
    public var issue: Issue
    /// What the report changed about it; nil for one more of the same.
    public var event: IssueEvent?
    /// The release that the report came from.
    public var release: String?
}

/// Reports of an issue in one hour.
public struct HourCount: Sendable, Equatable {
    /// When the hour began.
    public var hour: Timestamp
    /// How many reports.
    public var count: Int

    /// An hour by its parts.
    public init(hour: Timestamp, count: Int) {
        self.hour = hour
        self.count = count
    }

    /// An hour in microseconds.
    public static let length: Int64 = 3_600_000_000
}

/// An issue in one release.
public struct IssueRelease: Sendable, Equatable {
    /// `checkout@1.4.2`.
    public var release: String
    /// How many reports.
    public var count: Int
    /// When the first of them happened.
    public var firstSeen: Timestamp
    /// When the last of them happened.
    public var lastSeen: Timestamp

    /// A release by its parts.
    public init(release: String, count: Int, firstSeen: Timestamp, lastSeen: Timestamp) {
        self.release = release
        self.count = count
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
    }
}

/// Which issues to list.
public struct IssueSelection: Sendable, Equatable {
    /// Only this project.
    public var project: Int?
    /// Only this number.
    public var number: Int?
    /// Only those whose status has one of these names; all when there is none.
    public var statuses: [String]
    /// When the question is asked: a mute may be over.
    public var time: Timestamp
    /// Only those with a report that meets it.
    public var filter = ReportFilter()
    /// In which order.
    public var order = IssueOrder.last
    /// Without so many of the first.
    public var offset = 0
    /// At most so many.
    public var limit: Int

    /// All issues, or those that meet every condition given.
    public init(
        project: Int? = nil,
        number: Int? = nil,
        statuses: [String] = [],
        time: Timestamp = .now(),
        limit: Int
    ) {
        self.project = project
        self.number = number
        self.statuses = statuses
        self.time = time
        self.limit = limit
    }
}
