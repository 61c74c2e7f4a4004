import CrashReport

private let occurrences = "CAST(coalesce(sum(occurrences), 0) AS BIGINT)"

extension SQLStore {
    func statistics(_ question: StatisticsQuestion) throws(StoreError) -> Statistics {
        var conditions = NumberedConditions()
        conditions.add("reports.project = #", question.project)
        conditions.add("issues.project = #", question.issue?.project)
        conditions.add("issues.number = #", question.issue?.number)
        question.filter.addReportConditions(to: &conditions)
        let from = """
            FROM reports JOIN projects ON projects.id = reports.project LEFT JOIN issues ON issues.row = reports.issue
            \(conditions.sql)
            """
        let values = conditions.values
        let (key, order, keyValues) = Self.grouping(question, after: values.count)
        var newIssues = NumberedConditions()
        newIssues.add("count > 0")
        newIssues.add("project = #", question.project ?? question.issue?.project)
        newIssues.add("number = #", question.issue?.number)
        newIssues.add("first_seen >= #", question.filter.since)
        newIssues.add("first_seen <= #", question.filter.until)
        var period = question.filter
        (period.since, period.until) = (nil, nil)
        period.addIssueConditions(to: &newIssues)
        let (new, newValues) = (newIssues.sql, newIssues.values)
        return try engine.snapshot { connection throws(StoreError) in
            let sums = try connection.query(
                """
                SELECT count(*), count(DISTINCT reports.issue), count(DISTINCT reports.host), \(occurrences)
                \(from)
                """,
                values
            ) { (reports: $0.int(0), issues: $0.int(1), hosts: $0.int(2), occurrences: $0.int(3)) }.first
            let fresh = try connection.query("SELECT count(*) FROM issues \(new)", newValues) { $0.int(0) }.first
            let parts = "SELECT \(key(connection.dialect)), \(occurrences) \(from) GROUP BY 1 ORDER BY \(order)"
            let counts = try connection.query(parts, values + keyValues) {
                guard case .time(let length) = question.part else {
                    return Statistics.Count(value: $0.optionalText(0), count: $0.int(1))
                }
                return Statistics.Count(time: Timestamp(microseconds: Int64($0.int(0)) * length), count: $0.int(1))
            }
            return Statistics(
                reports: sums?.reports ?? 0,
                occurrences: sums?.occurrences ?? 0,
                issues: sums?.issues ?? 0,
                hosts: sums?.hosts ?? 0,
                newIssues: fresh ?? 0,
                counts: counts
            )
        }
    }

    /// What is counted by and in which order, with values whose numbers follow `count` others.
    private static func grouping(_ question: StatisticsQuestion, after count: Int)
        -> (key: @Sendable (SQLDialect) -> String, order: String, values: [any SQLBindable])
    {
        let mostFirst = "2 DESC, 1 LIMIT \(max(1, question.limit))"
        switch question.part {
        case .time(let length): return ({ _ in "reports.time / \(max(1, length))" }, "1", [])
        case .tag(let name):
            let (start, end) = ("?\(count + 1)", "?\(count + 2)")
            let key = { @Sendable (dialect: SQLDialect) in
                let place = dialect.position("reports.tags", start)
                let rest = "substr(reports.tags, \(place) + length(CAST(\(start) AS TEXT)))"
                return """
                    CASE WHEN \(place) > 0 THEN substr(\(rest), 1, \(dialect.position(rest, end)) - 1) END
                    """
            }
            return (key, mostFirst, [ReportFilter.Tag.start(name), ReportFilter.Tag.end])
        case .field(let field):
            let key =
                switch field {
                case .release: "reports.release"
                case .environment: "reports.environment"
                case .kind: "reports.kind"
                case .signal: "reports.signal"
                case .host: "reports.host"
                case .project: "projects.name"
                case .service: "reports.service"
                case .issue: "issues.project || '/' || issues.number || ' ' || issues.title"
                }
            return ({ _ in key }, mostFirst, [])
        }
    }

    func page(of selection: ReportSelection, after position: Int) throws(StoreError) -> ReportPage {
        var conditions = NumberedConditions([selection.limit])
        conditions.add("reports.row > #", position)
        conditions.add("reports.project = #", selection.project)
        conditions.add("issues.project = #", selection.issue?.project)
        conditions.add("issues.number = #", selection.issue?.number)
        selection.filter.addReportConditions(to: &conditions)
        let sql = """
            SELECT \(Self.reportColumns), reports.row
            FROM reports LEFT JOIN issues ON issues.row = reports.issue \(conditions.sql) ORDER BY reports.row LIMIT ?1
            """
        let values = conditions.values
        return try engine.read { connection throws(StoreError) in
            let found = try connection.query(sql, values) { (report: Self.report($0), row: $0.int(18)) }
            return ReportPage(
                reports: found.map(\.report),
                next: found.count < selection.limit ? nil : found.last?.row
            )
        }
    }
}
