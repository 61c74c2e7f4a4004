import CrashReport
import CrashReportText
import Foundation
import Store

extension IssueList {
    /// The list as lines for a terminal: two for each issue under a line of headings, and a third where there is more to know.
    ///
    /// Where lines are not cut, each begins with the id, so that the line that was looked for says whose it is.
    public func text(_ layout: TextLayout) -> [String] {
        guard !entries.isEmpty else { return [] }
        let rows = entries.map { Row($0, id: projects.text($0.issue.key), layout) }
        let columns = Columns(rows, layout)
        return layout.rendered([columns.heading] + rows.flatMap { columns.lines($0) })
    }
}

/// What is said of an issue.
private struct Row {
    let id: String
    let title: String
    let place: String
    /// What is not so of most issues; empty for most.
    let marks: String
    let count: String
    /// When, and in which environment.
    let seen: String
    /// The newest release, and how many more there are.
    let release: String

    init(_ entry: IssueList.Entry, id: String, _ layout: TextLayout) {
        let issue = entry.issue
        self.id = id
        title = issue.title.madeVisible()
        place = (issue.culprit ?? "no function of the service's own known").madeVisible()
        count = "\(issue.count)"
        seen = [layout.ago(issue.lastSeen), issue.environment].compactMap(\.self).joined(separator: " · ").madeVisible()
        let more = entry.releases.count > 1 ? " +\(entry.releases.count - 1)" : ""
        release = (entry.releases.first.map { $0.release + more } ?? "no release").madeVisible()
        let kind: String? =
            switch issue.kind {
            case "error": "handled error, the service went on"
            case "message": "message, the service went on"
            default: nil
            }
        let status = issue.status == .open ? nil : issue.status.text
        marks = [status, kind, issue.isCutShort ? "cut short" : nil].compactMap(\.self).joined(separator: " · ")
            .madeVisible()
    }
}

/// Id, text, count, note: as wide as what is in them, the text less where the line ends.
private struct Columns {
    let cuts: Bool
    let idWidth: Int
    let textWidth: Int
    let countWidth: Int
    let noteWidth: Int
    let width: Int
    private static let widestNote = 28
    /// Longer texts push what stands behind them aside, where they are not cut.
    private static let widestText = 120

    init(_ rows: [Row], _ layout: TextLayout) {
        func widest(_ least: Int, _ texts: [String]) -> Int { texts.reduce(least) { max($0, $1.columns) } }
        (cuts, width) = (layout.cuts, layout.width)
        idWidth = widest(2, rows.map(\.id))
        countWidth = widest(5, rows.map(\.count))
        noteWidth = min(widest(9, rows.flatMap { [$0.seen, $0.release] }), Self.widestNote)
        let room = cuts ? layout.width - idWidth - countWidth - noteWidth - 6 : Self.widestText
        textWidth = max(20, min(widest(5, rows.flatMap { [$0.title, $0.place] }), room))
    }

    var heading: StyledLine { line("ID", "ISSUE", "COUNT", "LAST SEEN", .faint, .faint) }

    func lines(_ row: Row) -> [StyledLine] {
        let id = cuts ? "" : row.id
        var lines = [
            line(row.id, row.title, row.count, row.seen, .strong, .plain),
            line(id, row.place, "", cuts ? row.release.keepingEnd(of: noteWidth) : row.release, .plain, .faint),
        ]
        if !row.marks.isEmpty {
            var line = start(id)
            line.add(cuts ? row.marks.shortened(to: width - idWidth - 2) : row.marks, .notice)
            lines.append(line)
        }
        return lines
    }

    private func start(_ id: String) -> StyledLine {
        var line = StyledLine()
        line.pad(to: idWidth - id.count)
        line.add(id)
        line.pad(to: idWidth + 2)
        return line
    }

    private func line(
        _ id: String,
        _ text: String,
        _ count: String,
        _ note: String,
        _ style: TextStyle,
        _ noteStyle: TextStyle
    ) -> StyledLine {
        var line = start(id)
        line.add(cuts ? text.shortenedBeforePlace(to: textWidth) : text, style)
        line.pad(to: max(line.width, idWidth + 2 + textWidth) + 2 + countWidth - count.count)
        line.add(count, noteStyle)
        line.add("  ")
        line.add(cuts ? note.shortened(to: noteWidth) : note, noteStyle)
        return line
    }
}

extension String {
    /// Shortened at its beginning: a release ends with its version.
    fileprivate func keepingEnd(of limit: Int) -> String {
        columns > limit ? "…" + String(String(reversed()).shortened(to: limit).dropLast().reversed()) : self
    }

    /// Shortened so that the place at the end of `checkout(_:) (Cart.swift:41)` stays in sight.
    fileprivate func shortenedBeforePlace(to limit: Int) -> String {
        guard columns > limit, hasSuffix(")"), let opening = range(of: " (", options: .backwards) else {
            return shortened(to: limit)
        }
        let place = String(self[opening.lowerBound...])
        guard place.contains(":"), place.columns <= limit * 2 / 3 else { return shortened(to: limit) }
        return String(self[..<opening.lowerBound]).shortened(to: limit - place.columns) + place
    }
}
