public import CrashReport
public import Store

/// Issues with the releases they were seen in, last seen first.
public struct IssueList: Sendable, Equatable {
    /// An issue and its releases, newest first.
    public struct Entry: Sendable, Equatable {
        /// The issue.
        public var issue: Issue
        /// Where it was seen, newest first.
        public var releases: [IssueRelease]

        /// An entry by its parts.
        public init(issue: Issue, releases: [IssueRelease]) {
            self.issue = issue
            self.releases = releases
        }
    }

    /// What was found.
    public var entries: [Entry]
    /// Reports that wait for digestion or could not be digested, of the project that was asked for or of all.
    public var undigested: DigestCounts
    /// All projects there are, for text.
    public var projects: [ProjectName]

    /// A list by its parts.
    public init(entries: [Entry], undigested: DigestCounts, projects: [ProjectName] = []) {
        self.entries = entries
        self.undigested = undigested
        self.projects = projects
    }

    /// Reads a list.
    ///
    /// - Parameter release: only issues whose first release it is, by version.
    public static func load(
        from reader: some Reader,
        _ selection: IssueSelection,
        newIn release: String? = nil
    ) throws(QueryError) -> IssueList {
        let (undigested, projects) = (try reader.undigested(selection.project), try reader.projects())
        guard let release else {
            return IssueList(entries: try reader.issues(selection), undigested: undigested, projects: projects)
        }
        // Which release comes first is no question for a database: those that have it are looked through.
        var (found, page): ([Entry], IssueSelection) = ([], selection)
        page.filter.release = release
        (page.offset, page.limit) = (0, 1_000)
        while found.count < selection.offset + selection.limit {
            let entries = try reader.issues(page)
            found += entries.filter { $0.firstRelease == release }
            guard entries.count == page.limit else { break }
            page.offset += page.limit
        }
        let entries = found.dropFirst(selection.offset).prefix(selection.limit)
        return IssueList(entries: Array(entries), undigested: undigested, projects: projects)
    }

    /// `{"issues": […], "undigested": {…}}`.
    public var json: JSONValue {
        .object([
            "issues": .array(entries.map { .object($0.members) }),
            "undigested": .object([
                "pending": .integer(Int64(undigested.pending)), "failed": .integer(Int64(undigested.failed)),
            ]),
        ])
    }
}

extension IssueList.Entry {
    /// The issue and its releases, as in the list.
    public var json: JSONValue { .object(members) }

    /// The members of the JSON object, so that more can be added.
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "id": .integer(Int64(issue.key.number)),
            "project": .integer(Int64(issue.key.project)),
            "fingerprint": .string(issue.fingerprint),
            "kind": .string(issue.kind),
            "title": .string(issue.title),
            "culprit": .optional(issue.culprit),
            "count": .integer(Int64(issue.count)),
            "first_seen": .string(issue.firstSeen.description),
            "last_seen": .string(issue.lastSeen.description),
            "hosts": .integer(Int64(issue.hosts)),
            "status": .string(issue.status.name),
            "cut_short": .bool(issue.isCutShort),
            "environment": .optional(issue.environment),
            "first_release": .optional(firstRelease),
            "last_release": .optional(lastRelease),
            "releases": .array(
                releases.map { release in
                    .object([
                        "release": .string(release.release),
                        "count": .integer(Int64(release.count)),
                        "first_seen": .string(release.firstSeen.description),
                        "last_seen": .string(release.lastSeen.description),
                    ])
                }
            ),
        ]
        switch issue.status {
        case .open: break
        case .regressed(let release): members["regressed_in"] = .optional(release)
        case .resolved(let release): members["resolved_in"] = .optional(release)
        case .muted(let until, let count):
            members["muted_until"] = .optional(until?.description)
            members["muted_until_count"] = count.map { .integer(Int64($0)) } ?? .null
        }
        return members
    }

    /// The release before all others that it was seen in, by version; by time where they have none.
    public var firstRelease: String? { ordered.first }

    /// The release after all others that it was seen in.
    public var lastRelease: String? { ordered.last }

    private var ordered: [String] {
        releases.sorted { left, right in
            ReleaseVersion.precedes(left.release, right.release) ?? (left.firstSeen < right.firstSeen)
        }.map(\.release)
    }
}

extension JSONValue {
    /// A string, or null.
    package static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
