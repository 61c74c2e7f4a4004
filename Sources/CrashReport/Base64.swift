/// Base64 with padding (RFC 4648, section 4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The text of bytes.
    static func encode(_ bytes: [UInt8]) -> String {
        let count = (bytes.count + 2) / 3 * 4
        // By pointers: attachments are large, and services are built for debugging too.
        return bytes.withUnsafeBufferPointer { bytes in
            alphabet.withUnsafeBufferPointer { alphabet in
                String(unsafeUninitializedCapacity: count) { text in
                    var from = 0
                    var to = 0
                    while from < bytes.count {
                        let left = bytes.count - from
                        let second = left > 1 ? Int(bytes[from + 1]) : 0
                        let third = left > 2 ? Int(bytes[from + 2]) : 0
                        let bits = Int(bytes[from]) << 16 | second << 8 | third
                        text[to] = alphabet[bits >> 18]
                        text[to + 1] = alphabet[bits >> 12 & 63]
                        text[to + 2] = left > 1 ? alphabet[bits >> 6 & 63] : UInt8(ascii: "=")
                        text[to + 3] = left > 2 ? alphabet[bits & 63] : UInt8(ascii: "=")
                        from += 3
                        to += 4
                    }
                    return count
                }
            }
        }
    }

    /// The bytes of a text; nil when it is none of base64. Padding must be there, and nothing else.
    static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { digits in values.withUnsafeBufferPointer { decode(digits, $0) } }
    }

    private static func decode(_ digits: UnsafeBufferPointer<UInt8>, _ values: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard digits.count % 4 == 0 else { return nil }
        let equals = UInt8(ascii: "=")
        let last = digits.count - 1
        let padding = digits.isEmpty || digits[last] != equals ? 0 : digits[last - 1] == equals ? 2 : 1
        var isGood = true
        let bytes = [UInt8](unsafeUninitializedCapacity: digits.count / 4 * 3) { bytes, count in
            var from = 0
            while from < digits.count {
                var bits: UInt32 = 0
                for index in from..<from + 4 {
                    let value = index >= digits.count - padding ? 0 : values[Int(digits[index])]
                    if value > 63 { isGood = false }
                    bits = bits << 6 | UInt32(value & 63)
                }
                bytes[count] = UInt8(truncatingIfNeeded: bits >> 16)
                bytes[count + 1] = UInt8(truncatingIfNeeded: bits >> 8)
                bytes[count + 2] = UInt8(truncatingIfNeeded: bits)
                count += 3
                from += 4
            }
        }
        // What the padding stands for must be nothing, or two texts would be the same bytes.
        guard isGood, bytes.suffix(padding).allSatisfy({ $0 == 0 }) else { return nil }
        return bytes.dropLast(padding)
    }

    /// The value of each digit by its byte; 255 for what is none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()
}
