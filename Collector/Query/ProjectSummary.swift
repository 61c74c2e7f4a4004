public import CrashReport
import CrashReportText
public import Store

extension ProjectSummary {
    /// `{"projects": [{"id": 1, "name": "default", "reports": 12, …}]}`, with `null` for what has no limit.
    public static func json(_ projects: [ProjectSummary]) -> JSONValue {
        .object(["projects": .array(projects.map(\.json))])
    }

    private var json: JSONValue {
        .object([
            "id": .integer(Int64(id)), "name": .string(name), "reports": .integer(Int64(reports)),
            "issues": .integer(Int64(issues)),
            "last_report": lastReport.map { .string($0.description) } ?? .null, "keep": retention.json,
            "limit": limits.json,
        ])
    }

    /// A line for each under one of headings.
    public static func text(_ projects: [ProjectSummary]) -> [String] {
        let rows = projects.map { project in
            let last = project.lastReport.map { String($0.description.prefix(16)).replacing("T", with: " ") } ?? "none"
            return [
                "\(project.id)", project.name.madeVisible(), "\(project.reports)", "\(project.issues)", last,
                project.retention.text ?? "all", project.limits.text ?? "any number",
            ]
        }
        let table = [["ID", "NAME", "REPORTS", "ISSUES", "LAST REPORT, UTC", "KEEPS", "MAY SEND"]] + rows
        let widths = table[0].indices.map { column in table.map { $0[column].count }.max() ?? 0 }
        let numbers: Set = [0, 2, 3]
        return table.map { row in
            let cells = row.indices.map { column in
                let blanks = String(repeating: " ", count: widths[column] - row[column].count)
                return numbers.contains(column) ? blanks + row[column] : row[column] + blanks
            }
            return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
        }
    }
}

extension Retention {
    /// `90d, 100000 reports, 20G bytes`; nil when it is everything.
    public var text: String? {
        let parts = [
            age.map { Self.short($0 / 1_000_000, [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")]) },
            count.map { "\($0) reports" },
            bytes.map {
                Self.short(Int64($0), [(1 << 40, "T"), (1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")]) + " bytes"
            },
        ].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// In the largest unit that says it exactly, as the flags take it.
    private static func short(_ value: Int64, _ units: [(Int64, String)]) -> String {
        units.first { value % $0.0 == 0 }.map { "\(value / $0.0)\($0.1)" } ?? "\(value)"
    }

    /// Its limits by name, `null` for none.
    public var json: JSONValue {
        .object([
            "age_seconds": .integerOrNull(age.map { $0 / 1_000_000 }),
            "reports": .integerOrNull(count.map { Int64($0) }),
            "bytes": .integerOrNull(bytes.map { Int64($0) }),
        ])
    }
}

extension IngestLimits {
    /// `600 a minute, 100000 a day`; nil when there is no limit.
    public var text: String? {
        let parts = [perMinute.map { "\($0) a minute" }, perDay.map { "\($0) a day" }].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// Its limits by name, `null` for none.
    public var json: JSONValue {
        .object([
            "per_minute": .integerOrNull(perMinute.map { Int64($0) }),
            "per_day": .integerOrNull(perDay.map { Int64($0) }),
        ])
    }
}

extension JSONValue {
    fileprivate static func integerOrNull(_ value: Int64?) -> JSONValue { value.map { .integer($0) } ?? .null }
}
