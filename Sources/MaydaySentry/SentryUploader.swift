internal import BackendSupport
internal import CrashReport
public import Mayday

/// Delivers reports to Sentry, or to whatever speaks its protocol: an envelope with one event for each report.
///
/// Functions, files and lines are looked up on the machine that crashed, so the backend needs no debug files; addresses and
/// build ids are sent too, for one that has them. Stack and heap memory is never sent.
public struct SentryUploader: ReportUploader {
    /// `sentry`, or what was given.
    public let name: String
    let dsn: DSN
    private let limits = SentryRateLimits()

    /// A project by its DSN, which the environment variable `SENTRY_DSN` overrides.
    ///
    /// - Parameters:
    ///   - dsn: `https://KEY@host/PROJECT`, from the project's settings.
    ///   - name: another name for a second project; only the first, `sentry`, is overridden by the variable.
    /// - Throws: `DSNError`, which names the part that is wrong.
    public init(dsn: String, name: String = "sentry") throws(DSNError) {
        self.name = name
        self.dsn = try DSN(
            dsn,
            variable: name == "sentry" ? "SENTRY_DSN" : nil,
            dropsSecret: true,
            example: "https://KEY@o1.ingest.example.com/42"
        )
    }

    /// `sentry at o1.ingest.example.com`.
    public var destination: String { "sentry at \(dsn.authority)" }

    /// The project.
    public var pauseScope: String { dsn.apiURL }

    /// Whether libcurl is there.
    public func selfCheck() -> [SelfCheck.Finding] { HTTPPost.selfCheck() }

    /// Posts the report as an envelope; returns once the backend has accepted it, which is before it has stored it.
    public func upload(_ report: SpooledReport) async throws(UploadError) {
        if let pause = limits.pause(now: .now) {
            throw .retry(after: pause, reason: "it asked for a pause in an earlier answer")
        }
        let readable = try await ReadableReport.read(report)
        // Too large is tried once more without what is needed least: a report that is short beats none.
        for detail in [SentryEvent.Detail.full, .crashedThreadOnly] {
            let event = SentryEvent(readable, detail: detail)
            let envelope = SentryEnvelope(event, discarded: report.discarded, sentAt: .now(), sdk: SentryUploader.sdk)
            let answer = try await post(envelope.bytes, deadline: report.deadline)
            limits.note(answer.header, now: .now)
            if answer.status == 413, detail == .full { continue }
            return try SentryAnswer(answer).check()
        }
    }

    /// Posts an envelope without items, which every backend takes when the key is good.
    public func probe(deadline: ContinuousClock.Instant) async throws(UploadError) -> Bool {
        let answer = try await post(SentryEnvelope.empty(sentAt: .now(), sdk: SentryUploader.sdk), deadline: deadline)
        // Some want an item: whoever says so has taken the key.
        guard answer.status != 400 else { return true }
        try SentryAnswer(answer).check()
        return true
    }

    static let sdk = SDKFacts(name: "mayday.swift", version: HTTPPost.clientVersion)

    private func post(_ envelope: [UInt8], deadline: ContinuousClock.Instant) async throws(UploadError)
        -> HTTPPost.Answer
    {
        let client = "\(SentryUploader.sdk.name)/\(SentryUploader.sdk.version)"
        let post = HTTPPost(
            url: "\(dsn.apiURL)/envelope/",
            headers: [
                "X-Sentry-Auth: Sentry sentry_version=7, sentry_client=\(client), sentry_key=\(dsn.key)",
                "Content-Type: application/x-sentry-envelope", "Content-Encoding: gzip",
            ],
            body: Gzip.compress(envelope),
            deadline: deadline,
            direct: dsn.isLoopback,
            wantedHeader: SentryRateLimits.header
        )
        return try await post.send()
    }
}

/// What the answer to an envelope means.
///
/// Sentry's own clients drop an event at any failure but that of the network. A report that waits in the spool can be sent
/// again, and the event's id keeps it from being there twice, so only what the backend will never take is given up.
struct SentryAnswer {
    var answer: HTTPPost.Answer

    init(_ answer: HTTPPost.Answer) { self.answer = answer }

    /// Returns when the backend has accepted the envelope.
    func check() throws(UploadError) {
        let body = try? JSONReader.parse(answer.body)
        var problem = "it answered \(answer.status) without saying why"
        for key in ["detail", "error"] {
            if case .string(let text)? = body?[key], !text.isEmpty { problem = "\(text) (\(answer.status))" }
        }
        switch answer.status {
        case 200..<300:
            // What a captive portal or another server accepted is not delivered.
            guard case .object? = body else {
                throw .retry(after: nil, reason: "the answer was not Sentry's, check the host of the DSN")
            }
        case 400, 413, 415: throw .rejected(reason: problem)
        case 401, 403: throw .retry(after: nil, reason: "\(problem); check the key of the DSN")
        case 404: throw .retry(after: nil, reason: "\(problem); check the project of the DSN")
        case 300..<400: throw .retry(after: nil, reason: "\(problem); write the address it moved to in the DSN")
        case 429:
            let asked = SentryRateLimits.seconds(answer.header) ?? answer.retryAfter ?? .seconds(60)
            throw .retry(after: asked, reason: problem)
        default: throw .retry(after: answer.retryAfter, reason: problem)
        }
    }
}
