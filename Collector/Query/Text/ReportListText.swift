import CrashReport
import CrashReportText
import Store

extension ReportList {
    /// Ids are shown to this many characters: milliseconds and twelve random bits, and `show` takes a beginning.
    private static let shownID = 18

    /// The list as lines for a terminal, one for each report, under a line of headings.
    public func text(_ layout: TextLayout) -> [String] {
        guard !reports.isEmpty else { return [] }
        let manyProjects = Set(reports.map(\.key.project)).count > 1
        let issues = reports.map { $0.issueText(withProject: manyProjects) }
        let issueWidth = max(5, issues.map(\.count).max() ?? 0)
        let releaseWidth = 16
        let textWidth = max(12, layout.width - Self.shownID - issueWidth - releaseWidth - 10 - 8)
        let starts = [Self.shownID, 10, issueWidth, releaseWidth].reduce(into: [0]) {
            $0.append(($0.last ?? 0) + $1 + 2)
        }
        let rows = zip(reports, issues).map { report, issue in
            [
                String(report.key.id.prefix(Self.shownID)), layout.ago(report.facts.time), issue,
                (report.facts.release ?? "–").madeVisible().shortened(to: releaseWidth),
                report.headline.madeVisible().shortened(to: textWidth),
            ]
        }
        let headings = ["REPORT", "WHEN", "ISSUE", "RELEASE", "TITLE"]
        let lines = ([headings] + rows).enumerated().map { index, cells in
            var line = StyledLine()
            for (start, cell) in zip(starts, cells) {
                line.pad(to: start)
                line.add(cell, index == 0 ? .faint : .plain)
            }
            return line
        }
        return layout.rendered(lines)
    }
}

extension StoredReport {
    fileprivate func issueText(withProject: Bool) -> String {
        switch state {
        case .done: issue?.text(withProject: withProject) ?? "–"
        case .pending: "waits"
        case .failed: "failed"
        }
    }

    fileprivate var headline: String {
        (facts.isCutShort ? "cut short · " : "") + (facts.occurrences > 1 ? "\(facts.occurrences) × " : "")
            + (title ?? facts.signal ?? facts.kind)
    }
}
