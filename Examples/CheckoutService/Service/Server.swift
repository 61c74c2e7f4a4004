import CMicroHTTPD

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An HTTP server on the loopback interface: libmicrohttpd's one thread reads and writes, a task answers each request.
final class Server {
    typealias Handler = @Sendable (Request) async -> Response

    private let daemon: OpaquePointer
    private let handler: Unmanaged<HandlerBox>

    /// `http://127.0.0.1:PORT`.
    var url: String { "http://127.0.0.1:\(mhd_port(daemon))" }

    /// Listens at once; port 0 takes a free one.
    init(port: UInt16, handler: @escaping Handler) throws(ServerError) {
        let box = Unmanaged.passRetained(HandlerBox(handler: handler))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let started = withUnsafeMutablePointer(to: &address) { address in
            let options = [
                MHD_OptionItem(option: .SOCK_ADDR, value: 0, ptr_value: address),
                MHD_OptionItem(
                    option: .NOTIFY_COMPLETED,
                    value: unsafeBitCast(completed, to: Int.self),
                    ptr_value: nil
                ),
                MHD_OptionItem(option: .END, value: 0, ptr_value: nil),
            ]
            return mhd_start(
                MHD_USE_AUTO_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue,
                port,
                access,
                box.toOpaque(),
                options
            )
        }
        guard let started else {
            let reason = String(cString: strerror(errno))
            box.release()
            throw ServerError(reason: "cannot listen on port \(port): \(reason)")
        }
        daemon = started
        self.handler = box
    }

    deinit {
        MHD_stop_daemon(daemon)
        handler.release()
    }
}

/// Why the server did not start.
struct ServerError: Error, CustomStringConvertible {
    var reason: String
    var description: String { reason }
}

private final class HandlerBox: Sendable {
    let handler: Server.Handler
    init(handler: @escaping Server.Handler) { self.handler = handler }
}

/// Called by libmicrohttpd for the head of a request, for each part of its body, at its end, and again when resumed.
private let access: MHD_AccessHandlerCallback = { context, connection, url, method, _, part, size, state in
    guard let context, let connection, let url, let method, let size, let state else { return .NO }
    guard let known = state.pointee else {
        let exchange = Exchange(connection: connection, method: String(cString: method), url: String(cString: url))
        state.pointee = Unmanaged.passRetained(exchange).toOpaque()
        return .YES
    }
    let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
    if size.pointee > 0 {
        guard exchange.append(part, count: size.pointee) else { return .NO }
        size.pointee = 0
        return .YES
    }
    if let response = exchange.takeResponse() {
        return exchange.send(response)
    }
    exchange.start(Unmanaged<HandlerBox>.fromOpaque(context).takeUnretainedValue().handler)
    return .YES
}

private let completed: MHD_RequestCompletedCallback = { _, _, state, _ in
    guard let known = state?.pointee else { return }
    Unmanaged<Exchange>.fromOpaque(known).release()
    state?.pointee = nil
}
