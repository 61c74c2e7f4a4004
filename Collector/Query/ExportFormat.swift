import CrashReport
public import Store

/// Reports for other programs, a line each.
public enum ExportFormat: String, Sendable, CaseIterable {
    /// An object a line, as in `mayday reports --json`.
    case jsonl
    /// Comma-separated values as RFC 4180 has them, under a line of headings.
    case csv

    private static let columns = [
        "id", "project", "issue", "state", "time", "received", "kind", "service", "release", "environment", "host",
        "signal", "title", "culprit", "tags",
    ]

    /// What stands above all; nil for nothing.
    public var heading: String? { self == .csv ? Self.columns.joined(separator: ",") : nil }

    /// The line of a report. Line ends in CSV are those of the terminal, and control characters of a report are replaced.
    public func line(_ report: StoredReport) -> String {
        let members = report.members
        guard self == .csv else { return JSONValue.object(members).text }
        let fields = Self.columns.map { $0 == "tags" ? Self.tags(report) : Self.field(members[$0]) }
        return fields.joined(separator: ",")
    }

    /// As an object of JSON, which tells where each begins whatever is in it; nothing where there are none.
    private static func tags(_ report: StoredReport) -> String {
        report.tags.isEmpty ? "" : quoted(JSONValue.object(report.tags.mapValues { .string($0) }).text)
    }

    private static func field(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text): quoted(text.madeVisible())
        case .integer(let number): "\(number)"
        case .object(let members): field(members["name"])
        default: ""
        }
    }

    /// Spreadsheets take a cell that begins so for a formula; an apostrophe keeps them from it.
    private static func quoted(_ text: String) -> String {
        let isFormula = text.first.map { "=+-@\t".contains($0) } ?? false
        let text = isFormula ? "'" + text : text
        guard text.contains(where: { ",\"\n\r".contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
