#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Where a collector is and with which key: `scheme://KEY@host[:port][/prefix]/PROJECT`.
package struct DSN: Sendable, Equatable {
    /// `http` or `https`.
    package var scheme: String
    /// The project's key, percent-decoded. Secret.
    package var key: String
    /// Name or address; an IPv6 address is without its brackets.
    package var host: String
    /// nil for the scheme's own port.
    package var port: UInt16?
    /// Where the collector lives behind a proxy: empty, or `/prefix` as it was written.
    package var prefix: String
    /// Id of the project.
    package var project: String

    /// `127.0.0.1:7171`, `[::1]:7171`: for people and for the URL.
    package var authority: String {
        let host = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port.map { "\(host):\($0)" } ?? host
    }

    /// Where reports are posted.
    package var reportsURL: String { "\(apiURL)/reports" }

    /// What the API of the project begins with.
    package var apiURL: String { "\(scheme)://\(authority)\(prefix)/api/\(project)" }

    /// True when the host is this machine by name or address; the way there never leads through a proxy.
    package var isLoopback: Bool {
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

// Parsing works on bytes: everything in a DSN that counts is ASCII, and at the first line of `main` the tables that
// characters need are not in memory yet.
extension DSN {
    /// The DSN in an environment variable, or `text` when there is none.
    package init(
        _ text: String,
        variable name: String?,
        environment: (String) -> String? = { RunningProcess.variables([$0])[$0] },
        dropsSecret: Bool = false
    ) throws(DSNError) {
        guard let name, let override = environment(name), !override.isEmpty else {
            self = try DSN(text, dropsSecret: dropsSecret)
            return
        }
        do {
            self = try DSN(override, dropsSecret: dropsSecret)
        } catch {
            var error = error
            error.variable = name
            throw error
        }
    }

    /// Parses a DSN.
    ///
    /// - Parameter dropsSecret: whether `KEY:SECRET@` is read as `KEY@`, as old DSNs of Sentry have it.
    init(_ text: String, dropsSecret: Bool = false) throws(DSNError) {
        func error(_ part: DSNError.Part, _ problem: String) -> DSNError { DSNError(part: part, problem: problem) }

        let bytes = Array(text.utf8)[...]
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            throw error(.scheme, "is missing")
        }
        scheme = lowercaseText(bytes[..<colon])
        guard scheme == "http" || scheme == "https" else { throw error(.scheme, "must be http or https") }

        let rest = bytes[(colon + 3)...]
        let authorityEnd = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")), at != authority.startIndex else {
            throw error(.key, "is missing, it stands before an @")
        }
        var user = authority[..<at]
        if dropsSecret, let colon = user.firstIndex(of: UInt8(ascii: ":")) { user = user[..<colon] }
        guard !user.isEmpty, !user.contains(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: ":") }),
            let key = percentDecoded(user), key.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else {
            throw error(.key, "must be plain ASCII with anything but letters, digits and -._~ percent-encoded")
        }
        self.key = String(decoding: key, as: UTF8.self)
        (host, port) = try DSN.hostAndPort(authority[(at + 1)...])

        let path = rest[authorityEnd...].dropFirst()
        guard !path.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            throw error(.project, "must be the end of the DSN, without ? or #")
        }
        let slash = path.lastIndex(of: UInt8(ascii: "/"))
        let last = path[(slash.map { $0 + 1 } ?? path.startIndex)...]
        guard !last.isEmpty else { throw error(.project, "is missing, it is the last part of the path") }
        project = String(decoding: last, as: UTF8.self)
        guard last.allSatisfy(isUnreserved), project != ".", project != ".." else {
            throw error(.project, "must be letters, digits and -._~ only")
        }
        let before = slash.map { path[..<$0] } ?? []
        guard before.allSatisfy({ isUnreserved($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }),
            percentDecoded(before) != nil
        else {
            throw error(.project, "has a path before it that must be percent-encoded")
        }
        prefix = before.isEmpty ? "" : "/" + String(decoding: before, as: UTF8.self)
    }

    private static func hostAndPort(_ text: ArraySlice<UInt8>) throws(DSNError) -> (host: String, port: UInt16?) {
        func error(_ part: DSNError.Part, _ problem: String) -> DSNError { DSNError(part: part, problem: problem) }

        let host: ArraySlice<UInt8>
        let rest: ArraySlice<UInt8>
        if text.first == UInt8(ascii: "[") {
            guard let end = text.firstIndex(of: UInt8(ascii: "]")) else {
                throw error(.host, "is an IPv6 address without its closing ]")
            }
            host = text[(text.startIndex + 1)..<end]
            rest = text[(end + 1)...]
            guard rest.isEmpty || rest.first == UInt8(ascii: ":") else {
                throw error(.port, "must follow the ] after a colon")
            }
            guard isIPv6(host) else { throw error(.host, "is not an IPv6 address") }
        } else {
            let colon = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
            host = text[..<colon]
            rest = text[colon...]
            guard !host.isEmpty else { throw error(.host, "is missing") }
            guard host.allSatisfy(isUnreserved) else {
                throw error(.host, "must be a name in ASCII, an IPv4 address or an [IPv6 address]")
            }
        }
        guard !rest.isEmpty else { return (lowercaseText(host), nil) }
        let digits = rest.dropFirst()
        guard !digits.isEmpty, digits.count <= 5, digits.allSatisfy(isDigit),
            let port = UInt16(exactly: digits.reduce(0) { $0 * 10 + Int($1 & 15) }), port > 0
        else {
            throw error(.port, "must be a number from 1 to 65535")
        }
        return (lowercaseText(host), port)
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

private func lowercaseText(_ bytes: ArraySlice<UInt8>) -> String {
    let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    return String(decoding: bytes.map { capitals.contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
}

private func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
    var address = in6_addr()
    return !text.contains(0) && inet_pton(AF_INET6, String(decoding: text, as: UTF8.self), &address) == 1
}

/// The bytes with their `%41` replaced; nil when an escape is not one.
private func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var decoded: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
            decoded.append(byte)
            continue
        }
        guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
            return nil
        }
        decoded.append(high << 4 | low)
    }
    return decoded
}

private func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
