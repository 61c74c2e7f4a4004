package import CrashReport

extension JSONWriter {
    /// Writes an object with what `body` writes into it.
    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        beginObject()
        body(&self)
        endObject()
    }

    /// Writes an array with what `body` writes into it.
    package mutating func array(_ body: (inout JSONWriter) -> Void) {
        beginArray()
        body(&self)
        endArray()
    }

    /// Writes a member, or nothing for nil.
    package mutating func member(_ name: String, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }

    /// Writes a member.
    package mutating func member(_ name: String, _ value: Bool) {
        key(name)
        bool(value)
    }
}

extension String {
    /// The text, cut with an ellipsis to about `limit` bytes, on the border of a scalar.
    package func cut(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end]) + "…"
    }

    /// Last component of a path.
    package var fileName: Substring {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { self[utf8.index(after: $0)...] } ?? self[...]
    }
}
