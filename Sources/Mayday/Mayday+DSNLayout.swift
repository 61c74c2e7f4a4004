#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Where the parts of a DSN are, in bytes from its start. Everything in a DSN that counts is ASCII.
struct DSNLayout: Sendable, Equatable {
    private(set) var scheme = 0..<0
    private(set) var key = 0..<0
    private(set) var host = 0..<0
    private(set) var port: UInt16?
    /// Without its leading slash.
    private(set) var prefix = 0..<0
    private(set) var project = 0..<0

    /// Checks a DSN. Makes no text and no array, unless there is an error to tell or an IPv6 address.
    static func find(in bytes: UnsafeBufferPointer<UInt8>, dropsSecret: Bool) -> Result<DSNLayout, DSNError> {
        do throws(DSNError) {
            return .success(try DSNLayout(DSNBytes(bytes), dropsSecret: dropsSecret))
        } catch {
            return .failure(error)
        }
    }

    private init(_ bytes: DSNBytes, dropsSecret: Bool) throws(DSNError) {
        guard let colon = bytes.firstIndex(of: ":"), bytes.from(colon).starts(with: "://") else {
            throw problem(.scheme, "is missing")
        }
        guard bytes.before(colon).isWord("http") || bytes.before(colon).isWord("https") else {
            throw problem(.scheme, "must be http or https")
        }
        scheme = 0..<colon

        let rest = bytes.from(colon + 3)
        let authorityEnd = rest.firstIndex(of: "/") ?? rest.range.upperBound
        let authority = rest.before(authorityEnd)
        guard let at = authority.lastIndex(of: "@"), at != authority.range.lowerBound else {
            throw problem(.key, "is missing, it stands before an @")
        }
        var user = authority.before(at)
        if dropsSecret, let colon = user.firstIndex(of: ":") { user = user.before(colon) }
        guard !user.isEmpty, isKey(user) else {
            throw problem(.key, "must be plain ASCII with anything but letters, digits and -._~ percent-encoded")
        }
        key = user.range
        try findHostAndPort(authority.from(at + 1))
        var path = rest.from(authorityEnd)
        _ = path.popFirst()
        try findProject(path)
    }

    private mutating func findHostAndPort(_ text: DSNBytes) throws(DSNError) {
        let name: DSNBytes
        var rest: DSNBytes
        if text.first == UInt8(ascii: "[") {
            guard let end = text.firstIndex(of: "]") else {
                throw problem(.host, "is an IPv6 address without its closing ]")
            }
            name = text.before(end).from(text.range.lowerBound + 1)
            rest = text.from(end + 1)
            guard rest.isEmpty || rest.first == UInt8(ascii: ":") else {
                throw problem(.port, "must follow the ] after a colon")
            }
            guard isIPv6(name) else { throw problem(.host, "is not an IPv6 address") }
        } else {
            let colon = text.firstIndex(of: ":") ?? text.range.upperBound
            name = text.before(colon)
            rest = text.from(colon)
            guard !name.isEmpty else { throw problem(.host, "is missing") }
            guard name.allSatisfy(isUnreserved) else {
                throw problem(.host, "must be a name in ASCII, an IPv4 address or an [IPv6 address]")
            }
        }
        host = name.range
        guard rest.popFirst() != nil else { return }
        guard let number = rest.number, let port = UInt16(exactly: number), port > 0 else {
            throw problem(.port, "must be a number from 1 to 65535")
        }
        self.port = port
    }

    private mutating func findProject(_ path: DSNBytes) throws(DSNError) {
        guard !path.contains("?"), !path.contains("#") else {
            throw problem(.project, "must be the end of the DSN, without ? or #")
        }
        let slash = path.lastIndex(of: "/")
        let last = slash.map { path.from($0 + 1) } ?? path
        guard !last.isEmpty else { throw problem(.project, "is missing, it is the last part of the path") }
        let isDots = last.count <= 2 && last.allSatisfy { $0 == UInt8(ascii: ".") }
        guard last.allSatisfy(isUnreserved), !isDots else {
            throw problem(.project, "must be letters, digits and -._~ only")
        }
        project = last.range
        guard let slash else { return }
        let before = path.before(slash)
        guard before.allSatisfy({ isUnreserved($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }),
            before.hasWholeEscapes
        else {
            throw problem(.project, "has a path before it that must be percent-encoded")
        }
        prefix = before.range
    }
}

private func problem(_ part: DSNError.Part, _ text: String) -> DSNError { DSNError(part: part, problem: text) }

/// Plain ASCII, also where it is percent-encoded.
private func isKey(_ text: DSNBytes) -> Bool {
    var rest = text
    while let byte = rest.popFirst() {
        guard byte != UInt8(ascii: "@"), byte != UInt8(ascii: ":"), byte > 0x20, byte < 0x7f else { return false }
        guard byte == UInt8(ascii: "%") else { continue }
        guard let decoded = rest.popEscaped(), decoded > 0x20, decoded < 0x7f else { return false }
    }
    return true
}

private func isIPv6(_ text: DSNBytes) -> Bool {
    var address = in6_addr()
    var copy: [CChar] = []
    var rest = text
    while let byte = rest.popFirst() {
        guard byte != 0 else { return false }
        copy.append(CChar(bitPattern: byte))
    }
    copy.append(0)
    return inet_pton(AF_INET6, copy, &address) == 1
}
