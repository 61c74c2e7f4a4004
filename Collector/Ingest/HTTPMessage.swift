internal import CrashReport

/// What a client asked.
struct HTTPRequest: Sendable {
    /// `GET`, `POST` …
    var method: String
    /// Percent-decoded, without the query.
    var path: String
    /// Query parameters, percent-decoded; of repeated ones the last.
    var query: [String: String]
    /// Header fields by their name in lower case; of repeated ones the last.
    let headers: [String: String]
    /// The answer when it is not clear where its body ends.
    let framingRefusal: HTTPAnswer?

    init(method: String, path: String, query: [String: String], headers: [String: String]) {
        (self.method, self.path, self.query, self.headers) = (method, path, query, headers)
        framingRefusal = Self.framingRefusal(of: headers)
    }

    /// The credential of `Authorization: Bearer …`.
    var bearer: String? {
        guard let value = headers["authorization"] else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1])
    }

    /// The media type without its parameters, in lower case.
    var contentType: String? {
        headers["content-type"]?.split(separator: ";").first.map { $0.lowercased().filter { $0 != " " } }
    }

    /// The length that the client announced; nil for a chunked body.
    var contentLength: Int? { headers["content-length"].flatMap { Int($0) } }

    /// True when a body follows the header.
    var hasBody: Bool { (contentLength ?? 0) > 0 || headers["transfer-encoding"] != nil }

    /// True when the client waits for a go before it sends the body.
    var expectsContinue: Bool { headers["expect"]?.lowercased() == "100-continue" }
}

extension HTTPRequest {
    /// The answer when it is not clear where the body ends (RFC 9112, section 6.3), so that a proxy before the server may see another end
    /// than the server does; the connection ends after it.
    private static func framingRefusal(of headers: [String: String]) -> HTTPAnswer? {
        let length = headers["content-length"]
        if let coding = headers["transfer-encoding"] {
            guard length == nil else {
                return .error(400, "both Content-Length and Transfer-Encoding: send one of them")
            }
            guard coding.lowercased() == "chunked" else {
                return .error(501, "Transfer-Encoding: only chunked is taken")
            }
        }
        if let length, length.isEmpty || !length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .error(400, "Content-Length: expected one whole number")
        }
        guard headers.keys.allSatisfy({ $0.utf8.last.map { $0 != 0x20 && $0 != 0x09 } ?? false }) else {
            return .error(400, "a header's name ends with a blank: put the colon right behind the name")
        }
        return nil
    }
}

/// What it is told.
struct HTTPAnswer: Sendable {
    var status: Int
    var headers: [(name: String, value: String)]
    var body: [UInt8]

    /// JSON, with a line end so that it reads well in a terminal.
    static func json(_ status: Int, _ value: JSONValue, headers: [(name: String, value: String)] = []) -> HTTPAnswer {
        HTTPAnswer(
            status: status,
            headers: [("Content-Type", "application/json")] + headers,
            body: Array((value.text + "\n").utf8)
        )
    }

    static func text(_ status: Int, _ text: String, type: String) -> HTTPAnswer {
        HTTPAnswer(status: status, headers: [("Content-Type", type)], body: Array(text.utf8))
    }

    /// An error by what is wrong and what to do.
    static func error(_ status: Int, _ text: String, headers: [(name: String, value: String)] = []) -> HTTPAnswer {
        json(status, .object(["error": .string(text)]), headers: headers)
    }
}

/// What to do with a request once its header is there.
enum Reception {
    /// Answer; a body that follows is of no interest.
    case answer(HTTPAnswer)
    /// Take the body, up to a limit, and then ask for the answer.
    case receive(limit: Int)
    /// Hand the body over piece by piece, for one that is too large for memory.
    case stream(any BodyReceiver)
}

/// Takes a body piece by piece. Used only by the thread of the connection; let go of without `finish` when the client went away.
protocol BodyReceiver: AnyObject {
    /// Takes a piece; an answer when no more is wanted.
    func receive(_ piece: UnsafeRawBufferPointer) -> HTTPAnswer?
    /// All of it is there.
    func finish() -> HTTPAnswer
}

/// Decides on requests. Called on the thread of the connection, which may be blocked.
protocol HTTPHandler: Sendable {
    /// The header is there.
    func begin(_ request: HTTPRequest) -> Reception
    /// The body is there.
    func answer(_ request: HTTPRequest, body: [UInt8]) -> HTTPAnswer
    /// The body grew over its limit, or there is no room for it or its connection.
    func refusal(_ cause: RefusedBody) -> HTTPAnswer
    /// True for what is answered to everybody, and even when there are too many connections.
    func isOpenToAll(_ request: HTTPRequest) -> Bool
    /// A connection was ended, or its request is refused, since there are too many. Has to be quick.
    func refused(_ connection: ConnectionRefusal)
    /// The answer was sent, or the client went away (status 0).
    func completed(_ request: HTTPRequest, status: Int, bytes: Int, duration: Duration)
}

/// Why a request that may be good was not taken.
enum RefusedBody: Sendable {
    case tooLarge(limit: Int)
    case noMemory
    case tooManyConnections
}
