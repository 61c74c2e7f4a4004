public import CrashReport
public import Store

/// Where commands read from, and write what people decide: a store, or another collector's read API.
public protocol Reader: Sendable {
    /// All projects by id.
    func projects() throws(QueryError) -> [ProjectName]
    /// All projects by id, with what is counted of them.
    func projectSummaries() throws(QueryError) -> [ProjectSummary]
    /// Issues with their releases.
    func issues(_ selection: IssueSelection) throws(QueryError) -> [IssueList.Entry]
    /// How many reports are not grouped, of a project or of all.
    func undigested(_ project: Int?) throws(QueryError) -> DigestCounts
    /// Numbers of issues that became part of one.
    func joined(to issue: IssueKey) throws(QueryError) -> [Int]
    /// Reports of an issue by hour, oldest first.
    func hours(of issue: IssueKey, since time: Timestamp) throws(QueryError) -> [HourCount]
    /// Reports, newest first.
    func reports(_ selection: ReportSelection) throws(QueryError) -> [StoredReport]
    /// Reports in the order in which they came, from a position on, which is 0 at the beginning.
    func page(of selection: ReportSelection, after position: Int) throws(QueryError) -> ReportPage
    /// A report with all that is in it.
    func open(_ report: StoredReport) throws(QueryError) -> ReportDetail
    /// Counts of reports.
    func statistics(_ question: StatisticsQuestion) throws(QueryError) -> Statistics
    /// Writes what a person decided; nil when there is no such issue.
    func decide(_ decision: IssueDecision, on issue: IssueKey, at time: Timestamp) throws(QueryError)
        -> IssueList.Entry?
}

/// The store on this machine, or its database.
package struct StoreReader: Reader {
    private let store: any Store

    /// Reads a store.
    package init(_ store: any Store) { self.store = store }

    package func projects() throws(QueryError) -> [ProjectName] {
        try asking { () throws(StoreError) in try store.projects().map { ProjectName(id: $0.id, name: $0.name) } }
    }

    package func projectSummaries() throws(QueryError) -> [ProjectSummary] {
        try asking { () throws(StoreError) in try store.projectSummaries() }
    }

    package func issues(_ selection: IssueSelection) throws(QueryError) -> [IssueList.Entry] {
        try asking { () throws(StoreError) in
            var entries: [IssueList.Entry] = []
            for issue in try store.issues(selection) {
                entries.append(IssueList.Entry(issue: issue, releases: try store.releases(of: issue.key)))
            }
            return entries
        }
    }

    package func undigested(_ project: Int?) throws(QueryError) -> DigestCounts {
        try asking { () throws(StoreError) in try store.digestCounts(ofProject: project) }
    }

    package func joined(to issue: IssueKey) throws(QueryError) -> [Int] {
        try asking { () throws(StoreError) in try store.joined(to: issue) }
    }

    package func hours(of issue: IssueKey, since time: Timestamp) throws(QueryError) -> [HourCount] {
        try asking { () throws(StoreError) in try store.hours(of: issue, since: time) }
    }

    package func reports(_ selection: ReportSelection) throws(QueryError) -> [StoredReport] {
        try asking { () throws(StoreError) in try store.reports(selection) }
    }

    package func page(of selection: ReportSelection, after position: Int) throws(QueryError) -> ReportPage {
        try asking { () throws(StoreError) in try store.page(of: selection, after: position) }
    }

    package func open(_ report: StoredReport) throws(QueryError) -> ReportDetail {
        try ReportDetail.load(report, from: store)
    }

    package func statistics(_ question: StatisticsQuestion) throws(QueryError) -> Statistics {
        try asking { () throws(StoreError) in try store.statistics(question) }
    }

    package func decide(_ decision: IssueDecision, on issue: IssueKey, at time: Timestamp) throws(QueryError)
        -> IssueList.Entry?
    {
        try asking { () throws(StoreError) in
            guard let decided = try store.decide(decision, on: issue, at: time) else { return nil }
            // With what is known where issues are listed.
            let key = decided.key
            let selection = IssueSelection(project: key.project, number: key.number, time: time, limit: 1)
            let issue = try store.issues(selection).first ?? decided
            return IssueList.Entry(issue: issue, releases: try store.releases(of: key))
        }
    }

    private func asking<Value>(_ body: () throws(StoreError) -> Value) throws(QueryError) -> Value {
        do throws(StoreError) { return try body() } catch { throw .store(error) }
    }
}
