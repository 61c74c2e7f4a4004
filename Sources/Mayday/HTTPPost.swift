internal import CCurl
internal import CrashCapture
internal import CrashReport
internal import Synchronization

/// One POST over HTTP, sent with libcurl on a thread of its own.
package struct HTTPPost: Sendable {
    /// Where to.
    package var url: String
    /// `Name: value` lines, besides those that every request has.
    package var headers: [String]
    /// What is sent.
    package var body: [UInt8]
    /// When the request is given up.
    package var deadline: ContinuousClock.Instant
    /// Whether the way leads past any proxy.
    package var direct: Bool
    /// Name of a header of the answer that is wanted.
    package var wantedHeader: String?

    /// A request; what it says is in the properties.
    package init(
        url: String,
        headers: [String],
        body: [UInt8],
        deadline: ContinuousClock.Instant,
        direct: Bool,
        wantedHeader: String? = nil
    ) {
        self.url = url
        self.headers = headers
        self.body = body
        self.deadline = deadline
        self.direct = direct
        self.wantedHeader = wantedHeader
    }

    /// What came back.
    package struct Answer: Sendable, Equatable {
        /// The status code.
        package var status: Int
        /// From `Retry-After`, in seconds or as a date.
        package var retryAfter: Duration?
        /// The first `HTTPPost.largestAnswer` bytes of the body.
        package var body: [UInt8]
        /// Value of the wanted header; empty when there was none.
        package var header: String

        /// An answer by its parts.
        package init(status: Int, retryAfter: Duration? = nil, body: [UInt8] = [], header: String = "") {
            self.status = status
            self.retryAfter = retryAfter
            self.body = body
            self.header = header
        }
    }

    static let largestAnswer = 64 << 10

    /// Version of the SDK, as backends are told it.
    package static var clientVersion: String { MAYDAY_SDK_VERSION }

    /// Sends the request and waits for the answer, whatever it is, without holding a thread of Swift's pool.
    ///
    /// - Throws: `UploadError.retry` when there is no whole answer, or the task was cancelled.
    package func send() async throws(UploadError) -> Answer {
        guard deadline > .now else { throw .retry(after: nil, reason: "no time was left to send it") }
        let cancellation = Cancellation()
        let result = await withTaskCancellationHandler {
            await onOwnThread { sendBlocking(cancellation) }
        } onCancel: {
            cancellation.isCancelled.store(true, ordering: .relaxed)
        }
        switch result {
        case .success(.success(let answer)): return answer
        case .success(.failure(let error)): throw error
        case .failure(let error): throw .retry(after: nil, reason: "no thread could be started to send it: \(error)")
        }
    }

    /// Whether libcurl is there.
    package static func selfCheck() -> [SelfCheck.Finding] {
        if let path = LibrarySearch.find("libcurl.so.4") { return [.ok("libcurl", path)] }
        if mayday_free_descriptors(1) == 0 {
            let remedy = "raise the limit of open files (ulimit -n)"
            return [.warning("libcurl", "not looked for: no descriptor is free", remedy)]
        }
        return [
            .problem(
                "libcurl",
                "libcurl.so.4 is not found: nothing is delivered, and reports stay in the spool",
                "install libcurl4"
            )
        ]
    }

    private final class Cancellation: Sendable {
        let isCancelled = Atomic(false)
    }

    private func sendBlocking(_ cancellation: Cancellation) -> Result<Answer, UploadError> {
        var response = [UInt8](repeating: 0, count: HTTPPost.largestAnswer)
        var answer = MaydayHTTPAnswer()
        let milliseconds = max(1, Int((deadline - .now) / .milliseconds(1)))
        // Without `Expect:`, libcurl waits a second for a leave that not every proxy gives.
        let lines = headers + ["User-Agent: \(MAYDAY_SDK_NAME)/\(MAYDAY_SDK_VERSION)", "Expect:"]
        response.withUnsafeMutableBufferPointer { response in
            body.withUnsafeBufferPointer { body in
                withCStrings(lines.map { $0.utf8CString.map { $0 } }) { headers in
                    url.withCString { url in
                        withOptionalCString(wantedHeader) { wantedHeader in
                            var request = MaydayHTTPRequest()
                            request.url = url
                            request.headers = headers
                            request.body = body.baseAddress
                            request.body_length = body.count
                            request.connect_timeout_ms = milliseconds
                            request.total_timeout_ms = milliseconds
                            request.direct = direct
                            request.response = response.baseAddress
                            request.response_capacity = response.count
                            request.wanted_header = wantedHeader
                            request.is_cancelled = { context in
                                guard let context else { return false }
                                let cancellation = Unmanaged<Cancellation>.fromOpaque(context).takeUnretainedValue()
                                return cancellation.isCancelled.load(ordering: .relaxed)
                            }
                            request.cancel_context = UnsafeRawPointer(Unmanaged.passUnretained(cancellation).toOpaque())
                            mayday_http_post(&request, &answer)
                        }
                    }
                }
            }
        }
        withExtendedLifetime(cancellation) {}
        switch answer.outcome {
        case MAYDAY_HTTP_ANSWERED:
            return .success(
                Answer(
                    status: answer.status,
                    retryAfter: answer.retry_after_s > 0 ? .seconds(answer.retry_after_s) : nil,
                    body: Array(response[..<answer.response_length]),
                    header: text(of: answer.header)
                )
            )
        case MAYDAY_HTTP_NO_LIBRARY:
            let problem = text(of: answer.error)
            let remedy = ErrorRemedy.ofLoading(problem, package: "libcurl4")
            return .failure(.retry(after: nil, reason: "libcurl cannot be used, \(remedy): \(problem)"))
        default:
            let isCancelled = cancellation.isCancelled.load(ordering: .relaxed)
            let reason = isCancelled ? "cancelled" : "no answer: \(text(of: answer.error))"
            return .failure(.retry(after: nil, reason: reason))
        }
    }
}

/// The text in an array of C, up to its NUL.
private func text<Characters>(of characters: Characters) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
