internal import CrashCapture

extension String {
    /// A text of C's, with U+FFFD where it is not UTF-8.
    init?(_ text: MaydayText) {
        guard let bytes = text.bytes else { return nil }
        self = bytes.withMemoryRebound(to: UInt8.self, capacity: text.length) {
            String(decoding: UnsafeBufferPointer(start: $0, count: text.length), as: UTF8.self)
        }
    }
}

/// Lends a text to C for the time of a call, without a copy.
@inline(never)  // Four of them within each other would be compiled sixteen times.
func withText<Result>(_ text: String?, _ body: (MaydayText) -> Result) -> Result {
    guard var text else { return body(MaydayText()) }
    return text.withUTF8 { bytes in
        // An empty text is one, and has an address.
        guard let start = bytes.baseAddress else { return "".withCString { body(MaydayText(bytes: $0, length: 0)) } }
        return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
            body(MaydayText(bytes: $0, length: bytes.count))
        }
    }
}
