import Client
package import CrashReport
import Foundation
package import Query
package import Store

/// Another collector, by its read API.
package struct RemoteReader: Reader {
    let url: String
    let token: String
    private let tokenName: String
    static let timeout = Duration.seconds(60)

    /// Reads a collector.
    ///
    /// - Parameters:
    ///   - url: `https://mayday.example.com`, without a slash at its end.
    ///   - token: one that reads there.
    ///   - tokenName: the variable that it came from.
    package init(url: String, token: String, tokenName: String) {
        self.url = url
        self.token = token
        self.tokenName = tokenName
    }

    package func projects() throws(QueryError) -> [ProjectName] {
        try list(try ask("/api/projects", .names), "projects") { value throws(QueryError) in
            ProjectName(id: try value.integer("id"), name: try value.string("name"))
        }
    }

    package func projectSummaries() throws(QueryError) -> [ProjectSummary] {
        try list(try ask("/api/projects"), "projects", ProjectSummary.init(json:))
    }

    package func issues(_ selection: IssueSelection) throws(QueryError) -> [IssueList.Entry] {
        try list(try ask("/api/issues", APIParameters(selection)), "issues", IssueList.Entry.init(json:))
    }

    package func undigested(_ project: Int?) throws(QueryError) -> DigestCounts {
        let answer = try ask("/api/issues", APIParameters(IssueSelection(project: project, limit: 1)))
        guard let counts = answer["undigested"] else { throw .strange("undigested") }
        return DigestCounts(pending: try counts.integer("pending"), failed: try counts.integer("failed"))
    }

    package func joined(to issue: IssueKey) throws(QueryError) -> [Int] {
        let answer = try ask("/api/\(issue.project)/issues/\(issue.number)")
        guard case .array(let numbers)? = answer["joined"] else { throw .strange("joined") }
        return numbers.compactMap { number in
            guard case .integer(let number) = number else { return nil }
            return Int(exactly: number)
        }
    }

    package func hours(of issue: IssueKey, since time: Timestamp) throws(QueryError) -> [HourCount] {
        let answer = try ask("/api/\(issue.project)/issues/\(issue.number)")
        return try list(answer, "hours") { value throws(QueryError) in
            HourCount(hour: try value.time("hour"), count: try value.integer("count"))
        }.filter { $0.hour.microseconds + HourCount.length > time.microseconds }
    }

    package func reports(_ selection: ReportSelection) throws(QueryError) -> [StoredReport] {
        try list(try ask("/api/reports", APIParameters(selection)), "reports", StoredReport.init(json:))
    }

    package func page(of selection: ReportSelection, after position: Int) throws(QueryError) -> ReportPage {
        let answer = try ask("/api/reports", APIParameters(selection, after: position))
        return ReportPage(
            reports: try list(answer, "reports", StoredReport.init(json:)),
            next: answer.optionalInteger("next")
        )
    }

    package func open(_ report: StoredReport) throws(QueryError) -> ReportDetail {
        let path = "/api/\(report.key.project)/reports/\(report.key.id)"
        let (said, file) = (try ask(path), try send("\(path)/file", APIParameters(), isChange: false))
        let decoded: DecodedReport
        do throws(ReportDecodingError) {
            decoded = try Report.decode(gzip: file, limits: .symbolicated)
        } catch {
            throw .unreadable("report \(report.key.id): \(error)")
        }
        var remarks = DigestRemarks()
        remarks.grouping = said.strings("grouping")
        remarks.images = try list(said, "notes") { value throws(QueryError) in
            DigestRemarks.Image(index: try value.integer("image"), text: try value.string("text"))
        }
        return ReportDetail(
            stored: report,
            report: decoded.report,
            warnings: said.strings("warnings"),
            remarks: remarks
        )
    }

    package func statistics(_ question: StatisticsQuestion) throws(QueryError) -> Statistics {
        let answer = try ask("/api/statistics", APIParameters(question))
        let reports = try answer.integer("reports")
        return Statistics(
            reports: reports,
            occurrences: answer.optionalInteger("occurrences") ?? reports,
            issues: try answer.integer("issues"),
            hosts: try answer.integer("hosts"),
            newIssues: try answer.integer("new_issues"),
            counts: try list(answer, "counts") { value throws(QueryError) in
                Statistics.Count(
                    time: value.optionalString("time") == nil ? nil : try value.time("time"),
                    value: value.optionalString("value"),
                    count: try value.integer("count")
                )
            }
        )
    }

    package func decide(_ decision: IssueDecision, on issue: IssueKey, at time: Timestamp) throws(QueryError)
        -> IssueList.Entry?
    {
        let path = "/api/\(issue.project)/issues/\(issue.number)/status"
        return try IssueList.Entry(json: try parse(try send(path, APIParameters(decision), isChange: true)))
    }

    // MARK: HTTP

    private func ask(_ path: String, _ parameters: APIParameters = APIParameters()) throws(QueryError) -> JSONValue {
        try parse(try send(path, parameters, isChange: false))
    }

    private func parse(_ body: [UInt8]) throws(QueryError) -> JSONValue {
        do throws(JSONError) { return try JSONReader.parse(body, depth: 64) } catch {
            throw .unreachable("\(url) answers no JSON: is it a collector? \(error)")
        }
    }

    private func send(_ path: String, _ parameters: APIParameters, isChange: Bool) throws(QueryError) -> [UInt8] {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        let query = parameters.values.sorted { $0.key < $1.key }.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
        }
        var call = HTTPCall(
            url + path + (query.isEmpty ? "" : "?" + query.joined(separator: "&")),
            timeout: Self.timeout
        )
        call.method = isChange ? .post : .get
        call.headers = ["Authorization: Bearer \(token)", "Accept: application/json"]
        let answer: HTTPCall.Answer
        do throws(HTTPCall.Failure) { answer = try call.send() } catch {
            throw .unreachable("\(url) cannot be reached: \(error)")
        }
        if answer.status == 200 { return answer.body }
        throw refusal(answer)
    }

    /// Why a collector did not do what was asked.
    func refusal(_ answer: HTTPCall.Answer) -> QueryError {
        let said = Self.said(answer)
        switch answer.status {
        case 400,
            404 where said != nil:
            return .notFound(said ?? "")
        case 401:
            let word = tokenName == "MAYDAY_READER_TOKEN" ? "reader" : "admin"
            return .unreachable(
                "\(url) does not take the token in \(tokenName): `mayday projects rotate \(word)` makes another"
            )
        case 403 where tokenName.hasPrefix("MAYDAY_ADMIN_TOKEN"):
            // Nothing is refused to the admin token.
            return .unreachable(
                "\(url) refuses it with the token in \(tokenName): that is not its admin token; `mayday projects rotate admin` "
                    + "there makes another"
            )
        case 403: return .unreachable("\(url) refuses it with the token in \(tokenName)\(said.map { ": \($0)" } ?? "")")
        default: return .unreachable("\(url) answered \(answer.status)\(said.map { ": \($0)" } ?? "")")
        }
    }

    /// The collector's own words.
    static func said(_ answer: HTTPCall.Answer) -> String? {
        (try? JSONReader.parse(answer.body))?.optionalString("error")
    }

    private func list<Element>(
        _ value: JSONValue,
        _ name: String,
        _ element: (JSONValue) throws(QueryError) -> Element
    ) throws(QueryError) -> [Element] {
        guard case .array(let values)? = value[name] else { throw .strange(name) }
        var all: [Element] = []
        for value in values { all.append(try element(value)) }
        return all
    }
}
