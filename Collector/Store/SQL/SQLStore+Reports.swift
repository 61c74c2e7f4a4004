import CrashReport

extension SQLStore {
    func add(_ report: NewReport) throws(StoreError) -> Addition {
        try engine.write { connection throws(StoreError) in
            // Here, so that a key that was replaced keeps nothing from that moment on, whoever knew it before.
            if let credential = report.credential {
                let holders = try connection.query(
                    "SELECT id FROM projects WHERE id = ? AND key_hash = ?",
                    [report.key.project, credential],
                    row: { $0.int(0) }
                )
                guard !holders.isEmpty else { return .unauthorized }
            }
            let facts = report.facts
            let row = try connection.query(
                """
                INSERT INTO reports
                    (project, id, received, kind, time, service, release, environment, host, signal, bytes, is_cut,
                    occurrences)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project, id) DO NOTHING RETURNING row
                """,
                [
                    report.key.project, report.key.id, report.received, facts.kind, facts.time, facts.service,
                    facts.release, facts.environment, facts.host, facts.signal, report.gzip.count,
                    facts.isCutShort ? 1 : 0, facts.occurrences,
                ],
                row: { $0.int(0) }
            ).first
            guard let row else { return try Self.complete(report, on: connection) ? .stored : .duplicate }
            try connection.run("INSERT INTO received_bodies VALUES (?, ?)", [row, report.gzip])
            return .stored
        }
    }

    /// Puts a whole report in the place of one that was cut short; false when there is no such.
    private static func complete(_ report: NewReport, on connection: any SQLConnection) throws(StoreError) -> Bool {
        guard !report.facts.isCutShort else { return false }
        let cut = try connection.query(
            """
            SELECT row, issue, \(Counted.columns) FROM reports
            WHERE project = ? AND id = ? AND is_cut <> 0 \(connection.dialect.forUpdate)
            """,
            [report.key.project, report.key.id],
            row: { (row: $0.int(0), issue: $0.optionalInt(1), counted: Counted($0, from: 2)) }
        ).first
        guard let cut else { return false }
        let facts = report.facts
        try connection.run(
            """
            UPDATE reports SET received = ?, kind = ?, time = ?, service = ?, release = ?, environment = ?, host = ?,
                signal = ?, bytes = ?, occurrences = ?, is_cut = 0, digest = 0, attempts = 0, claimant = NULL, failure = NULL
            WHERE row = ?
            """,
            [
                report.received, facts.kind, facts.time, facts.service, facts.release, facts.environment, facts.host,
                facts.signal, report.gzip.count, facts.occurrences, cut.row,
            ]
        )
        try connection.run("UPDATE received_bodies SET gzip = ? WHERE report = ?", [report.gzip, cut.row])
        try connection.run("DELETE FROM digested_bodies WHERE report = ?", [cut.row])
        if let issue = cut.issue {
            try uncount(issue, cut.counted, on: connection)
            try recount(facts.counted, inIssue: issue, on: connection)
        }
        return true
    }

    func reports(_ selection: ReportSelection) throws(StoreError) -> [StoredReport] {
        var conditions = NumberedConditions([selection.limit, selection.offset])
        conditions.add("reports.project = #", selection.project)
        conditions.add("issues.project = #", selection.issue?.project)
        conditions.add("issues.number = #", selection.issue?.number)
        if let prefix = selection.idPrefix {
            // Ids are of hex digits and dashes, which all sort before "~".
            conditions.add("reports.id >= #", prefix)
            conditions.add("reports.id < #", prefix + "~")
        }
        selection.filter.addReportConditions(to: &conditions)
        let sql = """
            SELECT \(Self.reportColumns)
            FROM reports LEFT JOIN issues ON issues.row = reports.issue \(conditions.sql)
            ORDER BY time DESC, reports.row DESC LIMIT ?1 OFFSET ?2
            """
        let values = conditions.values
        return try engine.read { connection throws(StoreError) in try connection.query(sql, values, row: Self.report) }
    }

    /// What `report` reads. A report that is digested again is what it was, until that is done.
    static var reportColumns: String {
        """
        reports.project, reports.id, received, reports.kind, time, service, release, environment, host, signal,
        CASE WHEN digest = 0 AND EXISTS (SELECT 1 FROM digested_bodies WHERE report = reports.row) THEN 1 ELSE digest END,
        failure, issues.number, reports.title, reports.culprit, is_cut, occurrences, reports.tags
        """
    }

    func body(of report: ReportKey) throws(StoreError) -> ReportBody? {
        try engine.read { connection throws(StoreError) in
            try connection.query(
                """
                SELECT received_bodies.gzip, digested_bodies.gzip, digested_bodies.remarks FROM reports
                JOIN received_bodies ON received_bodies.report = reports.row
                LEFT JOIN digested_bodies ON digested_bodies.report = reports.row
                WHERE reports.project = ? AND reports.id = ?
                """,
                [report.project, report.id],
                row: {
                    ReportBody(
                        received: $0.blob(0),
                        digested: $0.optionalBlob(1),
                        remarks: $0.optionalText(2).map(DigestRemarks.init(json:)) ?? DigestRemarks()
                    )
                }
            ).first
        }
    }

    static func report(_ row: SQLRow) -> StoredReport {
        let state: DigestState =
            switch row.int(10) {
            case 0: .pending
            case 1: .done
            default: .failed(reason: row.text(11))
            }
        return StoredReport(
            key: ReportKey(project: row.int(0), id: row.text(1)),
            received: row.time(2),
            facts: ReportFacts(
                kind: row.text(3),
                time: row.time(4),
                service: row.optionalText(5),
                release: row.optionalText(6),
                environment: row.optionalText(7),
                host: row.optionalText(8),
                signal: row.optionalText(9),
                isCutShort: row.int(15) != 0,
                occurrences: row.int(16)
            ),
            state: state,
            issue: row.optionalInt(12).map { IssueKey(project: row.int(0), number: $0) },
            title: row.optionalText(13),
            culprit: row.optionalText(14),
            tags: row.optionalText(17).map(ReportFilter.tags) ?? [:]
        )
    }
}
