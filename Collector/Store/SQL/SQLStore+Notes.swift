/// What a process keeps for the one after it: in the settings, under the number that it claims reports with.
extension SQLStore {
    private static var prefix: String { "note:" }

    func keepNote(_ note: [UInt8]?, about subject: String) throws(StoreError) {
        try engine.claim { connection, claimant throws(StoreError) in
            let name = "\(Self.prefix)\(subject):\(claimant)"
            if let note {
                try Self.set(connection, name, note)
            } else {
                try connection.run("DELETE FROM settings WHERE name = ?", [name])
            }
        }
    }

    func takeNotes(about subject: String) throws(StoreError) -> [[UInt8]] {
        try engine.claim { connection, claimant throws(StoreError) in
            let prefix = "\(Self.prefix)\(subject):"
            // The number is read of those alone that have one, in whatever order the conditions are asked.
            let found = try connection.query(
                """
                SELECT name, value FROM (
                    SELECT name, value, CAST(
                        CASE WHEN substr(name, 1, ?3) = ?2 THEN substr(name, ?3 + 1) ELSE '-1' END AS BIGINT
                    ) AS claimant FROM settings
                ) AS notes WHERE claimant >= 0 AND \(connection.dialect.isFree) ORDER BY name
                """,
                [claimant, prefix, prefix.utf8.count]
            ) { (name: $0.text(0), note: $0.blob(1)) }
            for (name, _) in found { try connection.run("DELETE FROM settings WHERE name = ?", [name]) }
            return found.map(\.note)
        }
    }
}
