public import CrashReport
public import Store

/// What the read API answers, apart from HTTP: paths below `/api`, for the holder of a token.
public struct ReadAPI: Sendable {
    /// An answer.
    public enum Answer: Sendable {
        /// What was asked for.
        case json(JSONValue)
        /// A report file.
        case file([UInt8])
        /// It is not there; in a line.
        case missing(String)
        /// The question is wrong; which parameter, and what it takes.
        case wrong(String)
    }

    private let reader: StoreReader

    /// The answers of a store.
    public init(_ store: any Store) { reader = StoreReader(store) }

    /// Most that a list has.
    public static let maximumLimit = 1_000

    /// Answers a question.
    ///
    /// - Parameters:
    ///   - path: what stands behind `/api`: `["1", "issues", "3"]`.
    ///   - query: its parameters.
    ///   - isChange: true for `POST`.
    public func answer(_ path: [String], _ query: [String: String], isChange: Bool) throws(StoreError) -> Answer {
        do throws(QueryError) {
            return try route(path, APIParameters(query), isChange: isChange)
        } catch {
            switch error {
            case .store(let error): throw error
            case .notFound(let text): return .missing(text)
            case .wrong(let text): return .wrong(text)
            case .unreadable(let text), .unreachable(let text): throw .failed(reason: text)
            }
        }
    }

    private func route(_ path: [String], _ query: APIParameters, isChange: Bool) throws(QueryError) -> Answer {
        let project = path.first.flatMap { Int($0) }
        let rest = project == nil ? path : Array(path.dropFirst())
        switch (rest.first, rest.count, isChange) {
        case ("projects", 1, false):
            try query.allow(APIParameters.ofProjects)
            return .json(try projects(project, query))
        case ("statistics", 1, false):
            try query.allow(APIParameters.ofQuestions)
            let question = try query.question(project)
            let statistics = try reader.statistics(question)
            return .json(StatisticsReport(question: question, statistics: statistics, now: .now()).json)
        case ("issues", 1, false):
            try query.allow(APIParameters.ofIssues)
            return .json(try issues(project, query))
        case ("issues", 2, false):
            try query.allow([])
            return .json(try issue(project, rest[1]))
        case ("issues", 3, true) where rest[2] == "status":
            try query.allow(APIParameters.ofDecisions)
            return .json(try decide(project, rest[1], query))
        case ("reports", 1, false):
            try query.allow(APIParameters.ofReports)
            return .json(try reports(project, query))
        case ("reports", 2, false):
            try query.allow([])
            return .json(try report(project, rest[1]).json)
        case ("reports", 3, false) where rest[2] == "file":
            try query.allow([])
            return .file(try report(project, rest[1]).report.encode())
        default: throw .notFound("nothing here: see \"Reading over HTTP\" in docs/collector.md")
        }
    }

    private func projects(_ project: Int?, _ query: APIParameters) throws(QueryError) -> JSONValue {
        // To count the reports of all takes long where there are many, and most who ask want the names.
        if try query.onlyNames() {
            let names = try reader.projects().filter { project == nil || $0.id == project }
            return .object([
                "projects": .array(
                    names.map { .object(["id": .integer(Int64($0.id)), "name": .string($0.name)]) }
                )
            ])
        }
        return ProjectSummary.json(try reader.projectSummaries().filter { project == nil || $0.id == project })
    }

    private func issues(_ project: Int?, _ query: APIParameters) throws(QueryError) -> JSONValue {
        let selection = try query.issues(project)
        if let project, !(try reader.projects().contains { $0.id == project }) {
            throw .notFound("no project \(project) here: see `mayday projects list`")
        }
        return IssueList(entries: try reader.issues(selection), undigested: try reader.undigested(selection.project))
            .json
    }

    private func found(_ project: Int?, _ number: String) throws(QueryError) -> IssueList.Entry {
        guard let wanted = Int(number) else { throw .notFound("no issue \(number): it is a number") }
        return try Reference.issue(project: project, number: wanted, in: reader)
    }

    private func issue(_ project: Int?, _ number: String) throws(QueryError) -> JSONValue {
        try IssueDetail.load(try found(project, number), from: reader).json
    }

    private func decide(_ project: Int?, _ number: String, _ query: APIParameters) throws(QueryError) -> JSONValue {
        let decision = try query.decision()
        let key = try found(project, number).issue.key
        guard let entry = try reader.decide(decision, on: key, at: .now()) else {
            if case .merge(let into) = decision {
                throw .notFound(
                    "no issue \(into) in project \(key.project) that issue \(key.number) could become part of"
                )
            }
            throw .notFound("no issue \(number) in project \(key.project)")
        }
        return entry.json
    }

    private func reports(_ project: Int?, _ query: APIParameters) throws(QueryError) -> JSONValue {
        var selection = try query.reports(project)
        if let issue = selection.issue {
            let found = try reader.issues(IssueSelection(project: issue.project, number: issue.number, limit: 1))
            selection.issue = found.first?.issue.key ?? issue
        }
        guard let position = try query.number("after", 0...(.max)) else {
            return ReportList(reports: try reader.reports(selection)).json
        }
        let page = try reader.page(of: selection, after: position)
        return .object([
            "reports": .array(page.reports.map { .object($0.members) }),
            "next": page.next.map { .integer(Int64($0)) } ?? .null,
        ])
    }

    private func report(_ project: Int?, _ id: String) throws(QueryError) -> ReportDetail {
        let found = try reader.reports(ReportSelection(project: project, idPrefix: id, limit: 1))
        guard let report = found.first, report.key.id == id else {
            throw .notFound("no report \(id)\(project.map { " in project \($0)" } ?? ""): the whole id is needed")
        }
        return try reader.open(report)
    }
}
