import CrashReport

extension SQLStore {
    func retention(ofProject id: Int) throws(StoreError) -> Retention? {
        try engine.read { connection throws(StoreError) in try Self.retention(ofProject: id, connection) }
    }

    func setRetention(_ retention: Retention, ofProject id: Int) throws(StoreError) -> Bool {
        try engine.write { connection throws(StoreError) in
            try connection.run(
                "UPDATE projects SET keep_age = ?, keep_count = ?, keep_bytes = ? WHERE id = ?",
                [retention.age.map { Int($0) }, retention.count, retention.bytes, id]
            ) == 1
        }
    }

    func prune(project id: Int, at time: Timestamp, limit: Int) throws(StoreError) -> Int {
        try engine.write { connection throws(StoreError) in
            guard let keep = try Self.retention(ofProject: id, connection), !keep.isUnlimited else { return 0 }
            let beyond = try Self.beyond(keep, ofProject: id, at: time, limit: limit, connection)
            for report in beyond {
                try Self.remove(report.row, connection)
                if let issue = report.issue {
                    let values = [report.occurrences, issue]
                    try connection.run("UPDATE issues SET removed = removed + ? WHERE row = ?", values)
                }
            }
            return beyond.count
        }
    }

    func countBeyond(
        _ keep: Retention,
        ofProject id: Int,
        at time: Timestamp,
        upTo limit: Int
    ) throws(StoreError) -> Int {
        try engine.read { connection throws(StoreError) in
            guard !keep.isUnlimited else { return 0 }
            return try Self.beyond(keep, ofProject: id, at: time, limit: limit, isLooking: true, connection).count
        }
    }

    /// A report that may go.
    private struct Removable {
        var row: Int
        var received: Timestamp
        var bytes: Int
        var issue: Int?
        var occurrences: Int
    }

    /// The oldest reports that are beyond what is kept.
    private static func beyond(
        _ keep: Retention,
        ofProject id: Int,
        at time: Timestamp,
        limit: Int,
        isLooking: Bool = false,
        _ connection: any SQLConnection
    ) throws(StoreError) -> [Removable] {
        // Summed up only where it matters: it reads an entry for each report.
        var (count, bytes) = (0, 0)
        if keep.count != nil || keep.bytes != nil {
            let sums = try connection.query(
                "SELECT count(*), CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM reports WHERE project = ?",
                [id]
            ) { ($0.int(0), $0.int(1)) }
            (count, bytes) = sums.first ?? (0, 0)
        }
        let before = keep.age.map { time.microseconds - $0 } ?? .min
        var found: [Removable] = []
        for report in try removable(ofProject: id, limit: limit, isLooking: isLooking, connection) {
            let isTooMuch = count > keep.count ?? .max || bytes > keep.bytes ?? .max
            guard isTooMuch || report.received.microseconds < before else { break }
            count -= 1
            bytes -= report.bytes
            found.append(report)
        }
        return found
    }

    /// The oldest reports that are neither the first nor the last of their issue, and do not wait for digestion.
    ///
    /// - Parameter isLooking: true for who removes none, and locks none.
    private static func removable(ofProject id: Int, limit: Int, isLooking: Bool, _ connection: any SQLConnection)
        throws(StoreError) -> [Removable]
    {
        try connection.query(
            """
            SELECT row, received, bytes, issue, occurrences FROM reports WHERE project = ? AND digest <> 0 AND (issue IS NULL OR (
                EXISTS (SELECT 1 FROM reports AS other WHERE other.issue = reports.issue
                    AND (other.time, other.row) < (reports.time, reports.row))
                AND EXISTS (SELECT 1 FROM reports AS other WHERE other.issue = reports.issue
                    AND (other.time, other.row) > (reports.time, reports.row))
            )) ORDER BY received, row LIMIT ? \(isLooking ? "" : connection.dialect.skipLocked)
            """,
            [id, limit]
        ) {
            Removable(
                row: $0.int(0),
                received: $0.time(1),
                bytes: $0.int(2),
                issue: $0.optionalInt(3),
                occurrences: $0.int(4)
            )
        }
    }

    private static func remove(_ row: Int, _ connection: any SQLConnection) throws(StoreError) {
        try connection.run("DELETE FROM digested_bodies WHERE report = ?", [row])
        try connection.run("DELETE FROM received_bodies WHERE report = ?", [row])
        try connection.run("DELETE FROM reports WHERE row = ?", [row])
    }

    private static func retention(ofProject id: Int, _ connection: any SQLConnection) throws(StoreError) -> Retention? {
        try connection.query("SELECT keep_age, keep_count, keep_bytes FROM projects WHERE id = ?", [id]) {
            Retention(age: $0.optionalInt(0).map { Int64($0) }, count: $0.optionalInt(1), bytes: $0.optionalInt(2))
        }.first
    }
}
