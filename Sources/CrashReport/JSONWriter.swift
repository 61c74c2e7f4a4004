/// Writes JSON text to the end of a byte array.
///
/// Commas are set by the writer; brackets are the caller's: every `begin` needs its `end`, and a member is a `key` and a value.
/// Members may also stand alone, without an object around them, for text that another writer puts into one.
public struct JSONWriter {
    /// What was written so far.
    public private(set) var bytes: [UInt8]
    private var needsComma = false

    /// A writer that continues `bytes`.
    public init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    // MARK: Structure

    /// Begins an object.
    @inline(never)
    public mutating func beginObject() { begin("{") }

    /// Ends the innermost object.
    @inline(never)
    public mutating func endObject() { end("}") }

    /// Begins an array.
    @inline(never)
    public mutating func beginArray() { begin("[") }

    /// Ends the innermost array.
    @inline(never)
    public mutating func endArray() { end("]") }

    /// Writes the key of the member whose value comes next.
    @inline(never)
    public mutating func key(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Ends a line of JSON Lines.
    @inline(never)
    public mutating func endLine() {
        bytes.append(0x0a)
        needsComma = false
    }

    // MARK: Values

    /// Writes a string. Control characters become `\u00XX`, and all else is itself.
    @inline(never)
    public mutating func string(_ text: String) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            while true {
                let end = endOfPlainText(in: utf8, from: start)
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<end]))
                guard end < utf8.count else { return }
                let byte = utf8[end]
                if byte < 0x20 {
                    bytes.append(contentsOf: [0x5c, 0x75, 0x30, 0x30, lowerHex(byte >> 4), lowerHex(byte & 15)])
                } else {
                    bytes.append(contentsOf: [0x5c, byte])
                }
                start = end + 1
            }
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes an integer.
    public mutating func integer(_ value: some BinaryInteger) { raw(String(value)) }

    /// Writes a number; one that JSON has no text for (infinity, not a number) becomes null.
    @inline(never)
    public mutating func number(_ value: Double) { raw(value.isFinite ? value.description : "null") }

    /// Writes `true` or `false`.
    @inline(never)
    public mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    /// Writes `null`.
    public mutating func null() { raw("null") }

    /// Writes an address, offset or size as the report format has it: `"0x55d0c0ffee00"`.
    @inline(never)
    public mutating func hex(_ value: UInt64) {
        comma()
        bytes.append(contentsOf: [UInt8(ascii: "\""), UInt8(ascii: "0"), UInt8(ascii: "x")])
        // A report has hundreds of them: a string for each would take longer than its digits.
        for digit in stride(from: max(64 - value.leadingZeroBitCount - 1, 0) / 4, through: 0, by: -1) {
            bytes.append(lowerHex(UInt8(truncatingIfNeeded: value >> (4 * UInt64(digit))) & 15))
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes any value, the members of objects sorted by key.
    ///
    /// - Parameter depth: levels of arrays and objects to write; what is deeper becomes the string `…`,
    ///   so that the result can be read again.
    public mutating func value(_ value: JSONValue, depth: Int = .max) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .number(let value): number(value)
        case .string(let value): string(value)
        case .array, .object: depth > 0 ? container(value, depth: depth - 1) : string("…")
        }
    }

    private mutating func container(_ value: JSONValue, depth: Int) {
        switch value {
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element, depth: depth) }
            endArray()
        case .object(let members):
            beginObject()
            for name in members.keys.sorted() {
                key(name)
                self.value(members[name] ?? .null, depth: depth)
            }
            endObject()
        default: break
        }
    }

    // MARK: Bytes

    private mutating func begin(_ bracket: Unicode.Scalar) {
        comma()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func end(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }

    private mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    @inline(never)
    private mutating func raw(_ text: String) {
        comma()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }
}

private func lowerHex(_ digit: UInt8) -> UInt8 {
    digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a")
}
