// The fields of the report format that JSON has no type for, and the small helpers that every line uses.

extension JSONReader {
    /// Reads an address, offset, size or register: `"0x55d0c0ffee00"`.
    @inline(never)
    package mutating func hex() throws(JSONError) -> UInt64 {
        skipSpace()
        let start = position
        func problem() -> JSONError { JSONError(.mismatch, at: start, "expected a hex string") }
        guard peek() == UInt8(ascii: "\"") else { throw expected("a hex string") }
        guard position + 3 < bytes.count, bytes[start + 1] == UInt8(ascii: "0"), bytes[start + 2] == UInt8(ascii: "x")
        else { throw problem() }
        var index = start + 3
        var value: UInt64 = 0
        while index < bytes.count, let digit = hexDigit(bytes[index]) {
            guard index - start < 19 else { throw problem() }
            value = value << 4 | UInt64(digit)
            index += 1
        }
        guard index > start + 3, index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { throw problem() }
        position = index + 1
        return value
    }

    /// Reads a time in RFC 3339.
    @inline(never)
    package mutating func time() throws(JSONError) -> String {
        try checked("a time in RFC 3339, \"2026-11-30T08:17:53.123456Z\"") { Timestamp($0) != nil }
    }

    /// Reads a UUIDv7.
    mutating func reportID() throws(JSONError) -> String {
        try checked("a UUID of version 7 in lower case") { ReportID.isValid($0) }
    }

    /// Reads a build id.
    package mutating func buildID() throws(JSONError) -> String {
        try checked("a build id, two hex digits a byte") { text in
            !text.isEmpty && text.utf8.count % 2 == 0 && text.utf8.allSatisfy { hexDigit($0) != nil }
        }
    }

    /// Reads an integer that must not be negative.
    @inline(never)
    package mutating func count() throws(JSONError) -> Int {
        skipSpace()
        let start = position
        let value = try integer()
        guard value >= 0 else {
            throw JSONError(.mismatch, at: start, "expected an integer of 0 or more")
        }
        return value
    }

    /// Reads one of the words of a closed set.
    package mutating func word<Word: RawRepresentable & CaseIterable>() throws(JSONError) -> Word
    where Word.RawValue == String {
        skipSpace()
        let start = position
        // No `String` is made of a word that stands there as it is spelled.
        for word in Word.allCases where isNextQuoted(word.rawValue) {
            position += word.rawValue.utf8.count + 2
            return word
        }
        let text = try string()
        guard let word = Word(rawValue: text) else {
            let words = Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw JSONError(.mismatch, at: start, "expected one of \(words)")
        }
        return word
    }

    /// Reads an array with one call for each element.
    package mutating func list<Element>(
        _ element: (inout JSONReader) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        var list: [Element] = []
        try elements { _, reader throws(JSONError) in list.append(try element(&reader)) }
        return list
    }

    /// Reads an object of anything.
    @inline(never)
    mutating func values() throws(JSONError) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        try members { key, reader throws(JSONError) in values[key.text] = try reader.value() }
        return values
    }

    /// The value of a member that must be there.
    package func required<Value>(_ value: Value?, _ key: String) throws(JSONError) -> Value {
        guard let value else { throw missing(key) }
        return value
    }

    @inline(never)
    private func missing(_ key: String) -> JSONError { JSONError(.mismatch, at: position, "missing").inside(key) }

    @inline(never)
    package mutating func checked(_ what: String, _ isGood: (String) -> Bool) throws(JSONError) -> String {
        skipSpace()
        let start = position
        guard peek() == UInt8(ascii: "\"") else { throw expected(what) }
        let text = try string()
        guard isGood(text) else { throw JSONError(.mismatch, at: start, "expected \(what)") }
        return text
    }
}

extension JSONWriter {
    @inline(never)
    package mutating func field(_ name: String, _ value: String?) { field(name, value) { $0.string($1) } }
    @inline(never)
    package mutating func field(_ name: String, _ value: Int?) { field(name, value) { $0.integer($1) } }
    @inline(never)
    mutating func field(_ name: String, hex value: UInt64?) { field(name, value) { $0.hex($1) } }

    /// Writes `true`, or nothing.
    @inline(never)
    mutating func flag(_ name: String, _ value: Bool) { field(name, value ? true : nil) { $0.bool($1) } }

    /// Writes an object of anything; nothing when it is empty.
    @inline(never)
    mutating func field(_ name: String, values: [String: JSONValue]) {
        // Two levels are around it: the line and this object.
        field(name, values.isEmpty ? nil : values) { $0.value(.object($1), depth: JSONReader.standardDepth - 1) }
    }

    /// Writes a member whose value `body` writes; nothing when there is no value.
    mutating func field<Value>(_ name: String, _ value: Value?, _ body: (inout JSONWriter, Value) -> Void) {
        guard let value else { return }
        key(name)
        body(&self, value)
    }

    /// Writes a member that is an object.
    mutating func object(_ name: String, _ body: (inout JSONWriter) -> Void) {
        key(name)
        beginObject()
        body(&self)
        endObject()
    }

    /// Writes a member that is an array.
    mutating func array<Element>(_ name: String, _ elements: [Element], _ body: (inout JSONWriter, Element) -> Void) {
        key(name)
        beginArray()
        for element in elements { body(&self, element) }
        endArray()
    }

    /// Writes an object.
    mutating func object(_ body: (inout JSONWriter) -> Void) {
        beginObject()
        body(&self)
        endObject()
    }
}
