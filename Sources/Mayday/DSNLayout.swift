#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Bytes of a DSN; indices count from its start. Everything in a DSN that counts is ASCII.
private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

/// Where the parts of a DSN are, in bytes from its start.
struct DSNLayout: Sendable, Equatable {
    fileprivate(set) var scheme = 0..<0
    fileprivate(set) var key = 0..<0
    fileprivate(set) var host = 0..<0
    fileprivate(set) var port: UInt16?
    /// Without its leading slash.
    fileprivate(set) var prefix = 0..<0
    fileprivate(set) var project = 0..<0

    /// Checks a DSN. Makes no text and no array, unless there is an error to tell or an IPv6 address.
    static func find(
        in bytes: Slice<UnsafeBufferPointer<UInt8>>,
        dropsSecret: Bool
    ) -> Result<DSNLayout, DSNError> {
        do throws(DSNError) {
            return .success(try DSNLayout(bytes, dropsSecret: dropsSecret))
        } catch {
            return .failure(error)
        }
    }

    private init(_ bytes: Bytes, dropsSecret: Bool) throws(DSNError) {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            throw problem(.scheme, "is missing")
        }
        guard isWord(bytes[..<colon], "http") || isWord(bytes[..<colon], "https") else {
            throw problem(.scheme, "must be http or https")
        }
        scheme = 0..<colon

        let rest = bytes[(colon + 3)...]
        let authorityEnd = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")), at != authority.startIndex else {
            throw problem(.key, "is missing, it stands before an @")
        }
        var user = authority[..<at]
        if dropsSecret, let colon = user.firstIndex(of: UInt8(ascii: ":")) { user = user[..<colon] }
        guard !user.isEmpty, isKey(user) else {
            throw problem(.key, "must be plain ASCII with anything but letters, digits and -._~ percent-encoded")
        }
        key = user.startIndex..<user.endIndex
        try findHostAndPort(authority[(at + 1)...])
        try findProject(rest[authorityEnd...].dropFirst())
    }

    private mutating func findHostAndPort(_ text: Bytes) throws(DSNError) {
        let name: Bytes
        let rest: Bytes
        if text.first == UInt8(ascii: "[") {
            guard let end = text.firstIndex(of: UInt8(ascii: "]")) else {
                throw problem(.host, "is an IPv6 address without its closing ]")
            }
            name = text[(text.startIndex + 1)..<end]
            rest = text[(end + 1)...]
            guard rest.isEmpty || rest.first == UInt8(ascii: ":") else {
                throw problem(.port, "must follow the ] after a colon")
            }
            guard isIPv6(name) else { throw problem(.host, "is not an IPv6 address") }
        } else {
            let colon = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
            name = text[..<colon]
            rest = text[colon...]
            guard !name.isEmpty else { throw problem(.host, "is missing") }
            guard name.allSatisfy(isUnreserved) else {
                throw problem(.host, "must be a name in ASCII, an IPv4 address or an [IPv6 address]")
            }
        }
        host = name.startIndex..<name.endIndex
        guard !rest.isEmpty else { return }
        let digits = rest.dropFirst()
        guard !digits.isEmpty, digits.count <= 5, digits.allSatisfy(isDigit),
            let number = UInt16(exactly: digits.reduce(0) { $0 * 10 + Int($1 & 15) }), number > 0
        else {
            throw problem(.port, "must be a number from 1 to 65535")
        }
        port = number
    }

    private mutating func findProject(_ path: Bytes) throws(DSNError) {
        guard !path.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
            throw problem(.project, "must be the end of the DSN, without ? or #")
        }
        let slash = path.lastIndex(of: UInt8(ascii: "/"))
        let last = path[(slash.map { $0 + 1 } ?? path.startIndex)...]
        guard !last.isEmpty else { throw problem(.project, "is missing, it is the last part of the path") }
        let isDots = last.count <= 2 && last.allSatisfy { $0 == UInt8(ascii: ".") }
        guard last.allSatisfy(isUnreserved), !isDots else {
            throw problem(.project, "must be letters, digits and -._~ only")
        }
        project = last.startIndex..<last.endIndex
        guard let slash else { return }
        let before = path[..<slash]
        guard before.allSatisfy({ isUnreserved($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }),
            hasWholeEscapes(before)
        else {
            throw problem(.project, "has a path before it that must be percent-encoded")
        }
        prefix = before.startIndex..<before.endIndex
    }
}

private func problem(_ part: DSNError.Part, _ text: String) -> DSNError { DSNError(part: part, problem: text) }

/// Plain ASCII, also where it is percent-encoded.
private func isKey(_ text: Bytes) -> Bool {
    var rest = text
    while let byte = rest.popFirst() {
        guard byte != UInt8(ascii: "@"), byte != UInt8(ascii: ":"), byte > 0x20, byte < 0x7f else { return false }
        guard byte == UInt8(ascii: "%") else { continue }
        guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
            return false
        }
        let decoded = high << 4 | low
        guard decoded > 0x20, decoded < 0x7f else { return false }
    }
    return true
}

/// Two hex digits follow each `%`.
private func hasWholeEscapes(_ text: Bytes) -> Bool {
    var rest = text
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else { continue }
        guard rest.popFirst().flatMap(hexDigit) != nil, rest.popFirst().flatMap(hexDigit) != nil else { return false }
    }
    return true
}

/// Is it this word, written large or small?
private func isWord(_ text: Bytes, _ word: String) -> Bool {
    text.count == word.utf8.count && zip(text, word.utf8).allSatisfy { lowercased($0) == $1 }
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

/// A capital letter of ASCII as a small one.
func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

private func isIPv6(_ text: Bytes) -> Bool {
    var address = in6_addr()
    return !text.contains(0) && inet_pton(AF_INET6, String(decoding: text, as: UTF8.self), &address) == 1
}

/// Value of a hex digit.
func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
