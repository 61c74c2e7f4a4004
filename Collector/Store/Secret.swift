import CCrypto

/// A key or token in the clear. It is shown once to the person who asked for it and never written to the store or a log.
public struct Secret: Sendable {
    /// The text to show or send.
    public let text: String

    /// A secret that somebody presented.
    public init(_ text: String) { self.text = text }

    /// A new secret of 128 random bits, as 32 hex digits.
    public static func random() -> Secret {
        var generator = SystemRandomNumberGenerator()
        return Secret(hexDigits((0..<16).map { _ in generator.next() as UInt8 }))
    }

    /// What is kept of it.
    public var hash: SecretHash {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        let bytes = Array(text.utf8)
        SHA256(bytes, bytes.count, &digest)
        return SecretHash(bytes: digest)
    }
}

/// SHA-256 of a secret. The secrets are random and long, so a slow hash would add nothing.
public struct SecretHash: Sendable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// As 64 hex digits.
    public var hex: String { hexDigits(bytes) }

    /// Compares in constant time.
    public func matches(_ secret: Secret) -> Bool { self == secret.hash }
}

extension SecretHash: Equatable {
    /// Compares in constant time.
    public static func == (left: SecretHash, right: SecretHash) -> Bool {
        left.bytes.count == right.bytes.count
            && CRYPTO_memcmp(left.bytes, right.bytes, left.bytes.count) == 0
    }
}

/// What the holder of a token may do.
public enum TokenKind: Sendable, Hashable {
    /// Read everything, and decide about issues.
    case admin
    /// Add debug files, and nothing else.
    case symbols
    /// Read, and nothing else: one project, or all where none is named.
    case reader(project: Int?)

    /// What it may do, by the name under which it is kept; nil for another name.
    init?(setting name: String) {
        switch name {
        case "admin_token": self = .admin
        case "symbols_token": self = .symbols
        case "reader_token": self = .reader(project: nil)
        default:
            guard name.hasPrefix("reader_token_"), let project = Int(name.dropFirst("reader_token_".count)) else {
                return nil
            }
            self = .reader(project: project)
        }
    }

    /// The name under which it is kept.
    var setting: String {
        switch self {
        case .admin: "admin_token"
        case .symbols: "symbols_token"
        case .reader(nil): "reader_token"
        case .reader(let project?): "reader_token_\(project)"
        }
    }
}

extension [TokenKind: SecretHash] {
    /// What somebody may do who presents this; nil when it is no token of ours.
    public func kind(of secret: Secret) -> TokenKind? {
        let hash = secret.hash
        return first { $0.value == hash }?.key
    }
}

private func hexDigits(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}
