public import Store

/// What a person types to name an issue or a report.
public enum Reference: Sendable, Equatable {
    /// `17`, or `2/17` where several projects have one.
    case issue(project: Int?, number: Int)
    /// The beginning of a report's id.
    case report(prefix: String)
    /// A report file.
    case file(String)

    /// Reads what was typed. Digits are an issue, hex digits and dashes a report, all else a path; `./17` is one too.
    public init(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.first != "0" && part.allSatisfy { ("0"..."9").contains($0) } ? Int(part) : nil
        }
        let hexDigits = Set("0123456789abcdef-")
        switch (parts.count, numbers.count) {
        case (1, 1): self = .issue(project: nil, number: numbers[0])
        case (2, 2): self = .issue(project: numbers[0], number: numbers[1])
        default:
            let lower = text.lowercased()
            let isID = !lower.isEmpty && lower.count <= 36 && lower.allSatisfy(hexDigits.contains)
            self = isID ? .report(prefix: lower) : .file(text)
        }
    }

    /// Finds the issue.
    public static func issue(project: Int?, number: Int, in reader: some Reader) throws(QueryError) -> IssueList.Entry {
        let found = try reader.issues(IssueSelection(project: project, number: number, limit: 20))
        guard let entry = found.first else {
            let place = project.map { " in project \($0)" } ?? ""
            throw .notFound("no issue \(number)\(place): `mayday list` shows the issues there are")
        }
        guard found.count == 1 else {
            let names = found.map { "\($0.issue.key.project)/\($0.issue.key.number)" }.sorted().joined(separator: ", ")
            throw .notFound("issue \(number) is in several projects: say which, \(names)")
        }
        return entry
    }

    /// Finds the report.
    public static func report(prefix: String, in reader: some Reader) throws(QueryError) -> StoredReport {
        let found = try reader.reports(ReportSelection(idPrefix: prefix, limit: 6))
        guard let report = found.first else {
            throw .notFound("no report whose id begins with \(prefix): `mayday reports` shows the reports there are")
        }
        guard found.count == 1 else {
            let names = found.prefix(5).map(\.key.id).joined(separator: ", ") + (found.count > 5 ? " …" : "")
            throw .notFound("several reports begin with \(prefix): give more of the id, \(names)")
        }
        return report
    }
}
