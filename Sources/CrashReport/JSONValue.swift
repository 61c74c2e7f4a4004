/// A JSON value; members of an object have no order. Of keys that differ in nothing but their Unicode normalization, which `String`
/// takes for equal, an object has one, with the value that came last.
public enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    /// An integer that fits.
    case integer(Int64)
    /// Any other number.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

extension JSONValue {
    /// The value as JSON text, the members of objects sorted by key. Like `madeVisible`, it holds nothing that a terminal
    /// would obey: such characters are escaped, so that a reader of the JSON gets them as they were.
    public var text: String {
        var writer = JSONWriter()
        writer.value(self)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        guard text.unicodeScalars.contains(where: \.isHostileOnTerminal) else { return text }
        var escaped = ""
        // The writer left such characters nowhere but in strings.
        for scalar in text.unicodeScalars {
            guard scalar.isHostileOnTerminal else {
                escaped.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return escaped
    }

    /// The member of an object, or nil.
    public subscript(_ key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[key]
    }
}
