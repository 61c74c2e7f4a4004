public import CrashReport

/// A service, or a group of services, whose reports are kept together.
public struct Project: Sendable, Equatable {
    /// From 1.
    public var id: Int
    /// Unique name.
    public var name: String
    /// What the key hashes to.
    public var key: SecretHash
    /// How many reports it may send.
    public var limits: IngestLimits

    /// A project as stored.
    public init(id: Int, name: String, key: SecretHash, limits: IngestLimits = IngestLimits()) {
        self.limits = limits
        self.id = id
        self.name = name
        self.key = key
    }
}

/// A project with what a list of projects shows of it.
public struct ProjectSummary: Sendable, Equatable {
    /// From 1.
    public var id: Int
    /// Unique name.
    public var name: String
    /// Reports that are kept.
    public var reports: Int
    /// Issues that have had a report.
    public var issues: Int
    /// When the last report that is kept was received.
    public var lastReport: Timestamp?
    /// What it keeps.
    public var retention: Retention
    /// How many reports it may send.
    public var limits: IngestLimits

    /// A summary by its parts.
    public init(
        id: Int,
        name: String,
        reports: Int,
        issues: Int,
        lastReport: Timestamp?,
        retention: Retention,
        limits: IngestLimits
    ) {
        self.id = id
        self.name = name
        self.reports = reports
        self.issues = issues
        self.lastReport = lastReport
        self.retention = retention
        self.limits = limits
    }
}
