import CrashReport

/// What `SQLStore.issue` reads. A mute that was over at the time of the question reads as open; at 0, none was.
func issueColumns(at time: String) -> String {
    """
    project, number, fingerprint, kind, title, culprit, count, first_seen, last_seen, hosts,
    \(effectiveStatus(at: time)), decided_release, muted_until, muted_count
    """
}

private func effectiveStatus(at time: String) -> String {
    "CASE WHEN status = 'muted' AND muted_until <= \(time) THEN 'open' ELSE status END"
}

/// Whether an issue has reports, none of which is whole: seldom more than one is looked at.
private let isCutShort = """
    CASE WHEN NOT EXISTS (SELECT 1 FROM reports WHERE issue = issues.row AND is_cut = 0)
        AND EXISTS (SELECT 1 FROM reports WHERE issue = issues.row) THEN 1 ELSE 0 END
    """

/// Of the newest report.
private let environment =
    "(SELECT environment FROM reports WHERE issue = issues.row ORDER BY time DESC, reports.row DESC LIMIT 1)"

extension SQLStore {
    func issues(_ selection: IssueSelection) throws(StoreError) -> [Issue] {
        let found = try issues(selection, isJoined: false)
        return found.isEmpty && selection.number != nil ? try issues(selection, isJoined: true) : found
    }

    /// - Parameter isJoined: means the number of an issue that became part of the one to find.
    private func issues(_ selection: IssueSelection, isJoined: Bool) throws(StoreError) -> [Issue] {
        // The time is needed twice.
        var conditions = NumberedConditions([selection.time, selection.limit, selection.offset])
        // Not one whose reports were all digested again, into others.
        conditions.add("count > 0")
        conditions.add("project = #", selection.project)
        conditions.add(
            isJoined
                ? "(project, row) IN (SELECT project, issue FROM joined_issues WHERE joined_issues.number = #)"
                : "number = #",
            selection.number
        )
        conditions.add(effectiveStatus(at: "?1"), isOneOf: selection.statuses)
        selection.filter.addIssueConditions(to: &conditions)
        let order =
            switch selection.order {
            case .last: "last_seen DESC, row DESC"
            case .first: "first_seen DESC, row DESC"
            case .count: "count DESC, last_seen DESC, row DESC"
            case .hosts: "hosts DESC, last_seen DESC, row DESC"
            }
        let sql = """
            SELECT \(issueColumns(at: "?1")), \(isCutShort), \(environment) FROM issues \(conditions.sql)
            ORDER BY \(order) LIMIT ?2 OFFSET ?3
            """
        let values = conditions.values
        return try engine.read { connection throws(StoreError) in
            try connection.query(sql, values) { row in
                var issue = Self.issue(row, from: 0)
                issue.isCutShort = row.int(14) != 0
                issue.environment = row.optionalText(15)
                return issue
            }
        }
    }

    func releases(of issue: IssueKey) throws(StoreError) -> [IssueRelease] {
        try engine.read { connection throws(StoreError) in
            try connection.query(
                """
                SELECT release, issue_releases.count, issue_releases.first_seen, issue_releases.last_seen
                FROM issues JOIN issue_releases ON issue_releases.issue = issues.row
                WHERE project = ? AND number = ? ORDER BY issue_releases.last_seen DESC, release DESC
                """,
                [issue.project, issue.number]
            ) {
                IssueRelease(release: $0.text(0), count: $0.int(1), firstSeen: $0.time(2), lastSeen: $0.time(3))
            }
        }
    }

    func hours(of issue: IssueKey, since time: Timestamp) throws(StoreError) -> [HourCount] {
        try engine.read { connection throws(StoreError) in
            try connection.query(
                """
                SELECT hour, issue_hours.count FROM issues JOIN issue_hours ON issue_hours.issue = issues.row
                WHERE project = ? AND number = ? AND hour >= ? ORDER BY hour
                """,
                [issue.project, issue.number, Int(time.microseconds / HourCount.length)]
            ) {
                HourCount(hour: Timestamp(microseconds: Int64($0.int(0)) * HourCount.length), count: $0.int(1))
            }
        }
    }

    func decide(_ decision: IssueDecision, on issue: IssueKey, at time: Timestamp) throws(StoreError) -> Issue? {
        try engine.write { connection throws(StoreError) in
            let values: (status: String, release: String?, until: Timestamp?, more: Int?)
            switch decision {
            case .resolve(let release): values = ("resolved", release, nil, nil)
            case .mute(let until, let more): values = ("muted", nil, until, more)
            case .reopen: values = ("open", nil, nil, nil)
            case .merge(let number): return try Self.merge(issue, into: number, at: time, on: connection)
            }
            return try connection.query(
                """
                UPDATE issues SET status = ?1, decided = ?2, decided_release = ?3, muted_until = ?4,
                    muted_count = count + ?5
                WHERE project = ?6 AND number = ?7 RETURNING \(issueColumns(at: "?2"))
                """,
                [
                    values.status, time, values.release, values.until, values.more, issue.project, issue.number,
                ]
            ) { Self.issue($0, from: 0) }.first
        }
    }

    /// Counts a report in its issue, which is made if this is the first of its fingerprint. The headline follows the
    /// newest report: it has the names of today's code.
    static func count(_ digestion: Digestion, _ report: DigestedFacts, on connection: any SQLConnection)
        throws(StoreError) -> (row: Int, issue: Issue, isNew: Bool)
    {
        let (least, greatest) = (connection.dialect.least, connection.dialect.greatest)
        func updated() throws(StoreError) -> (row: Int, issue: Issue, isNew: Bool)? {
            if let known = try updated(digestion.fingerprint) { return known }
            let merged = try mergedKey(of: digestion.fingerprint, project: digestion.key.project, on: connection)
            return if let merged { try updated(merged) } else { nil }
        }
        func updated(_ fingerprint: String) throws(StoreError) -> (row: Int, issue: Issue, isNew: Bool)? {
            try connection.query(
                """
                UPDATE issues SET count = count + ?6,
                    title = CASE WHEN ?3 >= last_seen THEN ?4 ELSE title END,
                    culprit = CASE WHEN ?3 >= last_seen THEN ?5 ELSE culprit END,
                    first_seen = \(least)(first_seen, ?3), last_seen = \(greatest)(last_seen, ?3)
                WHERE project = ?1 AND fingerprint = ?2 RETURNING row, \(issueColumns(at: "0"))
                """,
                [
                    digestion.key.project, fingerprint, report.time, digestion.title, digestion.culprit,
                    report.occurrences,
                ]
            ) { (row: $0.int(0), issue: issue($0, from: 1), isNew: false) }.first
        }
        if let known = try updated() { return known }
        // Taking a number locks the project's row: whoever made the same issue meanwhile is done, and it is there now.
        let number = try connection.query(
            "UPDATE projects SET last_issue = last_issue + 1 WHERE id = ? RETURNING last_issue",
            [digestion.key.project]
        ) { $0.int(0) }
        if let known = try updated() {
            try connection.run("UPDATE projects SET last_issue = last_issue - 1 WHERE id = ?", [digestion.key.project])
            return known
        }
        let inserted = try connection.query(
            """
            INSERT INTO issues
                (project, number, fingerprint, kind, title, culprit, count, first_seen, last_seen, status, rules)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?9, ?7, ?7, 'open', ?8) RETURNING row, \(issueColumns(at: "0"))
            """,
            [
                digestion.key.project, number.first, digestion.fingerprint, report.kind, digestion.title,
                digestion.culprit, report.time, digestion.rules, report.occurrences,
            ]
        ) { (row: $0.int(0), issue: issue($0, from: 1), isNew: true) }
        guard let made = inserted.first else { throw .failed(reason: "an issue that was inserted is not there") }
        return made
    }

    /// Counts a report in the tables beside its issue. Returns how many hosts the issue has more.
    static func countDetails(
        ofIssue row: Int,
        _ counted: Counted,
        on connection: any SQLConnection
    ) throws(StoreError) -> Int {
        let (least, greatest) = (connection.dialect.least, connection.dialect.greatest)
        if let release = counted.release {
            try connection.run(
                """
                INSERT INTO issue_releases VALUES (?1, ?2, ?4, ?3, ?3) ON CONFLICT (issue, release) DO UPDATE SET
                    count = issue_releases.count + excluded.count,
                    first_seen = \(least)(issue_releases.first_seen, ?3),
                    last_seen = \(greatest)(issue_releases.last_seen, ?3)
                """,
                [row, release, counted.time, counted.occurrences]
            )
        }
        try connection.run(
            """
            INSERT INTO issue_hours VALUES (?, ?, ?) ON CONFLICT (issue, hour) DO UPDATE SET
                count = issue_hours.count + excluded.count
            """,
            [row, counted.hour, counted.occurrences]
        )
        guard let host = counted.host else { return 0 }
        let added = try connection.run("INSERT INTO issue_hosts VALUES (?, ?) ON CONFLICT DO NOTHING", [row, host])
        if added > 0 { try connection.run("UPDATE issues SET hosts = hosts + 1 WHERE row = ?", [row]) }
        return added
    }

    /// Opens an issue again that a report shows not to be fixed, or whose mute has come to its end. To be called before the
    /// report is counted in its releases.
    static func reconsider(_ issue: Issue, row: Int, _ report: DigestedFacts, on connection: any SQLConnection)
        throws(StoreError) -> (event: IssueEvent, status: IssueStatus)?
    {
        switch issue.status {
        case .open, .regressed: return nil
        case .muted(let until, let count):
            guard until.map({ $0 <= report.received }) ?? false || count.map({ issue.count >= $0 }) ?? false else {
                return nil
            }
            try connection.run("UPDATE issues SET status = 'open' WHERE row = ?", [row])
            return (.unmuted, .open)
        case .resolved(let release):
            let decided = try connection.query("SELECT decided FROM issues WHERE row = ?", [row]) { $0.time(0) }
            let seenIn = try connection.query("SELECT release FROM issue_releases WHERE issue = ?", [row]) {
                $0.text(0)
            }
            let resolution = Resolution(release: release, time: decided.first ?? report.time, seenIn: seenIn)
            let isRefuted = try resolution.isRefuted(by: report.release, at: report.time) { () throws(StoreError) in
                try firstSeen(releasesOf: issue.key.project, on: connection)
            }
            guard isRefuted else { return nil }
            try connection.run(
                "UPDATE issues SET status = 'regressed', decided_release = ? WHERE row = ?",
                [report.release, row]
            )
            return (.regressed, .regressed(in: report.release))
        }
    }

    /// When each release of a project was seen first, in any issue.
    private static func firstSeen(releasesOf project: Int, on connection: any SQLConnection) throws(StoreError)
        -> [String: Timestamp]
    {
        let found = try connection.query(
            """
            SELECT release, min(issue_releases.first_seen)
            FROM issue_releases JOIN issues ON issues.row = issue_releases.issue
            WHERE issues.project = ? GROUP BY release
            """,
            [project]
        ) { ($0.text(0), $0.time(1)) }
        return Dictionary(found) { min($0, $1) }
    }

    /// Reads `issueColumns`, the first of them at a column.
    static func issue(_ row: SQLRow, from first: Int) -> Issue {
        let status: IssueStatus =
            switch row.text(first + 10) {
            case "resolved": .resolved(in: row.optionalText(first + 11))
            case "regressed": .regressed(in: row.optionalText(first + 11))
            case "muted": .muted(until: row.optionalTime(first + 12), count: row.optionalInt(first + 13))
            default: .open
            }
        return Issue(
            key: IssueKey(project: row.int(first), number: row.int(first + 1)),
            fingerprint: row.text(first + 2),
            kind: row.text(first + 3),
            title: row.text(first + 4),
            culprit: row.optionalText(first + 5),
            count: row.int(first + 6),
            firstSeen: row.time(first + 7),
            lastSeen: row.time(first + 8),
            hosts: row.int(first + 9),
            status: status
        )
    }
}

/// What the counting needs of a report.
struct DigestedFacts: Sendable {
    var row: Int
    var kind: String
    var time: Timestamp
    var received: Timestamp
    var release: String?
    var host: String?
    /// Row of the issue that it is in since an earlier digestion.
    var issue: Int?
    /// What it has of an earlier digestion, in bytes, and all it has.
    var digestedBytes: Int
    var bytes: Int
    var occurrences: Int

    var counted: Counted { Counted(time: time, release: release, host: host, occurrences: occurrences) }
}

/// By what a report counts in its issue, and how often.
struct Counted: Sendable {
    var time: Timestamp
    var release: String?
    var host: String?
    var occurrences: Int

    /// What `init(_:from:)` reads.
    static let columns = "time, release, host, occurrences"

    init(time: Timestamp, release: String?, host: String?, occurrences: Int) {
        (self.time, self.release, self.host, self.occurrences) = (time, release, host, occurrences)
    }

    /// Reads `columns`, the first of them at a column.
    init(_ row: SQLRow, from first: Int) {
        self.init(
            time: row.time(first),
            release: row.optionalText(first + 1),
            host: row.optionalText(first + 2),
            occurrences: row.int(first + 3)
        )
    }

    /// Hours since 1970.
    var hour: Int { Int(time.microseconds / HourCount.length) }

    /// The tables that count it beside its issue: which, and by what.
    var tables: [(name: String, key: String, value: any SQLBindable)] {
        [("issue_hours", "hour", hour)] + (release.map { [("issue_releases", "release", $0)] } ?? [])
    }
}

extension ReportFacts {
    var counted: Counted { Counted(time: time, release: release, host: host, occurrences: occurrences) }
}
