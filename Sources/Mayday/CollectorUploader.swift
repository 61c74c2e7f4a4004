internal import CrashReport

extension CollectorUploader: ReportUploader {
    /// `collector at 127.0.0.1:7171`.
    public var destination: String { "collector at \(dsn.authority)" }

    /// The project of the collector: each has its own limit.
    public var pauseScope: String { dsn.reportsURL }

    /// Whether libcurl is there.
    public func selfCheck() -> [SelfCheck.Finding] { HTTPPost.selfCheck() }

    /// What `mayday serve` takes: 8 MiB.
    public var largestReport: Int? { 8 << 20 }

    /// Posts the report; returns once the collector says that it has it for good.
    public func upload(_ report: SpooledReport) async throws(UploadError) {
        var headers = ["Content-Type: application/x-ndjson", "Content-Encoding: gzip"]
        if !report.discarded.isEmpty { headers.append("Mayday-Discarded: \(report.discarded.text)") }
        let answer = try await post(report.gzip, headers: headers, deadline: report.deadline)
        try CollectorAnswer(answer).check(id: report.id)
    }

    /// Posts nothing, which a collector refuses as no report when project and key are good.
    public func probe(deadline: ContinuousClock.Instant) async throws(UploadError) -> Bool {
        let answer = try await post([], headers: ["Content-Type: application/x-ndjson"], deadline: deadline)
        if answer.status == 400, case .string? = (try? JSONReader.parse(answer.body))?["error"] { return true }
        // No id is that of a report: whatever else came is a failure, with its reason.
        try CollectorAnswer(answer).check(id: "")
        return true
    }

    private func post(
        _ body: [UInt8],
        headers: [String],
        deadline: ContinuousClock.Instant
    ) async throws(UploadError) -> HTTPPost.Answer {
        try await HTTPPost(
            url: dsn.reportsURL,
            headers: ["Authorization: Bearer \(dsn.key)"] + headers,
            body: body,
            deadline: deadline,
            direct: dsn.isLoopback
        ).send()
    }
}

/// What the collector's answer means.
struct CollectorAnswer {
    var answer: HTTPPost.Answer

    init(_ answer: HTTPPost.Answer) { self.answer = answer }

    /// Returns when the collector has the report `id` for good.
    func check(id: String) throws(UploadError) {
        let body = try? JSONReader.parse(answer.body)
        let problem: String
        if case .string(let error) = body?["error"] {
            problem = "\(error.madeVisible(limit: 300)) (\(answer.status))"
        } else {
            problem = "it answered \(answer.status) without saying why"
        }
        switch answer.status {
        case 200, 201:
            // Only a collector knows the id: what a proxy or another server accepted is not delivered.
            guard case .string(let taken) = body?["id"], ReportID.isValid(taken) else {
                throw .retry(after: nil, reason: "the answer was not a collector's, check the host of the DSN")
            }
            guard taken == id else {
                throw .rejected(reason: "the file holds report \(taken), and the collector took it as that")
            }
        case 400, 413, 415: throw .rejected(reason: problem)
        case 401, 403: throw .retry(after: nil, reason: "\(problem); check the key of the DSN")
        case 404: throw .retry(after: nil, reason: "\(problem); check the project of the DSN")
        case 300..<400: throw .retry(after: nil, reason: "\(problem); write the address it moved to in the DSN")
        default: throw .retry(after: answer.retryAfter, reason: problem)
        }
    }
}
