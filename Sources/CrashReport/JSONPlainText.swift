/// Where text in a JSON string ends that stands for itself: at a quote, a backslash, a control character, or the end of the bytes.
///
/// Eight bytes a step: most of a report is such text.
func endOfPlainText(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let raw = UnsafeRawBufferPointer(bytes)
    var position = start
    while position + 8 <= raw.count {
        let eight = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        let special = zeroBytes(eight ^ 0x2222_2222_2222_2222) | zeroBytes(eight ^ 0x5c5c_5c5c_5c5c_5c5c)
        let control = (eight &- 0x2020_2020_2020_2020) & ~eight & 0x8080_8080_8080_8080
        // What is marked above the first may be marked wrongly, by a borrow.
        let found = special | control
        guard found == 0 else { return position + found.trailingZeroBitCount / 8 }
        position += 8
    }
    while position < raw.count {
        let byte = raw[position]
        if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
        position += 1
    }
    return position
}

/// The highest bit of the lowest byte that is zero; of bytes above it, maybe others too.
private func zeroBytes(_ eight: UInt64) -> UInt64 {
    (eight &- 0x0101_0101_0101_0101) & ~eight & 0x8080_8080_8080_8080
}
