public import CrashReport

/// Which reports to count, and how to part them.
public struct StatisticsQuestion: Sendable, Equatable {
    /// By what they are counted.
    public enum Part: Sendable, Equatable {
        /// By time, in pieces of so many microseconds.
        case time(Int64)
        /// By what a report says of itself.
        case field(Field)
        /// By the value of the tag of this name.
        case tag(String)

        /// By a field or a tag as it is typed, `release` or `tag:region`; nil for other texts.
        public init?(_ text: String) {
            if let field = Field(rawValue: text) {
                self = .field(field)
            } else if text.hasPrefix("tag:"), text.utf8.count > 4 {
                self = .tag(String(text.dropFirst(4)))
            } else {
                return nil
            }
        }

        /// The text that it is typed as; `time` for pieces of time.
        public var name: String {
            switch self {
            case .time: "time"
            case .field(let field): field.rawValue
            case .tag(let name): "tag:\(name)"
            }
        }
    }

    /// What a report says of itself.
    public enum Field: String, Sendable, CaseIterable {
        /// `checkout@1.4.2`.
        case release
        /// `production`.
        case environment
        /// `crash`, `error`, `message`.
        case kind
        /// `SIGSEGV`.
        case signal
        /// Host name.
        case host
        /// Number of the issue.
        case issue
        /// Name of the project.
        case project
        /// Name of the service.
        case service
    }

    /// Only this project.
    public var project: Int?
    /// Only this issue.
    public var issue: IssueKey?
    /// Only these reports.
    public var filter: ReportFilter
    /// By what they are counted.
    public var part: Part
    /// At most so many parts, but of time.
    public var limit: Int

    /// A question by its parts.
    public init(project: Int? = nil, issue: IssueKey? = nil, filter: ReportFilter, part: Part, limit: Int = 20) {
        self.project = project
        self.issue = issue
        self.filter = filter
        self.part = part
        self.limit = limit
    }
}

/// How many reports there are of a kind, and how often what they tell occurred.
public struct Statistics: Sendable, Equatable {
    /// One part of them.
    public struct Count: Sendable, Equatable {
        /// When the piece of time began; nil for other parts.
        public var time: Timestamp?
        /// The field's value; nil where reports have none, and for time.
        public var value: String?
        /// How often it occurred.
        public var count: Int

        /// A part.
        public init(time: Timestamp? = nil, value: String? = nil, count: Int) {
            self.time = time
            self.value = value
            self.count = count
        }
    }

    /// All of them.
    public var reports: Int
    /// How often what they tell occurred: a report of an error may count others like it.
    public var occurrences: Int
    /// In how many issues.
    public var issues: Int
    /// On how many hosts.
    public var hosts: Int
    /// Issues whose first report is among the time that was asked for.
    public var newIssues: Int
    /// By time ascending, pieces without reports left out; by field the most first.
    public var counts: [Count]

    /// Statistics by their parts.
    public init(reports: Int, occurrences: Int, issues: Int, hosts: Int, newIssues: Int, counts: [Count]) {
        self.reports = reports
        self.occurrences = occurrences
        self.issues = issues
        self.hosts = hosts
        self.newIssues = newIssues
        self.counts = counts
    }
}

/// A piece of all reports, in the order in which they came.
public struct ReportPage: Sendable, Equatable {
    /// The reports.
    public var reports: [StoredReport]
    /// Where the next page begins; nil when this is the last.
    public var next: Int?

    /// A page by its parts.
    public init(reports: [StoredReport], next: Int?) {
        self.reports = reports
        self.next = next
    }
}
