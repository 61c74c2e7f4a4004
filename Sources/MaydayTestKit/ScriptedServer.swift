internal import Foundation
internal import Synchronization

/// No server could be started.
public struct ScriptedServerError: Error, CustomStringConvertible {
    /// The system call that failed.
    public let call: String
    /// Its `errno`.
    public let code: Int32

    /// `bind: Address already in use`.
    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}

/// An HTTP server on a loopback port that answers what the test says, well or badly.
public final class ScriptedServer: Sendable {
    /// A request as it arrived.
    public struct Request: Sendable {
        /// `POST`.
        public var method: String
        /// `/api/1/reports`.
        public var path: String
        /// By name in lower case.
        public var headers: [String: String]
        /// As many bytes as `Content-Length` says, or as came.
        public var body: [UInt8]
        /// How many requests came before.
        public var index: Int
    }

    /// What the server does with a request, after which it closes the connection.
    public enum Answer: Sendable {
        /// A whole answer.
        case status(Int, headers: [String: String] = [:], body: String = "")
        /// These bytes, whatever they are: half an answer, garbage.
        case bytes(String)
        /// Nothing.
        case close
        /// Nothing, and the connection stays open until the client closes it.
        case hang
        /// The start of an answer and then a byte at a time, for ever.
        case drip
        /// These bytes, and then others again and again as fast as they are taken, for ever.
        case flood(String, then: String)
    }

    /// The port on 127.0.0.1.
    public let port: UInt16
    private let listener: Int32
    private let answer: @Sendable (Request) -> Answer
    private let state = Mutex(State())

    private struct State {
        var requests: [Request] = []
        var connections: Set<Int32> = []
        var stopped = false
        /// Holds the port of a server that was stopped, so that nobody else listens there.
        var placeholder: Int32 = -1
        var waiters: [(count: Int, continuation: CheckedContinuation<[Request], Never>)] = []
    }

    /// Listens on an ephemeral port. `answer` is called once the body has arrived.
    public init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        self.answer = answer
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        guard listener >= 0 else { throw ScriptedServerError(call: "socket", code: errno) }
        var address = Self.loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) | listen(listener, 128) | getsockname(listener, address, &length)
            }
        }
        guard code == 0 else { throw ScriptedServerError(call: "bind", code: errno) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 && (errno == EINTR || errno == ECONNABORTED) { continue }
                guard connection >= 0 else { return }
                Thread.detachNewThread { [weak self] in
                    self?.serve(connection)
                    // A child that was started meanwhile may have inherited the descriptor; the client must see the end.
                    shutdown(connection, Int32(SHUT_RDWR))
                    close(connection)
                }
            }
        }
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    /// Every request so far, in the order in which they had arrived whole.
    public var requests: [Request] { state.withLock { $0.requests } }

    /// The requests, once there are at least `count`.
    public func requests(atLeast count: Int) async -> [Request] {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state -> [Request]? in
                if state.requests.count >= count { return state.requests }
                state.waiters.append((count, continuation))
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Closes the port and every connection. A stopped server's port refuses connections.
    public func stop() {
        state.withLock { state in
            guard !state.stopped else { return }
            state.stopped = true
            shutdown(listener, Int32(SHUT_RDWR))
            state.placeholder = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            var address = Self.loopback(port)
            _ = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(state.placeholder, address, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    private func serve(_ connection: Int32) {
        let accepted = state.withLock { state -> Bool in
            if !state.stopped { state.connections.insert(connection) }
            return !state.stopped
        }
        defer { state.withLock { _ = $0.connections.remove(connection) } }
        guard accepted, let request = read(connection) else { return }
        let (arrived, ready) = arrive(request)
        for waiter in ready.waiters { waiter.resume(returning: ready.requests) }
        send(answer(arrived), to: connection)
    }

    private func arrive(
        _ request: Request
    ) -> (Request, (waiters: [CheckedContinuation<[Request], Never>], requests: [Request])) {
        state.withLock { state in
            var request = request
            request.index = state.requests.count
            state.requests.append(request)
            let count = state.requests.count
            let ready = state.waiters.filter { $0.count <= count }.map(\.continuation)
            state.waiters.removeAll { $0.count <= count }
            return (request, (ready, state.requests))
        }
    }

    private func read(_ connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var request: Request?
        var expected = Int.max
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < expected {
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
            if request == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                request = head(String(decoding: bytes[..<end.lowerBound], as: UTF8.self))
                bytes.removeSubrange(..<end.upperBound)
                expected = request?.headers["content-length"].flatMap { Int($0) } ?? 0
            }
        }
        request?.body = bytes
        return request
    }

    private func head(_ text: String) -> Request? {
        let lines = text.components(separatedBy: "\r\n")
        let start = lines[0].split(separator: " ")
        guard start.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers[line[..<colon].lowercased()] = value
        }
        return Request(method: String(start[0]), path: String(start[1]), headers: headers, body: [], index: 0)
    }

    private func send(_ answer: Answer, to connection: Int32) {
        switch answer {
        case .status(let code, let headers, let body):
            let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
            let length = "Content-Length: \(body.utf8.count)\r\n"
            send("HTTP/1.1 \(code) Scripted\r\n\(lines)\(length)Connection: close\r\n\r\n\(body)", to: connection)
        case .bytes(let text): send(text, to: connection)
        case .close: break
        case .hang: waitForClose(connection)
        case .drip:
            guard send("HTTP/1.1 201 Scripted\r\nContent-Length: 1000000\r\n\r\n", to: connection) else { return }
            // The client may never have a pause to time out in, so the pace matters only to this machine.
            while send(" ", to: connection) { usleep(20_000) }
        case .flood(let start, let rest):
            guard send(start, to: connection) else { return }
            let many = String(repeating: rest, count: max(1, 4_096 / max(1, rest.utf8.count)))
            while send(many, to: connection) {}
        }
    }

    @discardableResult
    private func send(_ text: String, to connection: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                Foundation.send(connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func waitForClose(_ connection: Int32) {
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
    }

    deinit {
        stop()
        close(listener)
        state.withLock { _ = close($0.placeholder) }
    }
}
