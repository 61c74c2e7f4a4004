import Foundation

/// A connection to a server on this machine, with every byte under the test's control.
public final class HTTPClient {
    private let socket: Int32
    private var received: [UInt8] = []

    /// Connects to 127.0.0.1.
    public init(port: UInt16) throws {
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw SystemError(call: "socket", code: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else { throw SystemError(call: "connect", code: errno) }
        // Only so that a server that never answers fails the test instead of hanging it.
        var limit = timeval(tv_sec: Int(Patience.wait.components.seconds), tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    /// What the server said.
    public struct Answer: Sendable {
        /// 200, 404 …
        public var status: Int
        /// By name in lower case.
        public var headers: [String: String]
        /// As text.
        public var body: String
    }

    /// Sends bytes; false when the server has closed the connection.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Sends text; false when the server has closed the connection.
    @discardableResult
    public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends a request with a body of known length.
    public func request(_ method: String, _ path: String, headers: [String: String] = [:], body: [UInt8]? = nil) throws
        -> Answer
    {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: test\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        send(head + "\r\n")
        if let body { send(body) }
        return try answer(toHead: method == "HEAD")
    }

    /// Reads one answer.
    public func answer(toHead: Bool = false) throws -> Answer {
        let end = Array("\r\n\r\n".utf8)
        var headEnd: Int?
        while headEnd == nil {
            headEnd = received.indices.first { received[$0...].starts(with: end) }
            if headEnd == nil, try !receive() { throw Closed(after: received) }
        }
        let split = headEnd ?? 0
        let lines = String(decoding: received[..<split], as: UTF8.self).components(separatedBy: "\r\n")
        received.removeFirst(split + 4)
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces
            )
        }
        let length = toHead ? 0 : Int(headers["content-length"] ?? "") ?? 0
        while received.count < length {
            if try !receive() { throw Closed(after: received) }
        }
        let body = String(decoding: received[..<length], as: UTF8.self)
        received.removeFirst(length)
        let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return Answer(status: status, headers: headers, body: body)
    }

    /// Waits until the server closes the connection, and returns what it sent before.
    public func rest() throws -> [UInt8] {
        while try receive() {}
        return received
    }

    /// Reads what is there, or waits for it; false at the end.
    private func receive() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(socket, &chunk, chunk.count, 0)
        if count < 0, errno == EAGAIN {
            throw SystemError(call: "recv, after \(Patience.wait) of silence", code: errno)
        }
        received += chunk.prefix(max(0, count))
        return count > 0
    }

    /// The server closed the connection before its answer was whole.
    public struct Closed: Error, CustomStringConvertible {
        let after: [UInt8]
        /// What came before.
        public var description: String {
            "the server closed the connection after \(String(decoding: after, as: UTF8.self))"
        }
    }
}
