import CrashReport

/// Reports that are digested once more. Each stays in its issue until it is known which is its own now.
extension SQLStore {
    func digestAgain(_ reports: [ReportKey]) throws(StoreError) -> Int {
        try engine.write { connection throws(StoreError) in
            var count = 0
            for key in reports {
                count += try connection.run(
                    """
                    UPDATE reports SET digest = 0, attempts = 0, claimant = NULL
                    WHERE project = ? AND id = ? AND digest = 1
                    """,
                    [key.project, key.id]
                )
            }
            return count
        }
    }

    /// Finds the issue of a report that is in one already. It stays there when that is its own, or becomes that since nothing else is
    /// settled in it; else it goes to another, and takes along what is left of an issue without reports.
    static func moveOn(
        _ digestion: Digestion,
        _ report: DigestedFacts,
        from former: Int,
        on connection: any SQLConnection
    ) throws(StoreError) -> (row: Int, issue: Issue, event: IssueEvent?) {
        // Whoever makes an issue meanwhile, or moves one, has the project's row. Each lock is a statement of its own: what comes after
        // it sees what was written before.
        try connection.run("UPDATE projects SET last_issue = last_issue WHERE id = ?", [digestion.key.project])
        var digestion = digestion
        let merged = try mergedKey(of: digestion.fingerprint, project: digestion.key.project, on: connection)
        if let merged { digestion.fingerprint = merged }
        guard let before = try issues("row = ?", [former], on: connection).first else {
            throw .failed(reason: "the issue of a report is not there")
        }
        if before.fingerprint != digestion.fingerprint, try !mayBecome(digestion, former, connection) {
            return try move(digestion, report, from: before, on: connection)
        }
        let stayed = try connection.query(
            """
            UPDATE issues SET fingerprint = ?2, rules = ?3,
                title = CASE WHEN ?4 >= last_seen THEN ?5 ELSE title END,
                culprit = CASE WHEN ?4 >= last_seen THEN ?6 ELSE culprit END
            WHERE row = ?1 RETURNING \(issueColumns(at: "0"))
            """,
            [former, digestion.fingerprint, digestion.rules, report.time, digestion.title, digestion.culprit]
        ) { issue($0, from: 0) }
        guard let issue = stayed.first else { throw .failed(reason: "the issue of a report is not there") }
        return (former, issue, nil)
    }

    /// True when all reports of an issue are to be digested again, and none has the key that one of them has now.
    private static func mayBecome(_ digestion: Digestion, _ issue: Int, _ connection: any SQLConnection)
        throws(StoreError) -> Bool
    {
        try connection.query(
            """
            SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM reports WHERE issue = ?1 AND digest <> 0)
                AND NOT EXISTS (SELECT 1 FROM issues WHERE project = ?2 AND fingerprint = ?3)
            """,
            [issue, digestion.key.project, digestion.fingerprint]
        ) { $0.int(0) } == [1]
    }

    private static func move(
        _ digestion: Digestion,
        _ report: DigestedFacts,
        from former: RegroupableIssue,
        on connection: any SQLConnection
    ) throws(StoreError) -> (row: Int, issue: Issue, event: IssueEvent?) {
        try connection.run("UPDATE reports SET issue = NULL WHERE row = ?", [report.row])
        try uncount(former.row, report.counted, on: connection)
        // A mute until so many further reports is not over by one that was there.
        try connection.run(
            """
            UPDATE issues SET muted_count = muted_count + ? WHERE project = ? AND fingerprint = ? AND decided >= ?
            """,
            [report.occurrences, digestion.key.project, digestion.fingerprint, report.received]
        )
        var (row, _, event) = try enter(digestion, report, on: connection)
        if event == .new, try inherit(former, row, connection) { event = nil }
        let isLeft = try connection.query("SELECT 1 FROM reports WHERE issue = ? LIMIT 1", [former.row]) { $0.int(0) }
        if isLeft.isEmpty {
            try join(former.row, to: row, on: connection)
        } else {
            try retell(former.row, connection)
        }
        let issues = try connection.query("SELECT \(issueColumns(at: "0")) FROM issues WHERE row = ?", [row]) {
            issue($0, from: 0)
        }
        guard let issue = issues.first else { throw .failed(reason: "an issue that was written is not there") }
        return (row, issue, event)
    }

    /// What was resolved or muted stays so in each of its parts; false where somebody should hear of a part of its own.
    private static func inherit(_ former: RegroupableIssue, _ row: Int, _ connection: any SQLConnection)
        throws(StoreError) -> Bool
    {
        let decision = former.decision
        guard ["resolved", "muted"].contains(decision.status) else { return false }
        try connection.run(
            """
            UPDATE issues SET status = ?, decided = ?, decided_release = ?, muted_until = ?, muted_count = count + ?
            WHERE row = ?
            """,
            [
                decision.status, decision.time, decision.release, decision.mutedUntil,
                decision.mutedCount.map { max($0 - former.count, 0) }, row,
            ]
        )
        return true
    }

    /// Counts with an issue what was counted of reports that retention removed from another, which has none left and goes.
    private static func join(_ gone: Int, to kept: Int, on connection: any SQLConnection) throws(StoreError) {
        let (least, greatest) = (connection.dialect.least, connection.dialect.greatest)
        try connection.run(
            """
            UPDATE issues SET count = issues.count + gone.count, removed = issues.removed + gone.removed,
                first_seen = \(least)(issues.first_seen, gone.first_seen),
                last_seen = \(greatest)(issues.last_seen, gone.last_seen)
            FROM issues AS gone WHERE issues.row = ? AND gone.row = ? AND gone.count > 0
            """,
            [kept, gone]
        )
        try move(from: gone, to: kept, on: connection)
        try connection.run(
            "UPDATE issues SET hosts = (SELECT count(*) FROM issue_hosts WHERE issue = issues.row) WHERE row = ?",
            [kept]
        )
    }

    /// Counts a report in its issue as what it is now, after `uncount` of what it was.
    static func recount(_ counted: Counted, inIssue issue: Int, on connection: any SQLConnection) throws(StoreError) {
        let (least, greatest) = (connection.dialect.least, connection.dialect.greatest)
        try connection.run(
            """
            UPDATE issues SET count = count + ?3, muted_count = muted_count + ?3,
                first_seen = \(least)(first_seen, ?2), last_seen = \(greatest)(last_seen, ?2)
            WHERE row = ?1
            """,
            [issue, counted.time, counted.occurrences]
        )
        _ = try countDetails(ofIssue: issue, counted, on: connection)
    }

    /// Takes a report out of what its issue counts, once it is not the issue's any more.
    static func uncount(_ issue: Int, _ counted: Counted, on connection: any SQLConnection) throws(StoreError) {
        let count = counted.occurrences
        try connection.run(
            "UPDATE issues SET count = count - ?2, muted_count = muted_count - ?2 WHERE row = ?1",
            [issue, count]
        )
        for (table, key, value) in counted.tables {
            try connection.run(
                "UPDATE \(table) SET count = count - ? WHERE issue = ? AND \(key) = ?",
                [count, issue, value]
            )
            try connection.run("DELETE FROM \(table) WHERE issue = ? AND \(key) = ? AND count < 1", [issue, value])
        }
        guard let host = counted.host else { return }
        let gone = try connection.run(
            """
            DELETE FROM issue_hosts WHERE issue = ?1 AND host = ?2
                AND NOT EXISTS (SELECT 1 FROM reports WHERE issue = ?1 AND host = ?2)
            """,
            [issue, host]
        )
        if gone > 0 { try connection.run("UPDATE issues SET hosts = hosts - 1 WHERE row = ?", [issue]) }
    }
}
