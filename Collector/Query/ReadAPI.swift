public import CrashReport
public import Store

/// What `GET /api/PROJECT/…` answers, apart from HTTP.
public struct ReadAPI: Sendable {
    private let store: any Store

    /// The answers of a store.
    public init(_ store: any Store) { self.store = store }

    /// Issues of a project; nil when there is no such project.
    public func issues(project: Int, limit: Int) throws(StoreError) -> JSONValue? {
        guard try store.project(project) != nil else { return nil }
        return try IssueList.load(from: store, IssueSelection(project: project, limit: limit)).json
    }

    /// One issue; nil when there is none of this number.
    public func issue(project: Int, number: Int) throws(StoreError) -> JSONValue? {
        let found = try store.issues(IssueSelection(project: project, number: number, limit: 1))
        return try found.first.flatMap { issue throws(StoreError) in
            try known { () throws(QueryError) in try IssueDetail.load(issue, from: store).json }
        }
    }

    /// One report by its whole id; nil when there is none.
    public func report(project: Int, id: String) throws(StoreError) -> JSONValue? {
        let found = try store.reports(ReportSelection(project: project, idPrefix: id, limit: 1))
        guard let report = found.first, report.key.id == id else { return nil }
        return try known { () throws(QueryError) in try ReportDetail.load(report, from: store).json }
    }

    /// Nil for what is not there, or was removed while it was read.
    private func known(_ body: () throws(QueryError) -> JSONValue) throws(StoreError) -> JSONValue? {
        do throws(QueryError) {
            return try body()
        } catch {
            switch error {
            case .store(let error): throw error
            case .notFound: return nil
            case .unreadable(let text): throw .failed(reason: text)
            }
        }
    }
}
