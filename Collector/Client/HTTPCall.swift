package import CCurl
import CrashReport
import Dispatch
import Foundation

/// One request over HTTP that blocks until it is answered, or its time is over. From any thread but one of Swift's pool.
public struct HTTPCall: Sendable {
    /// What to do there.
    public enum Method: Sendable {
        /// Asks for something.
        case get
        /// Sends something.
        case post
    }

    /// What to do there.
    public var method = Method.get
    /// `http://` or `https://`.
    public var url: String
    /// `Name: value` lines.
    public var headers: [String] = []
    /// What is sent with `post`.
    public var body: [UInt8] = []
    /// Bound of the whole request.
    public var timeout: Duration
    /// Bytes of an answer that are read; a longer one is an error, unless it may be cut.
    public var largestAnswer = 64 << 20
    /// True where a longer answer is as good as its beginning.
    public var mayCutAnswer = false

    /// A request of nothing but its address.
    public init(_ url: String, timeout: Duration) {
        self.url = url
        self.timeout = timeout
    }

    /// What came back.
    public struct Answer: Sendable, Equatable {
        /// The status code.
        public var status: Int
        /// From `Retry-After`.
        public var retryAfter: Duration?
        /// The body.
        public var body: [UInt8]
    }

    /// Why there was no answer.
    public struct Failure: Error, CustomStringConvertible {
        /// In a line.
        public let reason: String
        /// What to do about it, where that is known.
        public let remedy: String?

        /// A failure in words.
        public init(_ reason: String, remedy: String? = nil) { (self.reason, self.remedy) = (reason, remedy) }

        /// What libcurl says, and what that usually means for a URL.
        package init(_ answer: MaydayHTTPAnswer, url: String) {
            let text = withUnsafeBytes(of: answer.error) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard answer.outcome != MAYDAY_HTTP_NO_LIBRARY else {
                self.init("libcurl cannot be used: \(text)", remedy: ErrorRemedy.ofLoading(text, package: "libcurl4"))
                return
            }
            let isSecure = url.hasPrefix("https:")
            let remedy: String? =
                switch answer.code {
                // CURLE_PEER_FAILED_VERIFICATION
                case 60:
                    "SSL_CERT_FILE=FILE names the authorities to trust instead of the system's: the server's own, in PEM"
                // CURLE_SSL_CACERT_BADFILE
                case 77: "SSL_CERT_FILE has to name a file of certificates in PEM"
                // CURLE_SSL_CONNECT_ERROR
                case 35 where isSecure: "if it speaks no TLS there, the URL begins with http://"
                // CURLE_GOT_NOTHING, CURLE_RECV_ERROR
                case 52 where !isSecure, 56 where !isSecure: "if it speaks TLS there, the URL begins with https://"
                default: nil
                }
            self.init(text, remedy: remedy)
        }

        /// Both in a line.
        public var description: String { remedy.map { "\(reason); \($0)" } ?? reason }
    }

    /// Sends it. A redirect is an answer as any other, so that secrets go nowhere else.
    public func send() throws(Failure) -> Answer {
        // The end of the process waits for threads that have sent something: this one ends with its request.
        let errand = Errand(self)
        let context = Unmanaged.passRetained(errand)
        let code = mayday_run_on_own_thread(
            { context in
                guard let context else { return }
                Unmanaged<Errand>.fromOpaque(context).takeRetainedValue().run()
            },
            context.toOpaque()
        )
        guard code == 0 else {
            context.release()
            throw Failure("no thread can be started: \(String(cString: strerror(code)))")
        }
        errand.done.wait()
        return try errand.result.get()
    }

    /// A request on its way from one thread to another and back.
    private final class Errand {
        private let call: HTTPCall
        let done = DispatchSemaphore(value: 0)
        private(set) var result = Result<Answer, Failure>.failure(Failure("it was not sent"))

        init(_ call: HTTPCall) { self.call = call }

        func run() {
            do throws(Failure) { result = .success(try call.perform()) } catch { result = .failure(error) }
            done.signal()
        }
    }

    private func perform() throws(Failure) -> Answer {
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: largestAnswer)
        defer { buffer.deallocate() }
        let copies: [UnsafeMutablePointer<CChar>?] = headers.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        let lines = copies.map { UnsafePointer($0) }
        var answer = MaydayHTTPAnswer()
        // libcurl would read standard input for a body that is nowhere.
        (body.isEmpty ? [0] : body).withUnsafeBufferPointer { bytes in
            lines.withUnsafeBufferPointer { lines in
                url.withCString { url in
                    var request = MaydayHTTPRequest()
                    request.url = url
                    request.headers = lines.baseAddress
                    request.body = bytes.baseAddress
                    request.body_length = body.count
                    request.total_timeout_ms = max(1, Int(timeout / .milliseconds(1)))
                    request.connect_timeout_ms = min(request.total_timeout_ms, 5_000)
                    request.direct = false
                    request.response = buffer
                    request.response_capacity = largestAnswer
                    switch method {
                    case .get: mayday_http_get(&request, &answer)
                    case .post: mayday_http_post(&request, &answer)
                    }
                }
            }
        }
        guard answer.outcome == MAYDAY_HTTP_ANSWERED else { throw Failure(answer, url: url) }
        guard mayCutAnswer || answer.response_length < largestAnswer else {
            throw Failure("the answer is longer than \(largestAnswer) bytes")
        }
        return Answer(
            status: answer.status,
            retryAfter: answer.retry_after_s > 0 ? .seconds(answer.retry_after_s) : nil,
            body: Array(UnsafeBufferPointer(start: buffer, count: answer.response_length))
        )
    }
}
