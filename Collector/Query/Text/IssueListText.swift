import CrashReport
import CrashReportText
import Foundation
import Store

extension IssueList {
    /// The list as lines for a terminal: two for each issue, under a line of headings.
    public func text(_ layout: TextLayout) -> [String] {
        guard !entries.isEmpty else { return [] }
        let manyProjects = Set(entries.map(\.issue.key.project)).count > 1
        let ids = entries.map { $0.issue.key.text(withProject: manyProjects) }
        let idWidth = max(2, ids.map(\.count).max() ?? 0)
        let columns = Columns(idWidth: idWidth, width: layout.width)
        var lines = [columns.line(id: "ID", text: "ISSUE", count: "COUNT", note: "LAST SEEN", style: .faint)]
        for (id, entry) in zip(ids, entries) {
            let issue = entry.issue
            let seen = layout.ago(issue.lastSeen)
            lines.append(columns.line(id: id, text: issue.title, count: "\(issue.count)", note: seen, style: .strong))
            let place = issue.culprit ?? "no function of the service's own known"
            let status = issue.status == .open ? "" : "\(issue.status.text) · "
            let cut = issue.isCutShort ? "cut short · " : ""
            lines.append(
                columns.line(id: "", text: status + cut + place, count: "", note: entry.releaseText, style: .plain)
            )
        }
        return layout.rendered(lines)
    }
}

extension IssueList.Entry {
    /// The newest release, and how many more there are.
    fileprivate var releaseText: String {
        guard let first = releases.first else { return "no release" }
        return first.release + (releases.count > 1 ? " +\(releases.count - 1)" : "")
    }
}

extension String {
    /// Shortened so that the place at the end of `checkout(_:) (Cart.swift:41)` stays in sight.
    fileprivate func shortenedBeforePlace(to limit: Int) -> String {
        guard count > limit, hasSuffix(")"), let opening = range(of: " (", options: .backwards) else {
            return shortened(to: limit)
        }
        let place = self[opening.lowerBound...]
        guard place.contains(":"), place.count <= limit * 2 / 3 else { return shortened(to: limit) }
        return String(self[..<opening.lowerBound]).shortened(to: limit - place.count) + place
    }
}

extension IssueKey {
    /// `17`, or `2/17`.
    func text(withProject: Bool) -> String { withProject ? "\(project)/\(number)" : "\(number)" }
}

/// Id, text of whatever width is left, count, note.
private struct Columns {
    let idWidth: Int
    let textWidth: Int
    private static let countWidth = 6
    private static let noteWidth = 20

    init(idWidth: Int, width: Int) {
        self.idWidth = idWidth
        textWidth = max(20, width - idWidth - Self.countWidth - Self.noteWidth - 6)
    }

    func line(id: String, text: String, count: String, note: String, style: TextStyle) -> StyledLine {
        var line = StyledLine()
        line.pad(to: idWidth - id.count)
        line.add(id)
        line.pad(to: idWidth + 2)
        line.add(text.madeVisible().shortenedBeforePlace(to: textWidth), style)
        line.pad(to: idWidth + 4 + textWidth + Self.countWidth - count.count)
        line.add(count, style == .faint ? .faint : .plain)
        line.pad(to: idWidth + 6 + textWidth + Self.countWidth)
        line.add(note.madeVisible().shortened(to: Self.noteWidth), style == .strong ? .plain : .faint)
        return line
    }
}
