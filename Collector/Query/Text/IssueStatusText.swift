import CrashReport
import CrashReportText
import Store

extension IssueStatus {
    /// `resolved in 1.4.3`, `muted until 12:30`, `regressed`.
    var text: String {
        switch self {
        case .open: "open"
        case .regressed(let release): release.map { "regressed in \($0)" } ?? "regressed"
        case .resolved(let release): release.map { "resolved in \($0)" } ?? "resolved"
        case .muted(let until?, nil): "muted until \(Self.minute(until))"
        case .muted(nil, let count?): "muted until \(grouped(count)) occurrences"
        case .muted(let until?, let count?): "muted until \(Self.minute(until)) or \(grouped(count)) occurrences"
        case .muted(nil, nil): "muted"
        }
    }

    private static func minute(_ time: Timestamp) -> String {
        "\(time.description.prefix(10)) \(time.description.dropFirst(11).prefix(5)) UTC"
    }
}

extension IssueList {
    /// What was decided, a line an issue: `issue 3 is resolved in checkout@1.4.3: Index out of range`.
    public func decisions(_ layout: TextLayout) -> [String] {
        entries.map { entry in
            let id = projects.text(entry.issue.key)
            let text = "issue \(id) is \(entry.issue.status.text): \(entry.issue.title)".madeVisible()
            return layout.cuts ? text.shortened(to: layout.width) : text
        }
    }
}

extension Int {
    /// `1 occurrence`, `500 occurrences`.
    var occurrences: String { self == 1 ? "1 occurrence" : "\(self) occurrences" }
}

extension TextLayout {
    /// The last 24 hours as a bar each, and their reports; nil when there were none.
    func lastDay(_ hours: [HourCount]) -> String? {
        let current = now.microseconds / HourCount.length
        var counts = [Int](repeating: 0, count: 24)
        for hour in hours {
            let age = current - hour.hour.microseconds / HourCount.length
            if (0..<24).contains(age) { counts[23 - Int(age)] = hour.count }
        }
        guard let most = counts.max(), most > 0 else { return nil }
        let bars = Array("▁▂▃▄▅▆▇█")
        let graph = counts.map { $0 == 0 ? Character("·") : bars[($0 * bars.count - 1) / most] }
        let sum = counts.reduce(0, +)
        return String(graph) + "  \(sum.occurrences)" + ", most in an hour \(most)"
    }
}
