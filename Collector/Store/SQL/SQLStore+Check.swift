import CrashReport

extension SQLStore {
    func check() throws(StoreError) -> [String] {
        let damage = try engine.damage()
        let broken = try engine.snapshot { connection throws(StoreError) in
            var broken: [String] = []
            for rule in rules {
                // At most some of each: a store that is damaged may have millions.
                let found = try connection.query("\(rule.violations) LIMIT 20") { ($0.int(0), $0.text(1)) }
                broken += found.map { "\(rule.subject) \($0.1) of project \($0.0) \(rule.fault)" }
            }
            return broken
        }
        return damage + broken
    }

    func bodies(after position: Int, limit: Int) throws(StoreError) -> [StoredBody] {
        try engine.read { connection throws(StoreError) in
            try connection.query(
                """
                SELECT row, project, id, received_bodies.gzip, digested_bodies.gzip, digested_bodies.remarks FROM reports
                JOIN received_bodies ON received_bodies.report = reports.row
                LEFT JOIN digested_bodies ON digested_bodies.report = reports.row
                WHERE row > ? ORDER BY row LIMIT ?
                """,
                [position, limit]
            ) {
                StoredBody(
                    position: $0.int(0),
                    key: ReportKey(project: $0.int(1), id: $0.text(2)),
                    body: ReportBody(
                        received: $0.blob(3),
                        digested: $0.optionalBlob(4),
                        remarks: $0.optionalText(5).map(DigestRemarks.init(json:)) ?? DigestRemarks()
                    )
                )
            }
        }
    }

    func backUp(into directory: DataDirectory, adding files: (String) throws(StoreError) -> Void) throws(StoreError) {
        try engine.backUp(into: directory, adding: files)
    }
}

/// What holds between the tables: a query for what breaks it, by project and name.
private struct Rule {
    var subject: String
    var fault: String
    var violations: String
}

/// Every transaction of the store keeps these.
private let rules = [
    Rule(
        subject: "report",
        fault: "has lost its bytes",
        violations: """
            SELECT project, id FROM reports
            WHERE NOT EXISTS (SELECT 1 FROM received_bodies WHERE report = reports.row)
            """
    ),
    Rule(
        subject: "report",
        fault: "is digested and has no issue, or no bytes with symbols",
        violations: """
            SELECT project, id FROM reports WHERE digest = 1
                AND (issue IS NULL OR NOT EXISTS (SELECT 1 FROM digested_bodies WHERE report = reports.row))
            """
    ),
    Rule(
        subject: "report",
        fault: "is in an issue and has no headline",
        violations: "SELECT project, id FROM reports WHERE issue IS NOT NULL AND title IS NULL"
    ),
    Rule(
        subject: "issue",
        fault: "counts other occurrences than its reports have and those that were removed had",
        violations: """
            SELECT project, CAST(number AS TEXT) FROM issues
            WHERE count <> removed
                + (SELECT CAST(coalesce(sum(occurrences), 0) AS BIGINT) FROM reports WHERE issue = issues.row)
            """
    ),
    Rule(
        subject: "issue",
        fault: "counts other occurrences than its hours",
        violations: """
            SELECT project, CAST(number AS TEXT) FROM issues WHERE count
                <> (SELECT CAST(coalesce(sum(count), 0) AS BIGINT) FROM issue_hours WHERE issue = issues.row)
            """
    ),
    Rule(
        subject: "issue",
        fault: "counts fewer occurrences than its releases",
        violations: """
            SELECT project, CAST(number AS TEXT) FROM issues WHERE count
                < (SELECT CAST(coalesce(sum(count), 0) AS BIGINT) FROM issue_releases WHERE issue = issues.row)
            """
    ),
    Rule(
        subject: "issue",
        fault: "counts other hosts than it has",
        violations: """
            SELECT project, CAST(number AS TEXT) FROM issues
            WHERE hosts <> (SELECT count(*) FROM issue_hosts WHERE issue = issues.row)
            """
    ),
]
