/// The tables, and how an older database is brought up to date.
enum SQLiteSchema {
    /// What `PRAGMA user_version` is after all migrations.
    static var current: Int { migrations.count }

    /// Each step goes from its index to the next version; a released step is never changed.
    static let migrations: [String] = [
        first, remarks, claimants, triage, retention, limits, cut, tags, occurrences, rules, joined, merged, counted,
    ]

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

    /// Tags of a report, as `ReportFilter.column`. Reports that were digested before have none to filter by.
    static let tags = "ALTER TABLE reports ADD COLUMN tags TEXT;"

    /// By which rules an issue's fingerprint was made; of those that were there before it is not known, and they count as older ones.
    /// From here on `digested_bodies` holds what a digestion adds to a report, and whole reports from before.
    static let rules = "ALTER TABLE issues ADD COLUMN rules INTEGER NOT NULL DEFAULT 0;"

    /// Numbers of issues that became part of others, and of which.
    private static let joined = """
        CREATE TABLE joined_issues (
            project INTEGER NOT NULL REFERENCES projects(id),
            number INTEGER NOT NULL,
            issue INTEGER NOT NULL REFERENCES issues(row),
            PRIMARY KEY (project, number)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX joined_issues_by_issue ON joined_issues (issue);
        """

    /// Fingerprints of issues that somebody merged into others, whose reports go there.
    private static let merged = """
        CREATE TABLE merged_fingerprints (
            project INTEGER NOT NULL REFERENCES projects(id),
            fingerprint TEXT NOT NULL,
            issue INTEGER NOT NULL REFERENCES issues(row),
            PRIMARY KEY (project, fingerprint)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX merged_fingerprints_by_issue ON merged_fingerprints (issue);
        """

    /// What people decide about issues (`decided` is when), and what is counted of them: by hour since 1970, and by host.
    private static let triage = """
        ALTER TABLE issues ADD COLUMN hosts INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE issues ADD COLUMN decided INTEGER;
        ALTER TABLE issues ADD COLUMN decided_release TEXT;
        ALTER TABLE issues ADD COLUMN muted_until INTEGER;
        ALTER TABLE issues ADD COLUMN muted_count INTEGER;
        CREATE TABLE issue_hours (
            issue INTEGER NOT NULL REFERENCES issues(row),
            hour INTEGER NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (issue, hour)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE issue_hosts (
            issue INTEGER NOT NULL REFERENCES issues(row),
            host TEXT NOT NULL,
            PRIMARY KEY (issue, host)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO issue_hours SELECT issue, time / 3600000000, count(*) FROM reports WHERE issue IS NOT NULL
            GROUP BY issue, time / 3600000000;
        INSERT INTO issue_hosts SELECT DISTINCT issue, host FROM reports WHERE issue IS NOT NULL AND host IS NOT NULL;
        UPDATE issues SET hosts = (SELECT count(*) FROM issue_hosts WHERE issue_hosts.issue = issues.row);
        """

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

    /// How many reports a project may send in a minute and in a day; NULL is without limit.
    private static let limits = """
        ALTER TABLE projects ADD COLUMN limit_minute INTEGER;
        ALTER TABLE projects ADD COLUMN limit_day INTEGER;
        """

    /// What a project keeps at most (microseconds, reports, bytes; NULL is without limit), what a report takes, and how many
    /// reports of an issue were removed.
    private static let retention = """
        ALTER TABLE projects ADD COLUMN keep_age INTEGER;
        ALTER TABLE projects ADD COLUMN keep_count INTEGER;
        ALTER TABLE projects ADD COLUMN keep_bytes INTEGER;
        ALTER TABLE issues ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE reports ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
        UPDATE reports SET bytes =
            coalesce((SELECT length(gzip) FROM received_bodies WHERE report = reports.row), 0)
            + coalesce((SELECT length(gzip) FROM digested_bodies WHERE report = reports.row), 0);
        CREATE INDEX reports_by_age ON reports (project, received, bytes);
        """

    /// How often the error of a report occurred. Of what was received before nothing is known, and it counts as once.
    private static let occurrences = "ALTER TABLE reports ADD COLUMN occurrences INTEGER NOT NULL DEFAULT 1;"

    /// Issues count occurrences; before they counted reports.
    static let counted = """
        UPDATE issues SET
            count = count + counts.more, muted_count = muted_count + counts.more
            FROM (
                SELECT issue, CAST(sum(occurrences - 1) AS BIGINT) AS more FROM reports
                WHERE issue IS NOT NULL AND occurrences > 1 GROUP BY issue
            ) AS counts WHERE counts.issue = issues.row;
        UPDATE issue_hours SET count = count + counts.more
            FROM (
                SELECT issue, time / 3600000000 AS hour, CAST(sum(occurrences - 1) AS BIGINT) AS more FROM reports
                WHERE issue IS NOT NULL AND occurrences > 1 GROUP BY issue, time / 3600000000
            ) AS counts WHERE counts.issue = issue_hours.issue AND counts.hour = issue_hours.hour;
        UPDATE issue_releases SET count = count + counts.more
            FROM (
                SELECT issue, release, CAST(sum(occurrences - 1) AS BIGINT) AS more FROM reports
                WHERE issue IS NOT NULL AND occurrences > 1 GROUP BY issue, release
            ) AS counts WHERE counts.issue = issue_releases.issue AND counts.release = issue_releases.release;
        """

    /// Whether a report has no end. Of what was received before nothing is known, and it counts as whole.
    private static let cut = "ALTER TABLE reports ADD COLUMN is_cut INTEGER NOT NULL DEFAULT 0;"
}
