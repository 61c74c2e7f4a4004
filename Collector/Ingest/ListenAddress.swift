import Foundation

/// `HOST:PORT` to listen on.
public struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// Name or address, without the brackets of IPv6.
    public var host: String
    /// 0 lets the system choose.
    public var port: UInt16

    /// Reads `127.0.0.1:7171`, `[::1]:7171`, `collector.internal:7171`; nil when it is none.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, host.allSatisfy({ $0.isASCII && !$0.isWhitespace && !"/@?#".contains($0) }) else {
            return nil
        }
        self.host = String(host)
        self.port = port
    }

    /// As it stands in a URL.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// True when only this machine can connect.
    public var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// Opens the socket, and says which port it got.
    func listen() throws(ListenError) -> (socket: Int32, port: UInt16) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &found)
        guard code == 0, let address = found else {
            throw ListenError(address: self, reason: String(cString: gai_strerror(code)))
        }
        defer { freeaddrinfo(found) }
        let socket = Foundation.socket(address.pointee.ai_family, hints.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw ListenError(address: self, code: errno) }
        var on: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard bind(socket, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0,
            Foundation.listen(socket, 511) == 0
        else {
            let code = errno
            close(socket)
            throw ListenError(address: self, code: code)
        }
        return (socket, Self.port(of: socket) ?? port)
    }

    private static func port(of socket: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { storage in
            let named = storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
            guard named == 0 else { return nil }
            // The port lies at the same place for both families.
            return storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                UInt16(bigEndian: $0.pointee.sin_port)
            }
        }
    }
}

/// The address could not be listened on.
public struct ListenError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, and the remedy.
    public let description: String

    init(address: ListenAddress, reason: String) {
        description = "--listen \(address): \(reason); give a HOST:PORT of this machine"
    }

    init(address: ListenAddress, code: Int32) {
        let remedy =
            switch code {
            case EADDRINUSE: "another process has this port: stop it, or give another, or port 0 for any free one"
            case EACCES: "this user may not: give a port above 1023"
            default: "give a HOST:PORT of this machine"
            }
        description = "--listen \(address): \(String(cString: strerror(code))); \(remedy)"
    }
}
