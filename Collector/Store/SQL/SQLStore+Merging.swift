import CrashReport

/// Issues that somebody says are one.
extension SQLStore {
    /// Makes an issue part of another: its reports, counts and number are that one's, and so are reports that come with its key.
    /// Of what was decided the more urgent holds. Nil when one of both is not there.
    static func merge(
        _ issue: IssueKey,
        into number: Int,
        at time: Timestamp,
        on connection: any SQLConnection
    ) throws(StoreError) -> Issue? {
        // Whoever makes an issue meanwhile, or moves one, has the project's row.
        try connection.run("UPDATE projects SET last_issue = last_issue WHERE id = ?", [issue.project])
        let found = try issues(
            "project = ? AND number IN (?, ?) AND count > 0",
            [issue.project, issue.number, number],
            on: connection
        )
        guard let gone = found.first(where: { $0.number == issue.number }),
            let target = found.first(where: { $0.number == number && $0.row != gone.row })
        else { return nil }
        try move(from: gone.row, to: target.row, on: connection)
        try write(target.joined(by: gone), rules: nil, on: connection)
        try connection.run(
            """
            INSERT INTO merged_fingerprints (project, fingerprint, issue) VALUES (?, ?, ?)
            ON CONFLICT (project, fingerprint) DO UPDATE SET issue = excluded.issue
            """,
            [issue.project, gone.fingerprint, target.row]
        )
        return try connection.query("SELECT \(issueColumns(at: "?2")) FROM issues WHERE row = ?1", [target.row, time]) {
            Self.issue($0, from: 0)
        }.first
    }

    /// The key of the issue that reports with this key go to since somebody merged them; nil where nobody did.
    static func mergedKey(of fingerprint: String, project: Int, on connection: any SQLConnection) throws(StoreError)
        -> String?
    {
        try connection.query(
            """
            SELECT issues.fingerprint FROM merged_fingerprints JOIN issues ON issues.row = merged_fingerprints.issue
            WHERE merged_fingerprints.project = ? AND merged_fingerprints.fingerprint = ?
            """,
            [project, fingerprint]
        ) { $0.text(0) }.first
    }

    func joined(to issue: IssueKey) throws(StoreError) -> [Int] {
        try engine.read { connection throws(StoreError) in
            try connection.query(
                """
                SELECT joined_issues.number FROM joined_issues JOIN issues ON issues.row = joined_issues.issue
                WHERE issues.project = ? AND issues.number = ? ORDER BY 1
                """,
                [issue.project, issue.number]
            ) { $0.int(0) }
        }
    }
}
