internal import BackendSupport
public import CrashReport
public import Mayday

/// Tells a chat of each report: posts `{"text": …}`, which Slack, Mattermost, Rocket.Chat, Zulip, Google Chat and many
/// others accept as it is.
///
/// The message says what happened, where, and in which release; the stack is its innermost functions only. A chat has no ids,
/// so a report that is sent again after a lost answer is there twice. Use it beside a backend that keeps the reports.
public struct WebhookUploader: ReportUploader {
    /// `webhook`, or what was given.
    public let name: String
    let endpoint: HTTPEndpoint
    private let field: String
    private let kinds: Set<ReportKind>?

    /// A webhook by its address.
    ///
    /// - Parameters:
    ///   - url: the address that the chat gave; it is secret, and never printed. The environment variable
    ///     `MAYDAY_WEBHOOK_URL` overrides it.
    ///   - field: name of the text's field; Discord calls it `content`.
    ///   - kinds: what the chat is told of, `[.crash]` for crashes only; nil for everything.
    ///   - name: another name for a second webhook; only the first, `webhook`, is overridden by the variable.
    /// - Throws: `ConfigurationError` for an address that cannot be used.
    public init(
        url: String,
        field: String = "text",
        kinds: Set<ReportKind>? = nil,
        name: String = "webhook"
    ) throws(ConfigurationError) {
        self.name = name
        self.kinds = kinds
        self.field = field
        endpoint = try HTTPEndpoint(
            url,
            setting: "WebhookUploader.url",
            variable: name == "webhook" ? "MAYDAY_WEBHOOK_URL" : nil,
            example: "https://chat.example.com/hooks/KEY"
        )
    }

    /// `webhook at chat.example.com`.
    public var destination: String { "webhook at \(endpoint.authority)" }

    /// What it was given.
    public func accepts(_ kind: ReportKind) -> Bool { kinds?.contains(kind) ?? true }

    /// Whether libcurl is there.
    public func selfCheck() -> [SelfCheck.Finding] { HTTPPost.selfCheck() }

    /// Posts the message; returns once the chat has taken it.
    public func upload(_ report: SpooledReport) async throws(UploadError) {
        let message = ChatMessage(try await ReadableReport.read(report))
        var json = JSONWriter()
        json.object { $0.member(field, message.text) }
        let post = HTTPPost(
            url: endpoint.url,
            headers: ["Content-Type: application/json"],
            body: json.bytes,
            deadline: report.deadline,
            direct: endpoint.isLoopback
        )
        try WebhookUploader.check(try await post.send())
    }

    /// Returns when the chat has taken the message. Chats answer in text of their own, if at all.
    static func check(_ answer: HTTPPost.Answer) throws(UploadError) {
        let text = String(decoding: answer.body.prefix(200), as: UTF8.self)
        let problem = text.isEmpty ? "it answered \(answer.status) without saying why" : "\(text) (\(answer.status))"
        switch answer.status {
        case 200..<300: return
        case 400, 413, 415, 422: throw .rejected(reason: problem)
        case 401, 403, 404, 410:
            throw .retry(after: nil, reason: "\(problem); check the address, it may have been withdrawn")
        case 300..<400: throw .retry(after: nil, reason: "\(problem); write the address it moved to")
        default: throw .retry(after: answer.retryAfter, reason: problem)
        }
    }
}
