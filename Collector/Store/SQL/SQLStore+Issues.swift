import CrashReport

extension SQLStore {
    static var issueColumns: String {
        "project, number, fingerprint, kind, title, culprit, count, first_seen, last_seen, status"
    }

    func issues(_ selection: IssueSelection) throws(StoreError) -> [Issue] {
        var conditions = Conditions()
        conditions.add("project = ?", selection.project)
        conditions.add("number = ?", selection.number)
        let sql = "SELECT \(Self.issueColumns) FROM issues \(conditions.sql) ORDER BY last_seen DESC, row DESC LIMIT ?"
        let values = conditions.values + [selection.limit]
        return try engine.read { connection throws(StoreError) in
            try connection.query(sql, values) { Self.issue($0, from: 0) }
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

    /// Reads `issueColumns`, the first of them at a column.
    static func issue(_ row: SQLRow, from first: Int) -> Issue {
        Issue(
            key: IssueKey(project: row.int(first), number: row.int(first + 1)),
            fingerprint: row.text(first + 2),
            kind: row.text(first + 3),
            title: row.text(first + 4),
            culprit: row.optionalText(first + 5),
            count: row.int(first + 6),
            firstSeen: row.time(first + 7),
            lastSeen: row.time(first + 8),
            status: row.text(first + 9)
        )
    }
}
