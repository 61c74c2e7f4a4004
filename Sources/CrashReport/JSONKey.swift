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

    /// The key at a place in the text.
    init(in text: UnsafeBufferPointer<UInt8>, _ place: Range<Int>, hasEscapes: Bool) {
        bytes = UnsafeBufferPointer(rebasing: text[place])
        let raw = UnsafeRawBufferPointer(text)
        var start: UInt64 = 0
        if place.lowerBound + 8 <= raw.count {
            // What is behind a shorter key is taken off again.
            start = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: place.lowerBound, as: UInt64.self))
            if place.count < 8 { start &= (1 << UInt64(8 * place.count)) - 1 }
        } else {
            for (index, byte) in bytes.prefix(8).enumerated() { start |= UInt64(byte) << UInt64(8 * index) }
        }
        self.start = start
        isPlain =
            !hasEscapes && start & 0x8080_8080_8080_8080 == 0
            && (place.count <= 8 || bytes.dropFirst(8).allSatisfy { $0 < 0x80 })
    }

    /// The key without its quotes and escapes.
    public var text: String {
        guard !isPlain, bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
        var reader = JSONReader(unquoted: bytes)
        // It was read once, so it can be read.
        return (try? reader.unquotedString()) ?? ""
    }

    /// True for the same text, however it is escaped. As RFC 8259 has it: `String` takes "é" of one scalar and of two for equal.
    static func == (left: JSONKey, right: JSONKey) -> Bool {
        guard left.isPlain, right.isPlain else { return left.text.utf8.elementsEqual(right.text.utf8) }
        return left.start == right.start && left.bytes.count == right.bytes.count
            && (left.bytes.count <= 8 || areEqual(left.bytes, right.bytes.baseAddress))
    }

    /// True for the key of this name, in a `case`.
    @inline(never)
    public static func ~= (name: StaticString, key: JSONKey) -> Bool {
        guard key.isPlain else { return key.text.utf8.elementsEqual("\(name)".utf8) }
        return key.bytes.count == name.utf8CodeUnitCount && areEqual(key.bytes, name.utf8Start)
    }

    private static func areEqual(_ bytes: UnsafeBufferPointer<UInt8>, _ others: UnsafePointer<UInt8>?) -> Bool {
        guard let own = bytes.baseAddress, let others else { return true }
        return memcmp(own, others, bytes.count) == 0
    }
}
