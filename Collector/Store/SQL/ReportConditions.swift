import CrashReport

/// The conditions of a `WHERE` with numbered values, so that one value may be used twice.
struct NumberedConditions {
    private(set) var clauses: [String] = []
    private(set) var values: [any SQLBindable]

    init(_ values: [any SQLBindable] = []) { self.values = values }

    /// Adds a condition in which `#` stands for the value, unless that is nil.
    mutating func add(_ clause: String, _ value: (any SQLBindable)?) {
        guard let value else { return }
        values.append(value)
        clauses.append(clause.replacing("#", with: "?\(values.count)"))
    }

    mutating func add(_ clause: String) { clauses.append(clause) }

    /// Adds that an expression is one of these values, unless there are none.
    mutating func add(_ expression: String, isOneOf values: [String]) {
        guard !values.isEmpty else { return }
        let numbers = values.indices.map { "?\(self.values.count + $0 + 1)" }.joined(separator: ", ")
        self.values += values.map { $0 as any SQLBindable }
        clauses.append("\(expression) IN (\(numbers))")
    }

    var sql: String { clauses.isEmpty ? "" : "WHERE " + clauses.joined(separator: " AND ") }
}

extension ReportFilter {
    /// What a report has to meet.
    func addReportConditions(to conditions: inout NumberedConditions) {
        conditions.add("reports.release = #", release)
        conditions.add("reports.environment = #", environment)
        conditions.add("reports.kind = #", kind)
        conditions.add("reports.signal = #", signal)
        conditions.add("reports.host = #", host)
        // A text that changes when a part of it is taken out has that part, whatever characters it is of.
        conditions.add("replace(coalesce(reports.tags, ''), #, '') <> coalesce(reports.tags, '')", tag?.column)
        conditions.add(Self.contains("reports"), text.map(Self.pattern))
        conditions.add("reports.time >= #", since)
        conditions.add("reports.time <= #", until)
    }

    /// What an issue has to meet: by what is counted of it where that is enough, else one report that meets all.
    func addIssueConditions(to conditions: inout NumberedConditions) {
        conditions.add(Self.contains("issues"), text.map(Self.pattern))
        conditions.add("issues.kind = #", kind)
        conditions.add("last_seen >= #", since)
        conditions.add("first_seen <= #", until)
        if environment != nil || signal != nil || tag != nil {
            var reports = self
            (reports.text, reports.kind) = (nil, nil)
            var inner = NumberedConditions(conditions.values)
            reports.addReportConditions(to: &inner)
            conditions = NumberedConditions(inner.values, clauses: conditions.clauses)
            let clauses = ["reports.issue = issues.row"] + inner.clauses
            conditions.add("EXISTS (SELECT 1 FROM reports WHERE \(clauses.joined(separator: " AND ")))")
            return
        }
        conditions.add(
            "EXISTS (SELECT 1 FROM issue_releases WHERE issue_releases.issue = issues.row AND release = #)",
            release
        )
        conditions.add("EXISTS (SELECT 1 FROM issue_hosts WHERE issue_hosts.issue = issues.row AND host = #)", host)
    }

    private static func contains(_ table: String) -> String {
        "lower(coalesce(\(table).title, '') || ' ' || coalesce(\(table).culprit, '')) LIKE # ESCAPE '\\'"
    }

    private static func pattern(_ text: String) -> String {
        let escaped = String(
            text.flatMap { "\\%_".contains($0) ? ["\\", $0] : $0.isASCII ? Array($0.lowercased()) : [$0] }
        )
        return "%\(escaped)%"
    }
}

extension NumberedConditions {
    fileprivate init(_ values: [any SQLBindable], clauses: [String]) {
        self.values = values
        self.clauses = clauses
    }
}
