internal import BackendSupport
internal import CrashReport
public import Mayday

/// Delivers reports to whatever takes OpenTelemetry's logs over HTTP (OTLP/HTTP, JSON encoding): one log record for each
/// report, with the `exception.*` attributes of the semantic conventions.
public struct OTLPUploader: ReportUploader {
    /// `otlp`, or what was given.
    public let name: String
    let endpoint: HTTPEndpoint
    private let headers: [String]

    /// A receiver by the base of its address; `/v1/logs` is added unless it is there.
    ///
    /// - Parameters:
    ///   - endpoint: `http://127.0.0.1:4318`; the environment variable `MAYDAY_OTLP_ENDPOINT` overrides it.
    ///   - headers: what the receiver asks for, `["Authorization": "Bearer …"]`.
    ///   - name: another name for a second receiver; only the first, `otlp`, is overridden by the variable.
    /// - Throws: `ConfigurationError` for an address or a header that cannot be used.
    public init(endpoint: String, headers: [String: String] = [:], name: String = "otlp") throws(ConfigurationError) {
        self.name = name
        self.endpoint = try HTTPEndpoint(
            endpoint,
            setting: "OTLPUploader.endpoint",
            variable: name == "otlp" ? "MAYDAY_OTLP_ENDPOINT" : nil,
            example: "http://127.0.0.1:4318"
        )
        for (key, value) in headers where (key + value).utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) || key.isEmpty
        {
            let remedy = "write names and values without control characters"
            throw ConfigurationError(
                setting: "OTLPUploader.headers",
                value: "(not shown, it may hold a key)",
                remedy: remedy
            )
        }
        self.headers = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    }

    /// `otlp at 127.0.0.1:4318`.
    public var destination: String { "otlp at \(endpoint.authority)" }

    /// Whether libcurl is there.
    public func selfCheck() -> [SelfCheck.Finding] { HTTPPost.selfCheck() }

    /// Posts the report as a log record; returns once the receiver has accepted it.
    public func upload(_ report: SpooledReport) async throws(UploadError) {
        let record = OTLPRecord(try await ReadableReport.read(report))
        try await post(
            record.request(observed: .now(), scopeVersion: HTTPPost.clientVersion),
            deadline: report.deadline
        )
    }

    /// Posts a request without records.
    public func probe(deadline: ContinuousClock.Instant) async throws(UploadError) -> Bool {
        try await post(Array(#"{"resourceLogs":[]}"#.utf8), deadline: deadline)
        return true
    }

    private func post(_ request: [UInt8], deadline: ContinuousClock.Instant) async throws(UploadError) {
        let post = HTTPPost(
            url: logsURL,
            headers: headers + ["Content-Type: application/json", "Content-Encoding: gzip"],
            body: Gzip.compress(request),
            deadline: deadline,
            direct: endpoint.isLoopback
        )
        try OTLPAnswer(try await post.send()).check()
    }

    private var logsURL: String {
        let path = "/v1/logs"
        let url = endpoint.url
        if url.hasSuffix(path) { return url }
        return url.hasSuffix("/") ? url + path.dropFirst() : url + path
    }
}

/// What the answer to an export means: `opentelemetry.io/docs/specs/otlp`, OTLP/HTTP response.
struct OTLPAnswer {
    var answer: HTTPPost.Answer

    init(_ answer: HTTPPost.Answer) { self.answer = answer }

    /// Returns when the receiver has accepted the record.
    func check() throws(UploadError) {
        let body = try? JSONReader.parse(answer.body)
        var problem = "it answered \(answer.status) without saying why"
        if case .string(let text)? = body?["message"], !text.isEmpty { problem = "\(text) (\(answer.status))" }
        switch answer.status {
        case 200..<300:
            guard answer.body.isEmpty || body != nil else {
                throw .retry(after: nil, reason: "the answer was not one of OTLP, check the endpoint")
            }
            // Accepted in part, of one record, is not accepted, and not to be tried again.
            if OTLPAnswer.isPositive(body?["partialSuccess"]?["rejectedLogRecords"]) {
                guard case .string(let text)? = body?["partialSuccess"]?["errorMessage"] else {
                    throw .rejected(reason: "the receiver rejected the record without saying why")
                }
                throw .rejected(reason: text)
            }
        case 429, 502, 503, 504: throw .retry(after: answer.retryAfter, reason: problem)
        // Not to be tried again by the specification. People put these right, and the report is worth the wait.
        case 401, 403: throw .retry(after: nil, reason: "\(problem); check the headers")
        case 404, 405: throw .retry(after: nil, reason: "\(problem); check the endpoint")
        case 300..<400: throw .retry(after: nil, reason: "\(problem); write the address it moved to as the endpoint")
        default: throw .rejected(reason: problem)
        }
    }

    /// 64-bit integers are strings in JSON, and numbers are accepted.
    private static func isPositive(_ value: JSONValue?) -> Bool {
        switch value {
        case .integer(let count)?: count > 0
        case .string(let text)?: (Int64(text) ?? 0) > 0
        default: false
        }
    }
}
