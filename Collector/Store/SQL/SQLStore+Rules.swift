import CrashReport

extension SQLStore {
    func outdatedIssues(rules: Int, after position: Int, limit: Int) throws(StoreError) -> [OutdatedIssue] {
        try engine.read { connection throws(StoreError) in
            try connection.query(
                """
                SELECT issues.row, reports.project, reports.id,
                    received_bodies.gzip, digested_bodies.gzip, digested_bodies.remarks
                FROM issues JOIN reports ON reports.row = (
                    SELECT newest.row FROM reports AS newest WHERE newest.issue = issues.row
                    ORDER BY newest.time DESC, newest.row DESC LIMIT 1
                )
                JOIN received_bodies ON received_bodies.report = reports.row
                JOIN digested_bodies ON digested_bodies.report = reports.row
                WHERE issues.rules < ? AND issues.row > ? ORDER BY issues.row LIMIT ?
                """,
                [rules, position, limit]
            ) {
                OutdatedIssue(
                    position: $0.int(0),
                    newest: ReportKey(project: $0.int(1), id: $0.text(2)),
                    body: ReportBody(
                        received: $0.blob(3),
                        digested: $0.blob(4),
                        remarks: $0.optionalText(5).map(DigestRemarks.init(json:)) ?? DigestRemarks()
                    )
                )
            }
        }
    }

    func regroup(_ regrouping: Regrouping, rules: Int) throws(StoreError) -> RegroupedIssue? {
        try engine.write { connection throws(StoreError) -> RegroupedIssue? in
            // Nodes that start at once regroup the same issues: one after the other, and each only once.
            try connection.lockStore()
            let found = try Self.issues("row = ? AND rules < ?", [regrouping.position, rules], on: connection)
            guard let issue = found.first else { return nil }
            let others = try Self.issues(
                "project = ? AND fingerprint = ? AND row <> ?",
                [issue.project, regrouping.fingerprint, issue.row],
                on: connection
            )
            var kept = issue
            kept.title = regrouping.title
            kept.culprit = regrouping.culprit
            var gone: RegroupableIssue?
            if let other = others.first {
                // People know the older one by its number.
                gone = max(kept, other)
                kept = min(kept, other).joined(by: max(kept, other))
                try Self.move(from: gone?.row ?? 0, to: kept.row, on: connection)
            }
            kept.fingerprint = regrouping.fingerprint
            try Self.write(kept, rules: rules, on: connection)
            try connection.run(
                """
                UPDATE digested_bodies SET remarks = ?
                WHERE report = (SELECT row FROM reports WHERE project = ? AND id = ?)
                """,
                [regrouping.remarks.json, regrouping.newest.project, regrouping.newest.id]
            )
            return RegroupedIssue(
                key: IssueKey(project: kept.project, number: kept.number),
                joined: gone.map { IssueKey(project: $0.project, number: $0.number) }
            )
        }
    }

    /// Writes what an issue is, once all that belongs to it is its own.
    ///
    /// - Parameter rules: what its key was made by; nil where that is as it was.
    static func write(_ kept: RegroupableIssue, rules: Int?, on connection: any SQLConnection) throws(StoreError) {
        try connection.run(
            """
            UPDATE issues SET fingerprint = ?, rules = COALESCE(?, rules), title = ?, culprit = ?, count = ?, removed = ?,
                first_seen = ?, last_seen = ?, status = ?, decided = ?, decided_release = ?, muted_until = ?,
                muted_count = ?, hosts = (SELECT count(*) FROM issue_hosts WHERE issue = issues.row)
            WHERE row = ?
            """,
            [
                kept.fingerprint, rules, kept.title.cutForLists, kept.culprit?.cutForLists, kept.count,
                kept.removed, kept.firstSeen, kept.lastSeen, kept.decision.status, kept.decision.time,
                kept.decision.release, kept.decision.mutedUntil, kept.decision.mutedCount, kept.row,
            ]
        )
    }

    static func issues(_ condition: String, _ values: [any SQLBindable], on connection: any SQLConnection)
        throws(StoreError) -> [RegroupableIssue]
    {
        try connection.query(
            """
            SELECT row, project, number, fingerprint, title, culprit, count, removed, first_seen, last_seen,
                status, decided, decided_release, muted_until, muted_count
            FROM issues WHERE \(condition) \(connection.dialect.forUpdate)
            """,
            values
        ) {
            RegroupableIssue(
                row: $0.int(0),
                project: $0.int(1),
                number: $0.int(2),
                fingerprint: $0.text(3),
                title: $0.text(4),
                culprit: $0.optionalText(5),
                count: $0.int(6),
                removed: $0.int(7),
                firstSeen: $0.time(8),
                lastSeen: $0.time(9),
                decision: RegroupableIssue.Decision(
                    status: $0.text(10),
                    time: $0.optionalTime(11),
                    release: $0.optionalText(12),
                    mutedUntil: $0.optionalTime(13),
                    mutedCount: $0.optionalInt(14)
                )
            )
        }
    }

    /// Moves all that belongs to an issue to another, and removes it.
    static func move(from gone: Int, to kept: Int, on connection: any SQLConnection) throws(StoreError) {
        let (least, greatest) = (connection.dialect.least, connection.dialect.greatest)
        let statements = [
            "UPDATE reports SET issue = ?1 WHERE issue = ?2",
            """
            INSERT INTO issue_hours SELECT CAST(?1 AS BIGINT), hour, count FROM issue_hours WHERE issue = ?2
            ON CONFLICT (issue, hour) DO UPDATE SET count = issue_hours.count + excluded.count
            """,
            """
            INSERT INTO issue_releases SELECT CAST(?1 AS BIGINT), release, count, first_seen, last_seen
                FROM issue_releases WHERE issue = ?2
            ON CONFLICT (issue, release) DO UPDATE SET count = issue_releases.count + excluded.count,
                first_seen = \(least)(issue_releases.first_seen, excluded.first_seen),
                last_seen = \(greatest)(issue_releases.last_seen, excluded.last_seen)
            """,
            """
            INSERT INTO issue_hosts SELECT CAST(?1 AS BIGINT), host FROM issue_hosts WHERE issue = ?2
            ON CONFLICT DO NOTHING
            """,
            "UPDATE merged_fingerprints SET issue = ?1 WHERE issue = ?2",
            // Whoever has its number finds where its reports are.
            "UPDATE joined_issues SET issue = ?1 WHERE issue = ?2",
            "INSERT INTO joined_issues SELECT project, number, CAST(?1 AS BIGINT) FROM issues WHERE row = ?2",
        ]
        for statement in statements { try connection.run(statement, [kept, gone]) }
        for table in ["issue_hours", "issue_releases", "issue_hosts"] {
            try connection.run("DELETE FROM \(table) WHERE issue = ?", [gone])
        }
        try connection.run("DELETE FROM issues WHERE row = ?", [gone])
    }
}

/// An issue as far as it counts when two become one.
struct RegroupableIssue: Sendable, Comparable {
    /// What a person decided about it.
    struct Decision: Sendable, Equatable {
        var status: String
        var time: Timestamp?
        var release: String?
        var mutedUntil: Timestamp?
        var mutedCount: Int?

        /// What is open needs somebody, whatever was decided about the rest; what is muted may come back.
        private var urgency: Int { ["resolved", "muted"].firstIndex(of: status) ?? 2 }

        /// True where it counts before the other: the more urgent, then the later.
        func precedes(_ other: Decision) -> Bool {
            (urgency, time?.microseconds ?? 0) >= (other.urgency, other.time?.microseconds ?? 0)
        }
    }

    let row: Int
    let project: Int
    let number: Int
    var fingerprint: String
    var title: String
    var culprit: String?
    var count: Int
    var removed: Int
    var firstSeen: Timestamp
    var lastSeen: Timestamp
    var decision: Decision

    static func < (one: RegroupableIssue, other: RegroupableIssue) -> Bool { one.row < other.row }

    /// Both as one.
    func joined(by other: RegroupableIssue) -> RegroupableIssue {
        var joined = self
        if other.lastSeen > lastSeen { (joined.title, joined.culprit) = (other.title, other.culprit) }
        joined.count += other.count
        joined.removed += other.removed
        joined.firstSeen = min(firstSeen, other.firstSeen)
        joined.lastSeen = max(lastSeen, other.lastSeen)
        let (first, behind) = decision.precedes(other.decision) ? (self, other) : (other, self)
        joined.decision = first.decision
        // It counts from the issue's own count on.
        joined.decision.mutedCount = first.decision.mutedCount.map { $0 + behind.count }
        return joined
    }
}
