import Client
import CrashReport

/// Where notices go.
protocol NoticeChannel: Sendable {
    /// For the log: no address, which may hold a secret.
    var name: String { get }
    /// Delivers one, or says why not, before a time.
    ///
    /// - Parameter deadline: asked again and again: it comes nearer when the collector stops.
    func deliver(_ notice: any Notice, before deadline: () -> ContinuousClock.Instant) throws(NoticeFailure)
}

/// Why a notice was not delivered.
struct NoticeFailure: Error, Equatable {
    /// In a line.
    var reason: String
    /// False when it is of no use to try again.
    var mayRetry = true
    /// When to try again, if the other side said so.
    var after: Duration?
}

/// A `POST` of the notice as JSON.
struct WebhookChannel: NoticeChannel {
    let url: String
    let name = "the webhook"

    func deliver(_ notice: any Notice, before deadline: () -> ContinuousClock.Instant) throws(NoticeFailure) {
        var call = HTTPCall(url, timeout: max(.milliseconds(1), ContinuousClock.now.duration(to: deadline())))
        call.method = .post
        call.headers = ["Content-Type: application/json"]
        call.body = Array(notice.json.text.utf8)
        // The status is all that is said, whatever page comes with it.
        (call.largestAnswer, call.mayCutAnswer) = (64 << 10, true)
        let answer: HTTPCall.Answer
        do throws(HTTPCall.Failure) { answer = try call.send() } catch {
            throw NoticeFailure(reason: error.description)
        }
        if (200..<300).contains(answer.status) { return }
        throw NoticeFailure(
            reason: "answered \(answer.status)",
            mayRetry: answer.status >= 500 || [408, 425, 429].contains(answer.status),
            after: answer.retryAfter
        )
    }
}
