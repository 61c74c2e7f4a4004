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
            SELECT row, kind, time, received, release, host FROM reports
            WHERE project = ? AND id = ? AND digest <> 1 AND bytes = COALESCE(?, bytes) \(connection.dialect.forUpdate)
            """,
            [digestion.key.project, digestion.key.id, digestion.receivedBytes]
        ) {
            DigestedFacts(
                row: $0.int(0),
                kind: $0.text(1),
                time: $0.time(2),
                received: $0.time(3),
                release: $0.optionalText(4),
                host: $0.optionalText(5)
            )
        }.first
        guard let report else { return nil }
        var (row, issue, isNew) = try Self.count(digestion, report, on: connection)
        var event: IssueEvent? = isNew ? .new : nil
        if let change = try Self.reconsider(issue, row: row, report, on: connection) {
            (event, issue.status) = change
        }
        let newHosts = try Self.countDetails(report, ofIssue: row, on: connection)
        if newHosts > 0 {
            try connection.run("UPDATE issues SET hosts = hosts + 1 WHERE row = ?", [row])
            issue.hosts += newHosts
        }
        try connection.run(
            """
            UPDATE reports SET digest = 1, failure = NULL, issue = ?, title = ?, culprit = ?, tags = ?,
                bytes = bytes + ?
            WHERE row = ?
            """,
            [
                row, digestion.title, digestion.culprit, ReportFilter.column(digestion.tags), digestion.gzip.count,
                report.row,
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

    func digestAgain(_ reports: [ReportKey]) throws(StoreError) -> Int {
        try engine.write { connection throws(StoreError) in
            var count = 0
            for key in reports {
                if try Self.undigest(key, on: connection) { count += 1 }
            }
            return count
        }
    }

    /// Takes a report out of its issue, to be digested again; false when it is in none.
    static func undigest(_ key: ReportKey, on connection: any SQLConnection) throws(StoreError) -> Bool {
        let found = try connection.query(
            """
            SELECT row, issue, time, release, host FROM reports WHERE project = ? AND id = ? AND digest = 1
            \(connection.dialect.forUpdate)
            """,
            [key.project, key.id]
        ) {
            (row: $0.int(0), issue: $0.int(1), time: $0.time(2), release: $0.optionalText(3), host: $0.optionalText(4))
        }
        guard let report = found.first else { return false }
        let bytes = try connection.query("SELECT length(gzip) FROM digested_bodies WHERE report = ?", [report.row]) {
            $0.int(0)
        }
        try connection.run("DELETE FROM digested_bodies WHERE report = ?", [report.row])
        try connection.run(
            """
            UPDATE reports SET digest = 0, attempts = 0, claimant = NULL, issue = NULL, title = NULL, culprit = NULL,
                bytes = bytes - ?
            WHERE row = ?
            """,
            [bytes.first ?? 0, report.row]
        )
        try uncount(report.issue, time: report.time, release: report.release, host: report.host, on: connection)
        return true
    }

    /// Takes a report out of what its issue counts, once it is not the issue's any more.
    static func uncount(
        _ issue: Int,
        time: Timestamp,
        release: String?,
        host: String?,
        on connection: any SQLConnection
    ) throws(StoreError) {
        try connection.run("UPDATE issues SET count = count - 1 WHERE row = ?", [issue])
        let hour = Int(time.microseconds / HourCount.length)
        try connection.run("UPDATE issue_hours SET count = count - 1 WHERE issue = ? AND hour = ?", [issue, hour])
        try connection.run("DELETE FROM issue_hours WHERE issue = ? AND hour = ? AND count < 1", [issue, hour])
        if let release {
            let values: [any SQLBindable] = [issue, release]
            try connection.run("UPDATE issue_releases SET count = count - 1 WHERE issue = ? AND release = ?", values)
            try connection.run("DELETE FROM issue_releases WHERE issue = ? AND release = ? AND count < 1", values)
        }
        guard let host else { return }
        let gone = try connection.run(
            """
            DELETE FROM issue_hosts WHERE issue = ?1 AND host = ?2
                AND NOT EXISTS (SELECT 1 FROM reports WHERE issue = ?1 AND host = ?2)
            """,
            [issue, host]
        )
        if gone > 0 { try connection.run("UPDATE issues SET hosts = hosts - 1 WHERE row = ?", [issue]) }
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
