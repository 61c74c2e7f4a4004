import CMicroHTTPD
import Synchronization

/// One request and its response.
///
/// `@unchecked`: all but `response` is touched by the server's thread alone, and not while the connection is suspended;
/// the connection itself is only handed to `MHD_resume_connection`, which may be called on any thread.
final class Exchange: @unchecked Sendable {
    private static let largestBody = 1 << 20

    private let connection: OpaquePointer
    private var request: Request
    private let response = Mutex<Response?>(nil)

    init(connection: OpaquePointer, method: String, url: String) {
        self.connection = connection
        request = Request(
            method: method,
            path: url.split(separator: "/").map(String.init),
            query: [:],
            body: []
        )
        _ = withUnsafeMutablePointer(to: &request.query) { query in
            MHD_get_connection_values(connection, .GET_ARGUMENT_KIND, collectArgument, query)
        }
    }

    /// Adds to the body; false when it is too large.
    func append(_ part: UnsafePointer<CChar>?, count: Int) -> Bool {
        guard request.body.count + count <= Self.largestBody else { return false }
        request.body += UnsafeRawBufferPointer(start: part, count: count)
        return true
    }

    /// Leaves the server's thread free while a task finds the answer.
    func start(_ handler: @escaping Server.Handler) {
        MHD_suspend_connection(connection)
        let request = request
        Task {
            let answer = await handler(request)
            response.withLock { $0 = answer }
            MHD_resume_connection(connection)
        }
    }

    /// The answer, once the task has it.
    func takeResponse() -> Response? {
        response.withLock { $0.take() }
    }

    /// Queues the response.
    func send(_ response: Response) -> MHD_Result {
        var body = Array((response.body + "\n").utf8)
        guard let message = MHD_create_response_from_buffer(body.count, &body, .RESPMEM_MUST_COPY) else {
            return .NO
        }
        defer { MHD_destroy_response(message) }
        return MHD_queue_response(connection, response.status, message)
    }
}

private let collectArgument: MHD_KeyValueIterator = { context, _, key, value in
    guard let context, let key else { return .YES }
    let query = context.assumingMemoryBound(to: [String: String].self)
    query.pointee[String(cString: key)] = value.map { String(cString: $0) } ?? ""
    return .YES
}
