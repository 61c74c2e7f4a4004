import CrashReport
import CrashReportText
import Store

extension StatisticsReport {
    /// The sums, then a bar for each part, no wider than the layout.
    public func text(_ layout: TextLayout) -> [String] {
        let found = statistics
        func plural(_ count: Int, _ one: String, _ many: String) -> String { "\(count) \(count == 1 ? one : many)" }
        let occurrences = found.occurrences == found.reports ? "" : " of \(found.occurrences) occurrences"
        let sums = [
            plural(found.reports, "report", "reports") + occurrences, plural(found.issues, "issue", "issues"),
            plural(found.hosts, "host", "hosts"), plural(found.newIssues, "new issue", "new issues"),
        ]
        var title = StyledLine(sums.joined(separator: ", "), .strong)
        title.add(period)
        guard found.reports > 0 else { return layout.rendered([title]) }
        let counts = pieces
        let labels = counts.map { label($0).madeVisible().shortened(to: layout.width / 2) }
        let labelWidth = labels.map(\.columns).max() ?? 0
        let countWidth = counts.map { "\($0.count)".count }.max() ?? 0
        let barWidth = max(8, layout.width - labelWidth - countWidth - 6)
        let most = max(1, counts.map(\.count).max() ?? 1)
        let bars = zip(labels, counts).map { label, count in
            var line = StyledLine("  ")
            line.add(label, .faint)
            line.pad(to: 2 + labelWidth + 2 + countWidth - "\(count.count)".count)
            line.add("\(count.count)")
            if count.count > 0 { line.add("  " + Self.bar(count.count, of: most, width: barWidth)) }
            return line
        }
        return layout.rendered([title, StyledLine()] + bars)
    }

    /// An eighth of a column is the least that is shown, so that few are not none.
    private static func bar(_ count: Int, of most: Int, width: Int) -> String {
        let eighths = max(1, Int((Double(count) * Double(width * 8) / Double(most)).rounded()))
        let ends = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        return String(repeating: "█", count: eighths / 8) + ends[eighths % 8]
    }

    private var period: String {
        func minute(_ time: Timestamp) -> String {
            "\(time.description.prefix(10)) \(time.description.dropFirst(11).prefix(5))"
        }
        let (since, until) = (question.filter.since, question.filter.until)
        switch (since, until) {
        case (let since?, let until?): return " from \(minute(since)) to \(minute(until)) UTC"
        case (let since?, nil): return " since \(minute(since)) UTC"
        case (nil, let until?): return " until \(minute(until)) UTC"
        case (nil, nil): return ""
        }
    }

    private func label(_ count: Statistics.Count) -> String {
        guard case .time(let length) = question.part, let time = count.time?.description else {
            return count.value ?? "(none)"
        }
        let day: Int64 = 86_400_000_000
        return length >= day ? String(time.prefix(10)) : "\(time.prefix(10)) \(time.dropFirst(11).prefix(5))"
    }
}
