import CrashReport

/// No more reports are claimed once they have so many bytes.
private let maximumClaim = 4 << 20

extension SQLStore {
    func claimPending(limit: Int, after position: Int) throws(StoreError) -> [PendingReport] {
        try engine.claim { connection, claimant throws(StoreError) in
            let found = try connection.query(
                """
                SELECT row, project, id, attempts FROM reports
                WHERE digest = 0 AND digest <> 1 AND row > ?3 AND \(connection.dialect.isFree) ORDER BY row LIMIT ?2
                \(connection.dialect.skipLocked)
                """,
                [claimant, limit, position]
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
                pending.append(
                    PendingReport(key: key, gzip: gzip.first ?? [], attempts: attempts + 1, position: row)
                )
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

    func finish(_ digestions: [Digestion]) throws(StoreError) -> [DigestedIn?] {
        // Nodes that write the same issues at once come to them in the same order; in an issue, the order is kept.
        let order = digestions.indices.sorted {
            (digestions[$0].key.project, digestions[$0].fingerprint, $0)
                < (digestions[$1].key.project, digestions[$1].fingerprint, $1)
        }
        return try engine.write { connection throws(StoreError) in
            var written = [DigestedIn?](repeating: nil, count: digestions.count)
            for index in order { written[index] = try Self.finish(digestions[index], on: connection) }
            return written
        }
    }

    private static func finish(_ digestion: Digestion, on connection: any SQLConnection) throws(StoreError)
        -> DigestedIn?
    {
        let report = try connection.query(
            """
            SELECT row, kind, time, received, release, host, issue,
                CASE WHEN issue IS NULL THEN 0
                    ELSE COALESCE((SELECT length(gzip) FROM digested_bodies WHERE report = reports.row), 0) END, bytes,
                occurrences
            FROM reports WHERE project = ? AND id = ? AND digest <> 1 \(connection.dialect.forUpdate)
            """,
            [digestion.key.project, digestion.key.id]
        ) {
            DigestedFacts(
                row: $0.int(0),
                kind: $0.text(1),
                time: $0.time(2),
                received: $0.time(3),
                release: $0.optionalText(4),
                host: $0.optionalText(5),
                issue: $0.optionalInt(6),
                digestedBytes: $0.int(7),
                bytes: $0.int(8),
                occurrences: $0.int(9)
            )
        }.first
        guard let report else { return nil }
        if let length = digestion.receivedBytes, length != report.bytes - report.digestedBytes { return nil }
        let (row, issue, event) =
            if let former = report.issue {
                try Self.moveOn(digestion, report, from: former, on: connection)
            } else {
                try Self.enter(digestion, report, on: connection)
            }
        try connection.run(
            """
            UPDATE reports SET digest = 1, failure = NULL, issue = ?, title = ?, culprit = ?, tags = ?,
                bytes = bytes + ?
            WHERE row = ?
            """,
            [
                row, digestion.title, digestion.culprit, ReportFilter.column(digestion.tags),
                digestion.gzip.count - report.digestedBytes, report.row,
            ]
        )
        try connection.run(
            """
            INSERT INTO digested_bodies (report, gzip, remarks) VALUES (?, ?, ?) ON CONFLICT (report)
            DO UPDATE SET gzip = excluded.gzip, remarks = excluded.remarks
            """,
            [report.row, digestion.gzip, digestion.remarks.json]
        )
        return DigestedIn(issue: issue, event: event, release: report.release)
    }

    /// Counts a report in its issue, in all tables, and says what that changed about the issue.
    static func enter(_ digestion: Digestion, _ report: DigestedFacts, on connection: any SQLConnection)
        throws(StoreError) -> (row: Int, issue: Issue, event: IssueEvent?)
    {
        var (row, issue, isNew) = try count(digestion, report, on: connection)
        var event: IssueEvent? = isNew ? .new : nil
        if let change = try reconsider(issue, row: row, report, on: connection) {
            (event, issue.status) = change
        }
        issue.hosts += try countDetails(
            ofIssue: row,
            report.counted,
            on: connection
        )
        return (row, issue, event)
    }

    func fail(_ report: ReportKey, reason: String) throws(StoreError) {
        try engine.write { connection throws(StoreError) in
            _ = try connection.run(
                "UPDATE reports SET \(Self.failed("?1")) WHERE project = ?2 AND id = ?3 AND digest = 0",
                [reason, report.project, report.id]
            )
        }
    }

    /// What becomes of a report that cannot be digested. One that was digested before keeps what came of that.
    private static func failed(_ reason: String) -> String {
        let wasDigested = "EXISTS (SELECT 1 FROM digested_bodies WHERE report = reports.row)"
        return """
            digest = CASE WHEN \(wasDigested) THEN 1 ELSE 2 END,
            failure = CASE WHEN \(wasDigested) THEN NULL ELSE \(reason) END
            """
    }

    func retryFailed(maximumAttempts: Int) throws(StoreError) {
        try engine.claim { connection, claimant throws(StoreError) in
            try connection.run(
                "UPDATE reports SET digest = 0, claimant = NULL WHERE digest = 2 AND digest <> 1 AND attempts < ?",
                [maximumAttempts]
            )
            _ = try connection.run(
                """
                UPDATE reports SET \(Self.failed("?2"))
                WHERE digest = 0 AND digest <> 1 AND attempts >= ?3 AND \(connection.dialect.isFree)
                """,
                [claimant, "the collector ended while digesting it, \(maximumAttempts) times", maximumAttempts]
            )
        }
    }

    func digestCounts(ofProject project: Int?) throws(StoreError) -> DigestCounts {
        try engine.read { connection throws(StoreError) in
            // The index of the undigested is used only by a query that repeats its condition.
            let counts = try connection.query(
                """
                SELECT digest, count(*) FROM reports
                WHERE digest IN (0, 2) AND digest <> 1 AND project = COALESCE(?, project) GROUP BY digest
                """,
                [project]
            ) { (state: $0.int(0), count: $0.int(1)) }
            func count(_ state: Int) -> Int { counts.first { $0.state == state }?.count ?? 0 }
            return DigestCounts(pending: count(0), failed: count(2))
        }
    }
}
