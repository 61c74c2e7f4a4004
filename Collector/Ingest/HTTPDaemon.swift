internal import CMicroHTTPD
public import CrashReport
import Foundation
import Synchronization

/// Bounds on what clients can make the server hold.
public struct HTTPLimits: Sendable {
    /// Connections at once; each has a thread. Above that, one that waits for its next request, or was refused, is ended.
    public var connections = 256
    /// Connections that are taken above that, to be told 503 or how the server is; others are closed at once.
    public var spareConnections = 32
    /// Connections of one address (IPv6: of one /64) other than this machine's own.
    public var perClient = 128
    /// For the head of a connection's first request, and for its TLS before.
    public var head = Duration.seconds(10)
    /// For silence, and for the next request on a connection.
    public var idle = Duration.seconds(30)
    /// For the whole of a body, and again for the whole of the answer.
    public var request = Duration.seconds(60)
    /// Bytes of bodies that all uploads together hold; above that, 503.
    public var uploads = 64 << 20
    /// Expanded bytes above which reports are read one at a time, apart from the others.
    public var largeReport = 1 << 20
    /// How long one of those waits for its turn; then 503.
    public var largeReportWait = Duration.seconds(10)
    /// For the reports in them.
    public var report = ReportLimits.standard
    /// How long a stop waits for requests that were begun.
    public var stop = Duration.seconds(10)

    /// The usual limits.
    public init() {}
}

/// HTTP by libmicrohttpd, with a thread for each connection: a handler may block until its report is durable, and reports
/// that wait at the same time are committed together.
final class HTTPDaemon: Sendable {
    let address: ListenAddress
    private let service: Service
    private let daemon: Mutex<OpaquePointer?>

    /// What the callbacks need.
    private final class Service: Sendable {
        let handler: any HTTPHandler
        let budget: UploadBudget
        let connections: Connections
        let underWay = UnderWay()
        /// True once every answer ends its connection.
        let isStopping = Atomic(false)

        init(handler: any HTTPHandler, limits: HTTPLimits) {
            self.handler = handler
            budget = UploadBudget(bytes: limits.uploads)
            connections = Connections(limits: limits, refused: handler.refused)
        }
    }

    /// Listens and serves until `stop`.
    init(_ requested: ListenAddress, limits: HTTPLimits, tls: TLSIdentity? = nil, handler: any HTTPHandler)
        throws(ListenError)
    {
        let (socket, port) = try requested.listen()
        var address = requested
        address.port = port
        self.address = address
        service = Service(handler: handler, limits: limits)
        let context = Unmanaged.passUnretained(service).toOpaque()
        var flags = [MHD_USE_THREAD_PER_CONNECTION, MHD_USE_POLL_INTERNAL_THREAD, MHD_USE_ITC]
        // They are read at the start, and never looked at again.
        let secrets = [tls?.key, tls?.certificates, tls.map { _ in Self.priorities }].map { $0.flatMap { strdup($0) } }
        defer { for secret in secrets { free(secret) } }
        var options: [MHD_OptionItem] = []
        if tls != nil {
            flags.append(MHD_USE_TLS)
            options = [
                MHD_OptionItem(option: .HTTPS_MEM_KEY, value: 0, ptr_value: secrets[0]),
                MHD_OptionItem(option: .HTTPS_MEM_CERT, value: 0, ptr_value: secrets[1]),
                MHD_OptionItem(option: .HTTPS_PRIORITIES, value: 0, ptr_value: secrets[2]),
            ]
        }
        options += [
            MHD_OptionItem(option: .LISTEN_SOCKET, value: Int(socket), ptr_value: nil),
            MHD_OptionItem(
                option: .NOTIFY_COMPLETED,
                value: unsafeBitCast(Self.completed, to: Int.self),
                ptr_value: context
            ),
            MHD_OptionItem(
                option: .NOTIFY_CONNECTION,
                value: unsafeBitCast(Self.connection, to: Int.self),
                ptr_value: context
            ),
            MHD_OptionItem(
                option: .CONNECTION_LIMIT,
                // Those that were ended go in their own time.
                value: limits.connections + limits.spareConnections + 64,
                ptr_value: nil
            ),
            MHD_OptionItem(
                option: .CONNECTION_TIMEOUT,
                value: Int(max(1, limits.idle.components.seconds)),
                ptr_value: nil
            ),
            MHD_OptionItem(option: .CONNECTION_MEMORY_LIMIT, value: 64 << 10, ptr_value: nil),
            MHD_OptionItem(option: .THREAD_STACK_SIZE, value: 1 << 20, ptr_value: nil),
            MHD_OptionItem(option: .END, value: 0, ptr_value: nil),
        ]
        let new = mhd_start(flags.reduce(0) { $0 | $1.rawValue }, 0, Self.request, context, options)
        // By its number: the compiler cannot know that it holds nothing of the options.
        guard let started = OpaquePointer(bitPattern: UInt(bitPattern: new)) else {
            let code = errno
            close(socket)
            service.connections.stop()
            throw ListenError(address: requested, code: code)
        }
        daemon = Mutex(started)
    }

    /// Refuses new connections, lets requests that were begun come to their end, and closes the others.
    func stop(within limit: Duration) {
        daemon.withLock { daemon in
            guard let running = daemon else { return }
            let socket = MHD_quiesce_daemon(running)
            if socket >= 0 { close(socket) }
            // Else busy clients would go on for ever on the connections they have.
            service.isStopping.store(true, ordering: .relaxed)
            service.underWay.waitUntilNone(limit)
            MHD_stop_daemon(running)
            service.connections.stop()
            daemon = nil
        }
    }

    deinit { stop(within: .zero) }

    /// Keys that are agreed upon anew for each connection only: who gets the server's key later cannot read what was recorded.
    private static let priorities = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA"

    // MARK: Callbacks, on the thread of the connection

    private static let request: MHD_AccessHandlerCallback = {
        (context, connection, path, method, _, piece, pieceLength, slot) -> MHD_Result in
        guard let context, let connection, let path, let method, let slot, let pieceLength else { return .NO }
        let service = Unmanaged<Service>.fromOpaque(context).takeUnretainedValue()
        guard let known = slot.pointee else {
            let request = HTTPRequest(
                method: String(cString: method),
                path: String(cString: path),
                query: values(of: connection, .GET_ARGUMENT_KIND),
                headers: values(of: connection, .HEADER_KIND)
            )
            service.underWay.begin()
            let socket = mhd_socket(connection)
            service.connections.suspend(socket)
            let exchange = Exchange(
                request,
                handler: service.handler,
                budget: service.budget,
                isSpare: mhd_socket_context(connection) != nil
            )
            slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
            service.connections.restart(socket, isIdle: exchange.isExpendable)
            return exchange.earlyAnswer.map { queue($0, for: exchange, on: connection, of: service) } ?? .YES
        }
        let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
        if pieceLength.pointee > 0 {
            let bytes = UnsafeRawBufferPointer(start: piece, count: pieceLength.pointee)
            pieceLength.pointee = 0
            let steps = exchange.steps
            let goesOn = exchange.receive(bytes)
            if exchange.steps > steps { service.connections.restart(mhd_socket(connection), isIdle: false) }
            return goesOn ? .YES : .NO
        }
        let socket = mhd_socket(connection)
        service.connections.suspend(socket)
        let answer = exchange.finish()
        service.connections.restart(socket, isIdle: exchange.isExpendable)
        return queue(answer, for: exchange, on: connection, of: service)
    }

    private static let completed: MHD_RequestCompletedCallback = { context, connection, slot, reason in
        guard let context, let slot, let known = slot.pointee else { return }
        slot.pointee = nil
        let service = Unmanaged<Service>.fromOpaque(context).takeUnretainedValue()
        let exchange = Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue()
        exchange.complete(sent: reason == .REQUEST_TERMINATED_COMPLETED_OK)
        if let connection { service.connections.finish(mhd_socket(connection)) }
        service.underWay.end()
    }

    private static let connection: MHD_NotifyConnectionCallback = { context, connection, mark, event in
        guard let context, let connection else { return }
        let service = Unmanaged<Service>.fromOpaque(context).takeUnretainedValue()
        let socket = mhd_socket(connection)
        if event == .CONNECTION_NOTIFY_STARTED {
            // Any pointer marks it; what it points to is never looked at.
            mark?.pointee = service.connections.add(socket, of: mhd_client(connection)) == .spare ? context : nil
        } else {
            service.connections.remove(socket)
        }
    }

    private static func queue(
        _ answer: HTTPAnswer,
        for exchange: Exchange,
        on connection: OpaquePointer,
        of service: Service
    ) -> MHD_Result {
        var body = answer.body
        guard let response = MHD_create_response_from_buffer(body.count, &body, .RESPMEM_MUST_COPY) else {
            return .NO
        }
        defer { MHD_destroy_response(response) }
        for (name, value) in answer.headers { MHD_add_response_header(response, name, value) }
        if exchange.isSpare || exchange.request.framingRefusal != nil || service.isStopping.load(ordering: .relaxed) {
            MHD_add_response_header(response, "Connection", "close")
        }
        exchange.send(answer)
        return MHD_queue_response(connection, UInt32(answer.status), response)
    }

    private static func values(of connection: OpaquePointer, _ kind: MHD_ValueKind) -> [String: String] {
        var values: [String: String] = [:]
        withUnsafeMutablePointer(to: &values) { values in
            _ = MHD_get_connection_values(
                connection,
                kind,
                { context, _, name, value in
                    guard let name else { return .YES }
                    let text = value.map { String(cString: $0) } ?? ""
                    guard let values = context?.assumingMemoryBound(to: [String: String].self) else { return .NO }
                    let key = String(cString: name).lowercased()
                    let old = values.pointee.updateValue(text, forKey: key)
                    // Of one that says where the body ends, each counts.
                    if let old, key == "content-length" || key == "transfer-encoding" {
                        values.pointee[key] = "\(old), \(text)"
                    }
                    return .YES
                },
                values
            )
        }
        return values
    }
}

/// How many requests are being received or answered.
private final class UnderWay: Sendable {
    private let count = Mutex(0)
    private let none = NSCondition()

    func begin() { count.withLock { $0 += 1 } }

    func end() {
        let left = count.withLock { count in
            count -= 1
            return count
        }
        if left == 0 { none.withLock { none.broadcast() } }
    }

    func waitUntilNone(_ limit: Duration) {
        let end = Date(timeIntervalSinceNow: Double(limit.components.seconds))
        none.withLock {
            while count.withLock({ $0 }) > 0, none.wait(until: end) {}
        }
    }
}
