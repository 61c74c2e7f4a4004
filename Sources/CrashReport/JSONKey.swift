#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The key of a member, where it stands in the text: `switch` compares it with literals and makes no `String` of it.
///
/// Valid only within the call of `JSONReader.members` that handed it over.
public struct JSONKey {
    /// Between the quotes, as written.
    let bytes: UnsafeBufferPointer<UInt8>
    /// Up to eight bytes of it, which tell most keys apart.
    let start: UInt64
    /// False with escapes or beyond ASCII: equality is not that of the bytes then.
    let isPlain: Bool

    init(_ bytes: UnsafeBufferPointer<UInt8>, hasEscapes: Bool) {
        self.bytes = bytes
        var start: UInt64 = 0
        var high: UInt8 = 0
        for (index, byte) in bytes.enumerated() {
            if index < 8 { start |= UInt64(byte) << (8 * UInt64(index)) }
            high |= byte
        }
        self.start = start
        isPlain = !hasEscapes && high < 0x80
    }

    /// The key without its quotes and escapes.
    public var text: String {
        guard !isPlain, bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
        var reader = JSONReader(unquoted: bytes)
        // It was read once, so it can be read.
        return (try? reader.unquotedString()) ?? ""
    }

    /// True for the same text, however it is written.
    static func == (left: JSONKey, right: JSONKey) -> Bool {
        guard left.isPlain, right.isPlain else { return left.text == right.text }
        return left.start == right.start && left.bytes.count == right.bytes.count
            && (left.bytes.count <= 8 || areEqual(left.bytes, right.bytes.baseAddress))
    }

    /// True for the key of this name, in a `case`.
    @inline(never)
    public static func ~= (name: StaticString, key: JSONKey) -> Bool {
        guard key.isPlain else { return key.text == "\(name)" }
        return key.bytes.count == name.utf8CodeUnitCount && areEqual(key.bytes, name.utf8Start)
    }

    private static func areEqual(_ bytes: UnsafeBufferPointer<UInt8>, _ others: UnsafePointer<UInt8>?) -> Bool {
        guard let own = bytes.baseAddress, let others else { return true }
        return memcmp(own, others, bytes.count) == 0
    }
}
