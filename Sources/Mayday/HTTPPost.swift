internal import CCurl

/// One POST, sent with libcurl on a thread of its own.
struct HTTPPost: Sendable {
    var url: String
    /// `Name: value` lines.
    var headers: [String]
    var body: [UInt8]
    /// Bound of the whole request.
    var timeout: Duration
    /// Whether the way leads past any proxy.
    var direct: Bool

    /// What came back.
    struct Answer: Sendable, Equatable {
        var status: Int
        /// From `Retry-After`, in seconds or as a date.
        var retryAfter: Duration?
        /// The first `HTTPPost.largestAnswer` bytes of the body.
        var body: [UInt8]
    }

    /// Why there is no answer.
    enum Failure: Error, Sendable, Equatable {
        /// libcurl cannot be loaded.
        case noLibrary(String)
        /// Refused, timed out, cut short, not HTTP.
        case noAnswer(String)
        /// No thread could be started to send it on.
        case noThread(SystemError)
    }

    static let largestAnswer = 64 << 10

    /// Sends the request and waits for the answer without holding a thread of Swift's pool.
    func send() async -> Result<Answer, Failure> {
        switch await onOwnThread({ sendBlocking() }) {
        case .success(let result): result
        case .failure(let error): .failure(.noThread(error))
        }
    }

    private func sendBlocking() -> Result<Answer, Failure> {
        var response = [UInt8](repeating: 0, count: HTTPPost.largestAnswer)
        var answer = MaydayHTTPAnswer()
        let milliseconds = max(1, Int(timeout / .milliseconds(1)))
        response.withUnsafeMutableBufferPointer { response in
            body.withUnsafeBufferPointer { body in
                withCStrings(headers.map { $0.utf8CString.map { $0 } }) { headers in
                    url.withCString { url in
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
                        mayday_http_post(&request, &answer)
                    }
                }
            }
        }
        switch answer.outcome {
        case MAYDAY_HTTP_ANSWERED:
            return .success(
                Answer(
                    status: answer.status,
                    retryAfter: answer.retry_after_s > 0 ? .seconds(answer.retry_after_s) : nil,
                    body: Array(response[..<answer.response_length])
                )
            )
        case MAYDAY_HTTP_NO_LIBRARY: return .failure(.noLibrary(answer.problem))
        default: return .failure(.noAnswer(answer.problem))
        }
    }
}

extension MaydayHTTPAnswer {
    fileprivate var problem: String {
        withUnsafeBytes(of: error) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
