import CrashReport
import CrashReportText
import Store

extension ReportList {
    /// Ids are shown to this many characters: milliseconds and twelve random bits, and `show` takes a beginning.
    private static let shownID = 18

    /// The list as lines for a terminal, one for each report, under a line of headings. Of one issue, whose title is that of all, it says
    /// where each was.
    public func text(_ layout: TextLayout) -> [String] {
        guard !reports.isEmpty else { return [] }
        let headings =
            issue == nil
            ? ["REPORT", "WHEN", "ISSUE", "RELEASE", "TITLE"] : ["REPORT", "WHEN", "RELEASE", "ENVIRONMENT", "HOST"]
        let rows = [headings] + reports.map { cells($0, layout) }
        let widths = headings.indices.map { column in
            let widest = rows.map { $0[column].columns }.max() ?? 0
            return layout.cuts ? min(widest, Self.widest) : widest
        }
        let lines = rows.enumerated().map { index, cells in
            var line = StyledLine()
            for (column, cell) in cells.enumerated() {
                let room = column == cells.count - 1 ? max(12, layout.width - line.width) : widths[column]
                let start = line.width
                line.add(layout.cuts ? cell.shortened(to: room) : cell, index == 0 ? .faint : .plain)
                if column < cells.count - 1 { line.pad(to: start + widths[column] + 2) }
            }
            return line
        }
        return layout.rendered(lines)
    }

    /// Of all columns but the last.
    private static let widest = 24

    private func cells(_ report: StoredReport, _ layout: TextLayout) -> [String] {
        let (facts, id) = (report.facts, String(report.key.id.prefix(Self.shownID)))
        let cells =
            if issue == nil {
                [id, layout.ago(facts.time), place(of: report), facts.release ?? "–", report.headline]
            } else {
                [
                    id, layout.ago(facts.time), facts.release ?? "–", facts.environment ?? "–",
                    report.marks + (facts.host ?? "–"),
                ]
            }
        return cells.map { $0.madeVisible() }
    }

    private func place(of report: StoredReport) -> String {
        switch report.state {
        case .done: report.issue.map { projects.text($0) } ?? "–"
        case .pending: "waits"
        case .failed: "failed"
        }
    }
}

extension StoredReport {
    fileprivate var headline: String {
        marks + (title ?? facts.signal ?? facts.kind)
    }

    /// What is not so of most reports.
    fileprivate var marks: String {
        (facts.isCutShort ? "cut short · " : "") + (facts.occurrences > 1 ? "\(facts.occurrences) × " : "")
    }
}
