/// A request, read to its end.
struct Request: Sendable {
    var method: String
    /// Without the query: `["bundles", "hamper"]`.
    var path: [String]
    var query: [String: String]
    var body: [UInt8]
}

/// What is sent back.
struct Response: Sendable {
    var status: UInt32
    var body: String

    static func ok(_ body: String) -> Response { Response(status: 200, body: body) }
    static func badRequest(_ reason: String) -> Response { Response(status: 400, body: reason) }
    static func notFound(_ what: String) -> Response { Response(status: 404, body: "no \(what) here") }
}
