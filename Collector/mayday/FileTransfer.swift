import CCurl
import Client
import Foundation
import Store

/// One request over HTTP, blocking, with libcurl.
struct FileTransfer {
    /// Where to.
    var url: String
    /// `Name: value` lines.
    var headers: [String] = []
    /// For the connection, and for a silence afterwards.
    var patience = Duration.seconds(30)
    /// For all of it.
    var deadline = Duration.seconds(3_600)

    /// What came back.
    struct Answer {
        var status: Int
        var body: [UInt8]
        /// `Upload-Offset`.
        var offset: Int?
        var retryAfter: Duration?
    }

    /// No whole answer.
    struct Failure: Error {
        /// libcurl's words.
        var reason: String
    }

    /// Asks.
    func get() throws(Failure) -> Answer {
        try perform { request, answer in mayday_http_get(&request, &answer) }
    }

    /// Sends the bytes of an open file from where it stands.
    func put(_ descriptor: Int32, length: Int) throws(Failure) -> Answer {
        var file = MaydayHTTPFile(descriptor: descriptor, length: Int64(length), silence_s: silence)
        return try perform { request, answer in mayday_http_put_file(&request, &file, &answer) }
    }

    /// Writes the body of an answer 200, of no more than `limit` bytes, into an open file.
    func get(into descriptor: Int32, limit: Int) throws(Failure) -> Answer {
        var file = MaydayHTTPFile(descriptor: descriptor, length: Int64(limit), silence_s: silence)
        return try perform { request, answer in mayday_http_get_file(&request, &file, &answer) }
    }

    private var silence: Int { max(1, Int(patience.components.seconds)) }

    private func perform(_ body: (inout MaydayHTTPRequest, inout MaydayHTTPAnswer) -> Void) throws(Failure) -> Answer {
        var response = [UInt8](repeating: 0, count: 64 << 10)
        var answer = MaydayHTTPAnswer()
        let lines = headers + ["User-Agent: mayday/\(VersionCommand.version)", "Expect:"]
        let texts = lines.map { strdup($0) }
        defer { for text in texts { free(text) } }
        response.withUnsafeMutableBufferPointer { response in
            (texts.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { headers in
                url.withCString { url in
                    "Upload-Offset".withCString { wanted in
                        var request = MaydayHTTPRequest()
                        request.url = url
                        request.headers = headers.baseAddress
                        request.connect_timeout_ms = silence * 1_000
                        request.total_timeout_ms = Int(deadline.components.seconds) * 1_000
                        request.response = response.baseAddress
                        request.response_capacity = response.count
                        request.wanted_header = wanted
                        body(&request, &answer)
                    }
                }
            }
        }
        guard answer.outcome == MAYDAY_HTTP_ANSWERED else {
            throw Failure(reason: HTTPCall.Failure(answer, url: url).description)
        }
        let offset = withUnsafeBytes(of: answer.header) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return Answer(
            status: answer.status,
            body: Array(response[..<min(answer.response_length, response.count)]),
            offset: Int(offset),
            retryAfter: answer.retry_after_s > 0 ? .seconds(answer.retry_after_s) : nil
        )
    }
}
