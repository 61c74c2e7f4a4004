internal import CrashReport

/// Values as JSON text of a bounded length.
enum ContextText {
    /// Levels of arrays and objects in a value.
    static let depth = 8

    /// `{"items":3}`
    static func object(_ members: [String: JSONValue]) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(.object(members), depth: depth)
        return writer.bytes
    }

    /// The same of values that are turned into JSON one by one, with little allocation: a breadcrumb should cost next to nothing.
    static func object(of members: [String: any ContextValue]) -> [UInt8] {
        var writer = JSONWriter(room(256))
        writer.beginObject()
        for name in members.keys.sorted() {
            writer.key(name)
            writer.value(members[name]?.json ?? .null, depth: depth - 1)
        }
        writer.endObject()
        return writer.bytes
    }

    private static func room(_ bytes: Int) -> [UInt8] {
        var room: [UInt8] = []
        room.reserveCapacity(bytes)
        return room
    }

    /// `"items":3`: the members without their braces.
    static func members(_ members: [String: JSONValue]) -> [UInt8] {
        members.isEmpty ? [] : Array(object(members).dropFirst().dropLast())
    }

    /// A value in at most `limit` bytes: text is cut at a character and ends with `…`; anything else that is longer becomes
    /// the text `…`.
    static func value(_ value: JSONValue, limit: Int) -> [UInt8] {
        var writer = JSONWriter()
        writer.value(value, depth: depth)
        guard writer.bytes.count > limit else { return writer.bytes }
        guard case .string(let string) = value else { return Array("\"…\"".utf8) }
        // A character takes up to six bytes in JSON, so this many of them always fit; try with more first.
        var kept = limit
        while kept > 0 {
            var writer = JSONWriter()
            writer.string(String(prefix(of: string, bytes: kept)) + "…")
            if writer.bytes.count <= limit { return writer.bytes }
            kept -= max(1, (writer.bytes.count - limit + 5) / 6)
        }
        return Array("\"…\"".utf8)
    }

    /// The whole characters within the first bytes.
    static func prefix(of string: String, bytes: Int) -> Substring {
        let utf8 = string.utf8
        guard var end = utf8.index(utf8.startIndex, offsetBy: bytes, limitedBy: utf8.endIndex) else {
            return string[...]
        }
        while end > utf8.startIndex, end < utf8.endIndex, utf8[end] & 0xc0 == 0x80 { end = utf8.index(before: end) }
        return string[..<end]
    }
}
