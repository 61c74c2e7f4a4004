public import CrashReport
public import Store

/// Reports as listed, newest first.
public struct ReportList: Sendable, Equatable {
    /// What was found.
    public var reports: [StoredReport]
    /// All projects there are, for text.
    public var projects: [ProjectName]
    /// The issue that all of them are in, when it was asked for.
    public var issue: IssueKey?

    /// A list of reports.
    public init(reports: [StoredReport], projects: [ProjectName] = [], issue: IssueKey? = nil) {
        self.reports = reports
        self.projects = projects
        self.issue = issue
    }

    /// `{"reports": […]}`.
    public var json: JSONValue { .object(["reports": .array(reports.map { .object($0.members) })]) }
}

extension StoredReport {
    /// The members of the JSON object, so that more can be added. Those that the report has too are named and shaped as
    /// in the report.
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "id": .string(key.id),
            "project": .integer(Int64(key.project)),
            "received": .string(received.description),
            "kind": .string(facts.kind),
            "time": .string(facts.time.description),
            "service": .optional(facts.service),
            "release": .optional(facts.release),
            "environment": .optional(facts.environment),
            "host": facts.host.map { .object(["name": .string($0)]) } ?? .null,
            "signal": .optional(facts.signal),
            "cut_short": .bool(facts.isCutShort),
            "occurrences": .integer(Int64(facts.occurrences)),
            "issue": issue.map { .integer(Int64($0.number)) } ?? .null,
            "title": .optional(title),
            "culprit": .optional(culprit),
            "tags": .object(tags.mapValues { .string($0) }),
        ]
        switch state {
        case .pending: members["state"] = .string("pending")
        case .done: members["state"] = .string("done")
        case .failed(let reason):
            members["state"] = .string("failed")
            members["failure"] = .string(reason)
        }
        return members
    }
}
