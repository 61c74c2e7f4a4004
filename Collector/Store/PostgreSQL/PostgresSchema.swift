/// The tables in PostgreSQL, and how an older database is brought up to date. They lie in the first schema of the
/// connection's search path.
enum PostgresSchema {
    /// What `mayday_schema` says after all migrations.
    static var current: Int { migrations.count }

    /// Each step goes from its index to the next version; a released step is never changed.
    static let migrations: [String] = [
        first, triage, retention, limits, cut, SQLiteSchema.tags, occurrences, rules, joined, merged,
        SQLiteSchema.counted,
    ]

    /// Brings the database up to date, all or nothing, in the transaction of the caller. Nodes that start at the same time
    /// wait for each other.
    static func migrate(_ connection: any SQLConnection, _ address: PostgresAddress, steps: [String] = migrations)
        throws(StoreError)
    {
        try connection.lockStore()
        try connection.execute("CREATE TABLE IF NOT EXISTS mayday_schema (version BIGINT NOT NULL)")
        let found = try version(connection) ?? 0
        guard found <= steps.count else { throw .version(path: "\(address)", found: found, known: steps.count) }
        for step in steps[found...] { try connection.execute(step) }
        try connection.execute("DELETE FROM mayday_schema")
        try connection.run("INSERT INTO mayday_schema VALUES (?)", [steps.count])
    }

    /// Sees that the database is exactly of this version.
    static func check(_ connection: any SQLConnection, _ address: PostgresAddress) throws(StoreError) {
        let isThere = try connection.query("SELECT to_regclass('mayday_schema') IS NOT NULL") { $0.int(0) } == [1]
        let found = isThere ? try version(connection) : nil
        guard let found else { throw .empty(database: "\(address)") }
        guard found == current else { throw .version(path: "\(address)", found: found, known: current) }
    }

    private static func version(_ connection: any SQLConnection) throws(StoreError) -> Int? {
        try connection.query("SELECT version FROM mayday_schema") { $0.int(0) }.first
    }

    /// As in SQLite (there is said why), but that ids sort by their bytes whatever the database's language, and for the
    /// nodes that claim reports: the number of each is locked as long as it lives.
    private static let first = """
        CREATE TABLE settings (name TEXT PRIMARY KEY, value BYTEA NOT NULL);
        CREATE TABLE projects (
            id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            key_hash BYTEA NOT NULL,
            created BIGINT NOT NULL,
            last_issue BIGINT NOT NULL DEFAULT 0
        );
        CREATE TABLE issues (
            row BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            project BIGINT NOT NULL REFERENCES projects(id),
            number BIGINT NOT NULL,
            fingerprint TEXT COLLATE "C" NOT NULL,
            kind TEXT NOT NULL,
            title TEXT NOT NULL,
            culprit TEXT,
            count BIGINT NOT NULL,
            first_seen BIGINT NOT NULL,
            last_seen BIGINT NOT NULL,
            status TEXT NOT NULL,
            UNIQUE (project, number),
            UNIQUE (project, fingerprint)
        );
        CREATE INDEX issues_by_time ON issues (last_seen);
        CREATE TABLE issue_releases (
            issue BIGINT NOT NULL REFERENCES issues(row),
            release TEXT COLLATE "C" NOT NULL,
            count BIGINT NOT NULL,
            first_seen BIGINT NOT NULL,
            last_seen BIGINT NOT NULL,
            PRIMARY KEY (issue, release)
        );
        CREATE TABLE reports (
            row BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            project BIGINT NOT NULL REFERENCES projects(id),
            id TEXT COLLATE "C" NOT NULL,
            received BIGINT NOT NULL,
            kind TEXT NOT NULL,
            time BIGINT NOT NULL,
            service TEXT,
            release TEXT,
            environment TEXT,
            host TEXT,
            signal TEXT,
            digest BIGINT NOT NULL DEFAULT 0,
            attempts BIGINT NOT NULL DEFAULT 0,
            failure TEXT,
            issue BIGINT REFERENCES issues(row),
            title TEXT,
            culprit TEXT,
            claimant BIGINT,
            UNIQUE (project, id)
        );
        CREATE INDEX reports_by_time ON reports (time);
        CREATE INDEX reports_by_issue ON reports (issue, time) WHERE issue IS NOT NULL;
        CREATE INDEX reports_undigested ON reports (digest, row) WHERE digest <> 1;
        CREATE TABLE received_bodies (report BIGINT PRIMARY KEY REFERENCES reports(row), gzip BYTEA NOT NULL);
        CREATE TABLE digested_bodies (
            report BIGINT PRIMARY KEY REFERENCES reports(row),
            gzip BYTEA NOT NULL,
            remarks TEXT
        );
        -- The files are compressed already.
        ALTER TABLE received_bodies ALTER COLUMN gzip SET STORAGE EXTERNAL;
        ALTER TABLE digested_bodies ALTER COLUMN gzip SET STORAGE EXTERNAL;
        CREATE VIEW present_claimants AS
            SELECT CAST(objid AS BIGINT) AS claimant FROM pg_locks
            WHERE locktype = 'advisory' AND objsubid = 2 AND classid = 'reports'::regclass::oid
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
        """

    /// What people decide about issues (`decided` is when), and what is counted of them: by hour since 1970, and by host.
    private static let triage = """
        ALTER TABLE issues ADD COLUMN hosts BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE issues ADD COLUMN decided BIGINT;
        ALTER TABLE issues ADD COLUMN decided_release TEXT;
        ALTER TABLE issues ADD COLUMN muted_until BIGINT;
        ALTER TABLE issues ADD COLUMN muted_count BIGINT;
        CREATE TABLE issue_hours (
            issue BIGINT NOT NULL REFERENCES issues(row),
            hour BIGINT NOT NULL,
            count BIGINT NOT NULL,
            PRIMARY KEY (issue, hour)
        );
        CREATE TABLE issue_hosts (
            issue BIGINT NOT NULL REFERENCES issues(row),
            host TEXT NOT NULL,
            PRIMARY KEY (issue, host)
        );
        INSERT INTO issue_hours SELECT issue, time / 3600000000, count(*) FROM reports WHERE issue IS NOT NULL
            GROUP BY issue, time / 3600000000;
        INSERT INTO issue_hosts SELECT DISTINCT issue, host FROM reports WHERE issue IS NOT NULL AND host IS NOT NULL;
        UPDATE issues SET hosts = (SELECT count(*) FROM issue_hosts WHERE issue_hosts.issue = issues.row);
        """

    /// As in SQLite.
    static let rules = "ALTER TABLE issues ADD COLUMN rules BIGINT NOT NULL DEFAULT 0;"

    /// How many reports a project may send in a minute and in a day; NULL is without limit.
    private static let limits = """
        ALTER TABLE projects ADD COLUMN limit_minute BIGINT;
        ALTER TABLE projects ADD COLUMN limit_day BIGINT;
        """

    /// What a project keeps at most (microseconds, reports, bytes; NULL is without limit), what a report takes, and how many
    /// reports of an issue were removed.
    private static let retention = """
        ALTER TABLE projects ADD COLUMN keep_age BIGINT;
        ALTER TABLE projects ADD COLUMN keep_count BIGINT;
        ALTER TABLE projects ADD COLUMN keep_bytes BIGINT;
        ALTER TABLE issues ADD COLUMN removed BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE reports ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0;
        UPDATE reports SET bytes =
            coalesce((SELECT length(gzip) FROM received_bodies WHERE report = reports.row), 0)
            + coalesce((SELECT length(gzip) FROM digested_bodies WHERE report = reports.row), 0);
        CREATE INDEX reports_by_age ON reports (project, received, bytes);
        """

    /// Whether a report has no end. Of what was received before nothing is known, and it counts as whole.
    private static let cut = "ALTER TABLE reports ADD COLUMN is_cut BIGINT NOT NULL DEFAULT 0;"

    /// As in SQLite.
    private static let joined = """
        CREATE TABLE joined_issues (
            project BIGINT NOT NULL REFERENCES projects(id),
            number BIGINT NOT NULL,
            issue BIGINT NOT NULL REFERENCES issues(row),
            PRIMARY KEY (project, number)
        );
        CREATE INDEX joined_issues_by_issue ON joined_issues (issue);
        """

    /// As in SQLite.
    private static let merged = """
        CREATE TABLE merged_fingerprints (
            project BIGINT NOT NULL REFERENCES projects(id),
            fingerprint TEXT COLLATE "C" NOT NULL,
            issue BIGINT NOT NULL REFERENCES issues(row),
            PRIMARY KEY (project, fingerprint)
        );
        CREATE INDEX merged_fingerprints_by_issue ON merged_fingerprints (issue);
        """

    /// As in SQLite.
    private static let occurrences = "ALTER TABLE reports ADD COLUMN occurrences BIGINT NOT NULL DEFAULT 1;"
}
