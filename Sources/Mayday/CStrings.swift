/// Lends texts as a NULL-terminated vector of C strings for the time of a call.
///
/// - Parameter texts: bytes that end in NUL each.
func withCStrings<Result>(
    _ texts: [[CChar]],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
    let flat = texts.flatMap { $0 }
    return flat.withUnsafeBufferPointer { bytes in
        var vector: [UnsafePointer<CChar>?] = []
        var offset = 0
        for text in texts {
            vector.append(bytes.baseAddress.map { $0 + offset })
            offset += text.count
        }
        vector.append(nil)
        return vector.withUnsafeBufferPointer { vector in
            // The terminator is always there, so the vector has a base address.
            guard let base = vector.baseAddress else { fatalError("a vector of C strings is never empty") }
            return body(base)
        }
    }
}

/// Calls `body` with the text, or with nil.
func withOptionalCString<Result>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
    guard let text else { return body(nil) }
    return text.withCString(body)
}
