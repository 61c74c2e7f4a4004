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
        "signal", "title", "culprit", "tags", "occurrences", "cut_short",
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
        case .bool(let flag): "\(flag)"
        case .object(let members): field(members["name"])
        default: ""
        }
    }

    /// A field by scalars: a combining mark behind a comma or a quotation mark makes one character with it, which is neither to
    /// Swift and both to who reads the file.
    private static func quoted(_ text: String) -> String {
        let text = isFormula(text) ? "'" + text : text
        let isPlain = text.unicodeScalars.allSatisfy { (" "..."~").contains($0) && $0 != "," && $0 != "\"" }
        guard !isPlain else { return text }
        var field = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in text.unicodeScalars {
            if scalar == "\"" { field.append(scalar) }
            field.append(scalar)
        }
        field.append("\"")
        return String(field)
    }

    /// True for what spreadsheets take for a formula, also behind blanks and what nobody sees; an apostrophe keeps them from it.
    private static func isFormula(_ text: String) -> Bool {
        let first = text.unicodeScalars.first { scalar in
            if scalar == "\t" || scalar == "\r" { return true }
            let properties = scalar.properties
            return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
                && properties.generalCategory != .format
        }
        return first.map { "=+-@\t\r\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}".unicodeScalars.contains($0) } ?? false
    }
}
