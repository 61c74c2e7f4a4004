/// Well-formed UTF-8 as table 3-7 of the Unicode standard has it.
enum UTF8Validation {
    /// Offset of the first byte that does not belong to a well-formed sequence, or nil.
    static func firstInvalidByte(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var index = 0
        let end = bytes.count
        while index < end {
            let lead = bytes[index]
            if lead < 0x80 {
                index += asciiRun(in: bytes, from: index)
                continue
            }
            let length: Int
            var second: ClosedRange<UInt8> = 0x80...0xbf
            switch lead {
            case 0xc2...0xdf: length = 2
            case 0xe0:
                length = 3
                second = 0xa0...0xbf
            case 0xed:
                length = 3
                second = 0x80...0x9f
            case 0xe1...0xef: length = 3
            case 0xf0:
                length = 4
                second = 0x90...0xbf
            case 0xf1...0xf3: length = 4
            case 0xf4:
                length = 4
                second = 0x80...0x8f
            default: return index
            }
            guard end - index >= length, second.contains(bytes[index + 1]) else { return index }
            for next in (index + 2)..<max(index + 2, index + length) where bytes[next] & 0xc0 != 0x80 { return index }
            index += length
        }
        return nil
    }

    /// Length of the run of ASCII bytes from `start`, of which there is at least one. Eight bytes a step.
    private static func asciiRun(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var index = start
        let raw = UnsafeRawBufferPointer(bytes)
        while index + 8 <= raw.count {
            guard raw.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 else { break }
            index += 8
        }
        while index < raw.count, raw[index] < 0x80 { index += 1 }
        return index - start
    }
}
