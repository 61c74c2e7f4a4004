import CrashReport

extension SQLStore {
    func setUp(project name: String, key: SecretHash, adminToken: SecretHash, at time: Timestamp)
        throws(StoreError) -> Project?
    {
        try engine.write { connection throws(StoreError) in
            try connection.lockStore()
            guard try connection.query("SELECT id FROM projects LIMIT 1", row: { $0.int(0) }).isEmpty else {
                return nil
            }
            try Self.set(connection, TokenKind.admin.setting, adminToken)
            return try Self.insert(connection, name, key, time)
        }
    }

    func projects() throws(StoreError) -> [Project] {
        try engine.read { connection throws(StoreError) in
            try connection.query("SELECT \(Self.projectColumns) FROM projects ORDER BY id", row: Self.project)
        }
    }

    func projectSummaries() throws(StoreError) -> [ProjectSummary] {
        try engine.read { connection throws(StoreError) in
            try connection.query(
                """
                SELECT id, name, (SELECT count(*) FROM reports WHERE project = projects.id),
                    (SELECT count(*) FROM issues WHERE project = projects.id AND count > 0),
                    (SELECT max(received) FROM reports WHERE project = projects.id),
                    keep_age, keep_count, keep_bytes, limit_minute, limit_day
                FROM projects ORDER BY id
                """
            ) {
                ProjectSummary(
                    id: $0.int(0),
                    name: $0.text(1),
                    reports: $0.int(2),
                    issues: $0.int(3),
                    lastReport: $0.optionalTime(4),
                    retention: Retention(
                        age: $0.optionalInt(5).map { Int64($0) },
                        count: $0.optionalInt(6),
                        bytes: $0.optionalInt(7)
                    ),
                    limits: IngestLimits(perMinute: $0.optionalInt(8), perDay: $0.optionalInt(9))
                )
            }
        }
    }

    func project(_ id: Int) throws(StoreError) -> Project? {
        try engine.read { connection throws(StoreError) in
            try connection.query("SELECT \(Self.projectColumns) FROM projects WHERE id = ?", [id], row: Self.project)
                .first
        }
    }

    func addProject(name: String, key: SecretHash, at time: Timestamp) throws(StoreError) -> Project? {
        try engine.write { connection throws(StoreError) in
            try Self.insert(connection, name, key, time)
        }
    }

    func replaceKey(ofProject id: Int, with key: SecretHash) throws(StoreError) -> Bool {
        try engine.write { connection throws(StoreError) in
            try connection.run("UPDATE projects SET key_hash = ? WHERE id = ?", [key, id]) == 1
        }
    }

    func setLimits(_ limits: IngestLimits, ofProject id: Int) throws(StoreError) -> Bool {
        try engine.write { connection throws(StoreError) in
            try connection.run(
                "UPDATE projects SET limit_minute = ?, limit_day = ? WHERE id = ?",
                [limits.perMinute, limits.perDay, id]
            ) == 1
        }
    }

    func tokens() throws(StoreError) -> [TokenKind: SecretHash] {
        let found = try engine.read { connection throws(StoreError) in
            try connection.query("SELECT name, value FROM settings WHERE name LIKE '%token%'") {
                (name: $0.text(0), hash: SecretHash(bytes: $0.blob(1)))
            }
        }
        return Dictionary(found.compactMap { row in TokenKind(setting: row.name).map { ($0, row.hash) } }) { $1 }
    }

    func replaceToken(_ kind: TokenKind, with token: SecretHash) throws(StoreError) -> Bool {
        try engine.write { connection throws(StoreError) in
            // Under the lock of its row: the project may be removed meanwhile.
            if case .reader(let project?) = kind,
                try connection.run("UPDATE projects SET name = name WHERE id = ?", [project]) == 0
            {
                return false
            }
            try Self.set(connection, kind.setting, token)
            return true
        }
    }

    func publicURL() throws(StoreError) -> String? {
        try engine.read { connection throws(StoreError) in
            try connection.query("SELECT value FROM settings WHERE name = 'public_url'") { $0.text(0) }.first
        }
    }

    func setPublicURL(_ url: String) throws(StoreError) {
        try engine.write { connection throws(StoreError) in try Self.set(connection, "public_url", Array(url.utf8)) }
    }

    func testWrite() throws(StoreError) {
        let name = "write_test"
        // PostgreSQL compresses what can be: of zeros nothing would come to the disk.
        let bytes = (0..<1 << 16).map { _ in UInt8.random(in: .min ... .max) }
        // In two transactions: what one both writes and removes need not come to the disk.
        try engine.write { connection throws(StoreError) in try Self.set(connection, name, bytes) }
        try engine.write { connection throws(StoreError) in
            _ = try connection.run("DELETE FROM settings WHERE name = ?", [name])
        }
    }

    static func set(_ connection: any SQLConnection, _ name: String, _ value: any SQLBindable)
        throws(StoreError)
    {
        try connection.run(
            "INSERT INTO settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [name, value]
        )
    }

    /// Adds a project; nil when the name is taken.
    private static func insert(_ connection: any SQLConnection, _ name: String, _ key: SecretHash, _ time: Timestamp)
        throws(StoreError) -> Project?
    {
        try connection.query(
            """
            INSERT INTO projects (name, key_hash, created) VALUES (?, ?, ?)
            ON CONFLICT (name) DO NOTHING RETURNING \(projectColumns)
            """,
            [name, key, time],
            row: project
        ).first
    }

    /// What `project` reads.
    private static var projectColumns: String { "id, name, key_hash, limit_minute, limit_day" }

    private static func project(_ row: SQLRow) -> Project {
        Project(
            id: row.int(0),
            name: row.text(1),
            key: SecretHash(bytes: row.blob(2)),
            limits: IngestLimits(perMinute: row.optionalInt(3), perDay: row.optionalInt(4))
        )
    }
}
