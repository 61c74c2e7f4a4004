import CrashReport
public import CrashReportText
import Grouping
import Store

extension IssueDetail {
    /// The issue as lines for a terminal: what is known of all its reports, then its newest report.
    ///
    /// - Parameter reading: how much of the report; in full, all releases as well.
    public func text(_ layout: TextLayout, _ reading: Reading) -> [String] {
        if reading.why, let newest { return newest.text(layout, reading) }
        let isFull = reading.detail != .summary
        let issue = entry.issue
        var title = StyledLine("Issue \(projects.text(issue.key))", .strong)
        title.add(" of project \(projects.name(of: issue.key.project)), \(issue.status.text), ")
        title.add(issue.count.occurrences)
        var lines = [title]
        func fact(_ name: String, _ value: String) {
            let texts = value.madeVisible().wrapped(to: isFull ? .max : layout.width - 14)
            for (index, text) in texts.enumerated() {
                var line = StyledLine("  ")
                line.add(index == 0 ? name : "", .faint)
                line.pad(to: 14)
                line.add(text)
                lines.append(line)
            }
        }
        fact("title", issue.title)
        if let culprit = issue.culprit { fact("culprit", culprit) }
        fact("first seen", layout.moment(issue.firstSeen))
        fact("last seen", layout.moment(issue.lastSeen))
        fact("hosts", "\(issue.hosts)")
        if !joined.isEmpty {
            let numbers = joined.map { projects.text(IssueKey(project: issue.key.project, number: $0)) }
            fact("was also", numbers.joined(separator: ", "))
        }
        if let graph = layout.lastDay(hours) { fact("last 24 h", graph) }
        let shown = isFull ? entry.releases[...] : entry.releases.prefix(5)
        for (index, release) in shown.enumerated() {
            let count = release.count.occurrences
            fact(index == 0 ? "releases" : "", "\(release.release)  \(count), last \(layout.ago(release.lastSeen))")
        }
        if shown.count < entry.releases.count { fact("", "and \(entry.releases.count - shown.count) more: --full") }
        guard let newest else { return layout.rendered(lines) }
        lines += [StyledLine(), StyledLine("Newest report", .strong), StyledLine()]
        return layout.rendered(lines) + newest.text(layout, reading)
    }
}

/// What is to be shown of a report, and what helps to.
public struct Reading: Sendable, Equatable {
    /// How much.
    public var detail: ReportTextOptions.Detail
    /// Kernel id of the one thread to show.
    public var thread: Int?
    /// Where the service's sources are, when they are not where they were built.
    public var sources: String?
    /// Nothing but what makes the issue of the report.
    public var why = false

    /// A summary, if nothing else is said.
    public init(detail: ReportTextOptions.Detail = .summary, thread: Int? = nil, sources: String? = nil) {
        self.detail = detail
        self.thread = thread
        self.sources = sources
    }
}

extension ReportDetail {
    /// The report as lines for a terminal.
    public func text(_ layout: TextLayout, _ reading: Reading) -> [String] {
        if reading.why { return why(layout) }
        let options = ReportTextOptions(
            width: layout.width,
            color: layout.color,
            detail: reading.detail,
            thread: reading.thread
        )
        let notes = Dictionary(remarks.images.map { ($0.index, $0.text) }) { first, _ in first }
        let sources = SourceFiles(of: report, root: reading.sources)
        let lines = report.text(
            options,
            explanation: Explanation.sentence(of: report),
            warnings: warnings,
            imageNotes: notes,
            sources: sources.excerpt
        )
        guard reading.detail != .summary, reading.thread == nil, !remarks.grouping.isEmpty else { return lines }
        let grouping =
            [StyledLine(), StyledLine("Grouped by", .strong)] + remarks.grouping.map { StyledLine("  \($0)") }
        return lines + layout.rendered(grouping)
    }

    /// What two reports must have in common to be one issue, as this one has it.
    private func why(_ layout: TextLayout) -> [String] {
        var lines = [StyledLine("Report \(report.header.id)", .strong)]
        if let issue = stored?.issue { lines[0].add(" is in issue \(issue.number) of project \(issue.project)") }
        guard !remarks.grouping.isEmpty else {
            return layout.rendered(lines) + warnings.map { "  \($0)" }
        }
        lines += [StyledLine(), StyledLine("Grouped by", .strong)] + remarks.grouping.map { StyledLine("  \($0)") }
        lines += [StyledLine()]
        let text =
            "Reports are one issue when all of these lines are the same. `message` is what stays of the text "
            + "without numbers, ids, quoted texts, lists and paths; `function` the innermost of the service's own, "
            + "and what called it."
        return layout.rendered(lines) + text.wrapped(to: layout.width)
    }
}
