import CrashReport

/// No more reports are claimed once they have so many bytes.
private let maximumClaim = 4 << 20

extension SQLStore {
    func claimPending(limit: Int) throws(StoreError) -> [PendingReport] {
        try engine.claim { connection, claimant throws(StoreError) in
            let found = try connection.query(
                """
                SELECT row, project, id, attempts FROM reports
                WHERE digest = 0 AND digest <> 1 AND \(connection.dialect.isFree) ORDER BY row LIMIT ?2
                \(connection.dialect.skipLocked)
                """,
                [claimant, limit]
            ) { (row: $0.int(0), key: ReportKey(project: $0.int(1), id: $0.text(2)), attempts: $0.int(3)) }
            // One that was tried before may have ended the process: it must not take others with it.
            let claimed = found.first.map { $0.attempts > 0 ? [$0] : Array(found.prefix { $0.attempts == 0 }) } ?? []
            var pending: [PendingReport] = []
            var bytes = 0
            for (row, key, attempts) in claimed where bytes < maximumClaim {
                try connection.run(
                    "UPDATE reports SET attempts = attempts + 1, claimant = ? WHERE row = ?",
                    [claimant, row]
                )
                let gzip = try connection.query("SELECT gzip FROM received_bodies WHERE report = ?", [row]) {
                    $0.blob(0)
                }
                pending.append(PendingReport(key: key, gzip: gzip.first ?? [], attempts: attempts + 1))
                bytes += pending.last?.gzip.count ?? 0
            }
            return pending
        }
    }

    func release(_ reports: [ReportKey]) throws(StoreError) {
        try engine.write { connection throws(StoreError) in
            for report in reports {
                try connection.run(
                    """
                    UPDATE reports SET attempts = attempts - 1, claimant = NULL
                    WHERE attempts > 0 AND project = ? AND id = ? AND digest = 0
                    """,
                    [report.project, report.id]
                )
            }
        }
    }

    func finish(_ digestion: Digestion) throws(StoreError) -> Issue? {
        try engine.write { connection throws(StoreError) in
            let dialect = connection.dialect
            let report = try connection.query(
                """
                SELECT row, kind, time, release FROM reports WHERE project = ? AND id = ? AND digest <> 1
                \(dialect.forUpdate)
                """,
                [digestion.key.project, digestion.key.id]
            ) { (row: $0.int(0), kind: $0.text(1), time: $0.time(2), release: $0.optionalText(3)) }.first
            guard let report else { return nil }
            let (row, issue) = try Self.count(digestion, kind: report.kind, time: report.time, on: connection)
            if let release = report.release {
                try connection.run(
                    """
                    INSERT INTO issue_releases VALUES (?1, ?2, 1, ?3, ?3) ON CONFLICT (issue, release) DO UPDATE SET
                        count = issue_releases.count + 1,
                        first_seen = \(dialect.least)(issue_releases.first_seen, ?3),
                        last_seen = \(dialect.greatest)(issue_releases.last_seen, ?3)
                    """,
                    [row, release, report.time]
                )
            }
            try connection.run(
                "UPDATE reports SET digest = 1, failure = NULL, issue = ?, title = ?, culprit = ? WHERE row = ?",
                [row, digestion.title, digestion.culprit, report.row]
            )
            try connection.run(
                """
                INSERT INTO digested_bodies (report, gzip, remarks) VALUES (?, ?, ?) ON CONFLICT (report)
                DO UPDATE SET gzip = excluded.gzip, remarks = excluded.remarks
                """,
                [report.row, digestion.gzip, digestion.remarks.json]
            )
            return issue
        }
    }

    /// Counts a report in its issue, which is made if this is the first of its fingerprint. The headline follows the
    /// newest report: it has the names of today's code.
    private static func count(_ digestion: Digestion, kind: String, time: Timestamp, on connection: any SQLConnection)
        throws(StoreError) -> (row: Int, issue: Issue)
    {
        let values: [any SQLBindable] = [
            digestion.key.project, digestion.fingerprint, time, digestion.title, digestion.culprit,
        ]
        let (least, greatest) = (connection.dialect.least, connection.dialect.greatest)
        let update = """
            UPDATE issues SET count = count + 1,
                title = CASE WHEN ?3 >= last_seen THEN ?4 ELSE title END,
                culprit = CASE WHEN ?3 >= last_seen THEN ?5 ELSE culprit END,
                first_seen = \(least)(first_seen, ?3), last_seen = \(greatest)(last_seen, ?3)
            WHERE project = ?1 AND fingerprint = ?2 RETURNING row, \(issueColumns)
            """
        func updated() throws(StoreError) -> (row: Int, issue: Issue)? {
            try connection.query(update, values) { (row: $0.int(0), issue: issue($0, from: 1)) }.first
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
            INSERT INTO issues (project, number, fingerprint, kind, title, culprit, count, first_seen, last_seen, status)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?7, 'open') RETURNING row, \(issueColumns)
            """,
            [
                digestion.key.project, number.first, digestion.fingerprint, kind, digestion.title, digestion.culprit,
                time,
            ]
        ) { (row: $0.int(0), issue: issue($0, from: 1)) }
        guard let made = inserted.first else { throw .failed(reason: "an issue that was inserted is not there") }
        return made
    }

    func fail(_ report: ReportKey, reason: String) throws(StoreError) {
        try engine.write { connection throws(StoreError) in
            _ = try connection.run(
                "UPDATE reports SET digest = 2, failure = ? WHERE project = ? AND id = ? AND digest = 0",
                [reason, report.project, report.id]
            )
        }
    }

    func retryFailed(maximumAttempts: Int) throws(StoreError) {
        try engine.claim { connection, claimant throws(StoreError) in
            try connection.run(
                "UPDATE reports SET digest = 0, claimant = NULL WHERE digest = 2 AND digest <> 1 AND attempts < ?",
                [maximumAttempts]
            )
            _ = try connection.run(
                """
                UPDATE reports SET digest = 2, failure = ?2
                WHERE digest = 0 AND digest <> 1 AND attempts >= ?3 AND \(connection.dialect.isFree)
                """,
                [claimant, "the collector ended while digesting it, \(maximumAttempts) times", maximumAttempts]
            )
        }
    }

    func digestCounts() throws(StoreError) -> DigestCounts {
        try engine.read { connection throws(StoreError) in
            // The index of the undigested is used only by a query that repeats its condition.
            let counts = try connection.query(
                "SELECT digest, count(*) FROM reports WHERE digest IN (0, 2) AND digest <> 1 GROUP BY digest"
            ) { (state: $0.int(0), count: $0.int(1)) }
            func count(_ state: Int) -> Int { counts.first { $0.state == state }?.count ?? 0 }
            return DigestCounts(pending: count(0), failed: count(2))
        }
    }
}
