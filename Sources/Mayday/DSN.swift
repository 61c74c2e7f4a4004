#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Where a collector is and with which key: `scheme://KEY@host[:port][/prefix]/PROJECT`.
struct DSN: Sendable, Equatable {
    /// `http` or `https`.
    var scheme: String
    /// The project's key, percent-decoded. Secret.
    var key: String
    /// Name or address; an IPv6 address is without its brackets.
    var host: String
    /// nil for the scheme's own port.
    var port: UInt16?
    /// Where the collector lives behind a proxy: empty, or `/prefix` as it was written.
    var prefix: String
    /// Id of the project.
    var project: String

    /// `127.0.0.1:7171`, `[::1]:7171`: for people and for the URL.
    var authority: String {
        let host = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port.map { "\(host):\($0)" } ?? host
    }

    /// Where reports are posted.
    var reportsURL: String { "\(scheme)://\(authority)\(prefix)/api/\(project)/reports" }

    /// True when the host is this machine by name or address; the way there never leads through a proxy.
    var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "::1"
            || (host.hasPrefix("127.") && host.utf8.allSatisfy { $0 < UInt8(ascii: ":") })
    }
}

/// A DSN that cannot be used. Its text names the part and never repeats the key.
public struct DSNError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The parts of a DSN, `scheme://key@host:port/project`.
    public enum Part: String, Sendable, CaseIterable {
        /// `http` or `https`.
        case scheme
        /// The project's key.
        case key
        /// Name or address of the collector.
        case host
        /// Its port, when it is not the scheme's own.
        case port
        /// Id of the project, the last part of the path.
        case project
    }

    /// The part that is wrong or missing.
    public let part: Part
    /// What is wrong with it.
    public let problem: String
    /// The variable the DSN came from, `MAYDAY_DSN`; nil when the program gave it.
    public internal(set) var variable: String?

    /// The part, the problem and an example in one line.
    public var description: String {
        let source = variable.map { "the DSN in \($0)" } ?? "the DSN"
        return "\(source): \(part.rawValue) \(problem); write it like \(DSNError.example)"
    }

    static let example = "https://KEY@mayday.example.com:7171/1"
}

extension DSN {
    /// Parses a DSN.
    init(_ text: String) throws(DSNError) {
        func error(_ part: DSNError.Part, _ problem: String) -> DSNError { DSNError(part: part, problem: problem) }

        guard let (scheme, afterScheme) = text.split(at: "://") else { throw error(.scheme, "is missing") }
        self.scheme = scheme.lowercased()
        guard self.scheme == "http" || self.scheme == "https" else {
            throw error(.scheme, "must be http or https")
        }

        let (authority, path) = afterScheme.split(at: "/") ?? (afterScheme, "")
        guard let at = authority.lastIndex(of: "@"), at != authority.startIndex else {
            throw error(.key, "is missing, it stands before an @")
        }
        guard let key = percentDecoded(authority[..<at]), key.isPlainASCII,
            !authority[..<at].contains(where: { $0 == "@" || $0 == ":" })
        else {
            throw error(.key, "must be plain ASCII with anything but letters, digits and -._~ percent-encoded")
        }
        self.key = key

        let (host, port) = try DSN.hostAndPort(authority[authority.index(after: at)...])
        self.host = host
        self.port = port

        guard !path.contains(where: { $0 == "?" || $0 == "#" }) else {
            throw error(.project, "must be the end of the DSN, without ? or #")
        }
        let (before, last) = path.splitAtLast("/") ?? ("", path)
        guard !last.isEmpty else { throw error(.project, "is missing, it is the last part of the path") }
        guard last.utf8.allSatisfy(isUnreserved), last != ".", last != ".." else {
            throw error(.project, "must be letters, digits and -._~ only")
        }
        project = String(last)
        guard before.utf8.allSatisfy({ isUnreserved($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }),
            percentDecoded(before) != nil
        else {
            throw error(.project, "has a path before it that must be percent-encoded")
        }
        prefix = before.isEmpty ? "" : "/\(before)"
    }

    private static func hostAndPort(_ text: Substring) throws(DSNError) -> (host: String, port: UInt16?) {
        var host = text
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else {
                throw DSNError(part: .host, problem: "is an IPv6 address without its closing ]")
            }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else {
                throw DSNError(part: .port, problem: "must follow the ] after a colon")
            }
            port = rest.isEmpty ? nil : rest.dropFirst()
            guard isIPv6(String(host)) else { throw DSNError(part: .host, problem: "is not an IPv6 address") }
        } else {
            if let colon = text.firstIndex(of: ":") {
                host = text[..<colon]
                port = text[text.index(after: colon)...]
            }
            guard !host.isEmpty else { throw DSNError(part: .host, problem: "is missing") }
            guard host.utf8.allSatisfy(isUnreserved) else {
                throw DSNError(part: .host, problem: "must be a name in ASCII, an IPv4 address or an [IPv6 address]")
            }
        }
        guard let port else { return (host.lowercased(), nil) }
        guard port.utf8.allSatisfy(isDigit), let number = UInt16(port), number > 0 else {
            throw DSNError(part: .port, problem: "must be a number from 1 to 65535")
        }
        return (host.lowercased(), number)
    }
}

/// The unreserved characters of RFC 3986, section 2.3.
private func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        true
    default: isDigit(byte)
    }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

private func isIPv6(_ text: String) -> Bool {
    var address = in6_addr()
    return inet_pton(AF_INET6, text, &address) == 1
}

/// The text with its `%41` replaced; nil when an escape is not one, or the result is not UTF-8.
private func percentDecoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            bytes.append(byte)
            continue
        }
        guard let high = rest.popFirst(), let low = rest.popFirst(), let value = hexByte(high, low) else { return nil }
        bytes.append(value)
    }
    return String(validating: bytes, as: UTF8.self)
}

private func hexByte(_ high: UInt8, _ low: UInt8) -> UInt8? {
    guard let high = Character(UnicodeScalar(high)).hexDigitValue, let low = Character(UnicodeScalar(low)).hexDigitValue
    else { return nil }
    return UInt8(high << 4 | low)
}

extension StringProtocol where SubSequence == Substring {
    /// Before and after the first `separator`; nil when there is none.
    fileprivate func split(at separator: String) -> (Substring, Substring)? {
        var start = startIndex
        while start != endIndex {
            if self[start...].hasPrefix(separator) {
                return (self[..<start], self[index(start, offsetBy: separator.count)...])
            }
            start = index(after: start)
        }
        return nil
    }

    /// Before and after the last `separator`; nil when there is none.
    fileprivate func splitAtLast(_ separator: Character) -> (Substring, Substring)? {
        lastIndex(of: separator).map { (self[..<$0], self[index(after: $0)...]) }
    }
}

extension String {
    /// True for visible ASCII only, so that it can stand in a header.
    fileprivate var isPlainASCII: Bool { !isEmpty && utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }
}
