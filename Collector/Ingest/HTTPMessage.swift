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
    var headers: [String: String]

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
    /// The answer was sent, or the client went away (status 0).
    func completed(_ request: HTTPRequest, status: Int, bytes: Int, duration: Duration)
}

/// Why a request that may be good was not taken.
enum RefusedBody: Sendable {
    case tooLarge(limit: Int)
    case noMemory
    case tooManyConnections
}
