/// Why some bytes are not a report, and what to do about it.
public struct ReportDecodingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What sort of failure it is.
    public enum Kind: Sendable, Equatable {
        /// The bytes are not gzip data, or contradict themselves.
        case gzip
        /// One of `ReportLimits` was passed.
        case limit
        /// A format version that this code does not read.
        case version
        /// The first line is not a whole `report` line.
        case noReport
        /// A line is not JSON, or a field is missing or has the wrong type.
        case malformed
    }

    /// What sort of failure it is.
    public let kind: Kind
    /// Line of the expanded text, from 1; nil when it is about the whole file.
    public let line: Int?
    /// Line type and member, `thread.frames[4].address`; nil when it is about the whole line.
    public let field: String?
    /// What is wrong: `expected a hex string`.
    public let problem: String
    /// What to do next.
    public let remedy: String

    /// A failure with its place.
    public init(kind: Kind, line: Int? = nil, field: String? = nil, problem: String, remedy: String) {
        self.kind = kind
        self.line = line
        self.field = field
        self.problem = problem
        self.remedy = remedy
    }

    /// One line: place, problem, remedy. Safe on a terminal.
    public var description: String {
        let place = (line.map { "line \($0): " } ?? "") + (field.map { "\($0.madeVisible(limit: 120)): " } ?? "")
        return "\(place)\(problem); \(remedy)"
    }
}

extension ReportDecodingError {
    package static func gzip(_ error: GzipError) -> ReportDecodingError {
        switch error {
        case .tooLarge(let limit): limitPassed("more than \(limit) expanded bytes")
        case .notGzip:
            ReportDecodingError(
                kind: .gzip,
                problem: error.description,
                remedy: "send the report file as it is, compressed"
            )
        case .damaged: ReportDecodingError(kind: .gzip, problem: error.description, remedy: "send the file again")
        }
    }

    static func ratioPassed(_ ratio: Int, gzip: Int, expanded: Int) -> ReportDecodingError {
        limitPassed("\(gzip) bytes of gzip data expand to more than \(expanded), and may to \(ratio) times as many")
    }

    static func limitPassed(_ problem: String, line: Int? = nil, field: String? = nil) -> ReportDecodingError {
        ReportDecodingError(
            kind: .limit,
            line: line,
            field: field,
            problem: problem,
            remedy: "a report must stay within the limits in docs/report-format.md"
        )
    }

    static func version(_ version: Int) -> ReportDecodingError {
        let own = ReportHeader.currentVersion
        return ReportDecodingError(
            kind: .version,
            line: 1,
            field: "report.version",
            problem: "the report has format version \(version), and this program reads version \(own)",
            remedy: version > own ? "update this program" : "send it again with a current SDK"
        )
    }

    static func noReport(_ problem: String) -> ReportDecodingError {
        ReportDecodingError(
            kind: .noReport,
            line: 1,
            problem: problem,
            remedy: "a report begins with a whole line of type \"report\"; without it the file cannot be used"
        )
    }

    package static func malformed(_ error: JSONError, line: Int, type: String?) -> ReportDecodingError {
        let path = type.map { error.inside($0).path } ?? error.path
        let field = path.isEmpty ? nil : path
        if error.kind == .limit { return .limitPassed(error.placedProblem, line: line, field: field) }
        return ReportDecodingError(
            kind: .malformed,
            line: line,
            field: field,
            problem: error.placedProblem,
            remedy: "see docs/report-format.md for what a line may hold"
        )
    }
}
