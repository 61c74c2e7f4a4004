import CrashReport

extension SQLStore {
    func delete(_ reports: [ReportKey]) throws(StoreError) -> Int {
        try engine.write { connection throws(StoreError) in
            var count = 0
            for key in reports {
                if try Self.delete(key, connection) { count += 1 }
            }
            return count
        }
    }

    func removeProject(_ id: Int) throws(StoreError) -> Bool {
        try engine.write { connection throws(StoreError) in
            // Issues whose reports were all digested again, into others.
            let empty = "SELECT row FROM issues WHERE project = ? AND count < 1"
            for table in Self.issueTables {
                try connection.run("DELETE FROM \(table) WHERE issue IN (\(empty))", [id])
            }
            try connection.run("DELETE FROM issues WHERE project = ? AND count < 1", [id])
            guard try connection.run("DELETE FROM projects WHERE id = ?", [id]) == 1 else { return false }
            try connection.run("DELETE FROM settings WHERE name = ?", [TokenKind.reader(project: id).setting])
            return true
        }
    }

    /// What is counted of an issue, beside it.
    private static var issueTables: [String] {
        ["issue_hours", "issue_releases", "issue_hosts", "joined_issues", "merged_fingerprints"]
    }

    private static func delete(_ key: ReportKey, _ connection: any SQLConnection) throws(StoreError) -> Bool {
        let found = try connection.query(
            """
            SELECT row, issue, \(Counted.columns) FROM reports WHERE project = ? AND id = ?
            \(connection.dialect.forUpdate)
            """,
            [key.project, key.id]
        ) { (row: $0.int(0), issue: $0.optionalInt(1), counted: Counted($0, from: 2)) }
        guard let report = found.first else { return false }
        try connection.run("DELETE FROM digested_bodies WHERE report = ?", [report.row])
        try connection.run("DELETE FROM received_bodies WHERE report = ?", [report.row])
        try connection.run("DELETE FROM reports WHERE row = ?", [report.row])
        guard let issue = report.issue else { return true }
        try uncount(issue, report.counted, on: connection)
        try retell(issue, connection)
        return true
    }

    /// Has an issue that lost a report say what the newest says that it has still. Without any it goes.
    static func retell(_ issue: Int, _ connection: any SQLConnection) throws(StoreError) {
        let newest = try connection.query(
            "SELECT time, title, culprit FROM reports WHERE issue = ? ORDER BY time DESC, row DESC LIMIT 1",
            [issue]
        ) { (time: $0.time(0), title: $0.text(1), culprit: $0.optionalText(2)) }.first
        guard let newest else {
            for table in issueTables { try connection.run("DELETE FROM \(table) WHERE issue = ?", [issue]) }
            try connection.run("DELETE FROM issues WHERE row = ?", [issue])
            return
        }
        // Before those that retention removed there may have been an earlier first.
        try connection.run(
            """
            UPDATE issues SET title = ?2, culprit = ?3, last_seen = ?4, first_seen = CASE WHEN removed > 0 THEN first_seen
                ELSE (SELECT min(time) FROM reports WHERE issue = ?1) END
            WHERE row = ?1
            """,
            [issue, newest.title, newest.culprit, newest.time]
        )
    }
}
