/// The tables, and how an older database is brought up to date.
enum SQLiteSchema {
    /// What `PRAGMA user_version` is after all migrations.
    static var current: Int { migrations.count }

    /// Each step goes from its index to the next version; a released step is never changed.
    static let migrations: [String] = [first, remarks, claimants]

    /// Brings the database up to date, all or nothing.
    static func migrate(_ connection: SQLiteConnection, path: String, steps: [String] = migrations) throws(StoreError) {
        let found = try version(connection)
        guard found <= steps.count else { throw .version(path: path, found: found, known: steps.count) }
        guard found < steps.count else { return }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            for step in steps[found...] { try connection.execute(step) }
            try connection.execute("PRAGMA user_version = \(steps.count)")
            try connection.execute("COMMIT")
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
    }

    /// Sees that the database is exactly of this version.
    static func check(_ connection: SQLiteConnection, path: String) throws(StoreError) {
        let found = try version(connection)
        guard found == current else { throw .version(path: path, found: found, known: current) }
    }

    private static func version(_ connection: SQLiteConnection) throws(StoreError) -> Int {
        try connection.query("PRAGMA user_version") { $0.int(0) }.first ?? 0
    }

    /// What a person should know of a digestion, as `DigestRemarks.json`.
    private static let remarks = "ALTER TABLE digested_bodies ADD COLUMN remarks TEXT;"

    /// Who has a report in digestion. One process does that here, but the statements are those of PostgreSQL too.
    private static let claimants = "ALTER TABLE reports ADD COLUMN claimant INTEGER;"

    /// Reports are narrow so that lists are fast; their bytes lie apart, those with symbols apart from those received
    /// so that nothing large is ever rewritten. `digest`: 0 pending, 1 done, 2 failed. Times are microseconds.
    private static let first = """
        CREATE TABLE settings (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT;
        CREATE TABLE projects (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            key_hash BLOB NOT NULL,
            created INTEGER NOT NULL,
            last_issue INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE issues (
            row INTEGER PRIMARY KEY,
            project INTEGER NOT NULL REFERENCES projects(id),
            number INTEGER NOT NULL,
            fingerprint TEXT NOT NULL,
            kind TEXT NOT NULL,
            title TEXT NOT NULL,
            culprit TEXT,
            count INTEGER NOT NULL,
            first_seen INTEGER NOT NULL,
            last_seen INTEGER NOT NULL,
            status TEXT NOT NULL,
            UNIQUE (project, number),
            UNIQUE (project, fingerprint)
        ) STRICT;
        CREATE INDEX issues_by_time ON issues (last_seen);
        CREATE TABLE issue_releases (
            issue INTEGER NOT NULL REFERENCES issues(row),
            release TEXT NOT NULL,
            count INTEGER NOT NULL,
            first_seen INTEGER NOT NULL,
            last_seen INTEGER NOT NULL,
            PRIMARY KEY (issue, release)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE reports (
            row INTEGER PRIMARY KEY,
            project INTEGER NOT NULL REFERENCES projects(id),
            id TEXT NOT NULL,
            received INTEGER NOT NULL,
            kind TEXT NOT NULL,
            time INTEGER NOT NULL,
            service TEXT,
            release TEXT,
            environment TEXT,
            host TEXT,
            signal TEXT,
            digest INTEGER NOT NULL DEFAULT 0,
            attempts INTEGER NOT NULL DEFAULT 0,
            failure TEXT,
            issue INTEGER REFERENCES issues(row),
            title TEXT,
            culprit TEXT,
            UNIQUE (project, id)
        ) STRICT;
        CREATE INDEX reports_by_time ON reports (time);
        CREATE INDEX reports_by_issue ON reports (issue, time) WHERE issue IS NOT NULL;
        CREATE INDEX reports_undigested ON reports (digest, row) WHERE digest <> 1;
        CREATE TABLE received_bodies (report INTEGER PRIMARY KEY REFERENCES reports(row), gzip BLOB NOT NULL) STRICT;
        CREATE TABLE digested_bodies (report INTEGER PRIMARY KEY REFERENCES reports(row), gzip BLOB NOT NULL) STRICT;
        """
}
