#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A strict pull reader of JSON (RFC 8259) over UTF-8 bytes.
///
/// It reads hostile input: nesting and the number of values are bounded, an object that has a key twice is an error
/// (RFC 8259 leaves the choice open, and readers that disagree about it are how checks are bypassed), surrogates must come
/// in pairs, and bytes that are not UTF-8 are an error with their offset. Integers that fit are `Int64`, all else is `Double`.
///
/// The bytes must outlive the reader.
public struct JSONReader {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    private var depthLeft: Int
    private var valuesLeft: Int
    /// Keys of the objects being read, outermost first; an object takes its own off when it ends.
    private var openKeys: [JSONKey] = []

    /// Nesting that a report may have.
    public static let standardDepth = 32

    /// A reader at the start of `bytes`, which are checked to be UTF-8.
    ///
    /// - Parameters:
    ///   - depth: levels of arrays and objects within each other.
    ///   - values: upper bound of the values that `value()` builds, over all calls.
    public init(
        _ bytes: UnsafeBufferPointer<UInt8>,
        depth: Int = standardDepth,
        values: Int = .max
    ) throws(JSONError) {
        self.bytes = bytes
        self.depthLeft = depth
        self.valuesLeft = values
        openKeys.reserveCapacity(16)
        if let offset = UTF8Validation.firstInvalidByte(in: bytes) {
            throw JSONError(.syntax, at: offset, "not valid UTF-8")
        }
    }

    /// A reader of what stands between the quotes of a string.
    init(unquoted bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        depthLeft = 0
        valuesLeft = 0
    }

    /// The one value that `bytes` hold.
    public static func parse(
        _ bytes: [UInt8],
        depth: Int = standardDepth,
        values: Int = .max
    ) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
            var reader = try JSONReader(buffer, depth: depth, values: values)
            let value = try reader.value()
            try reader.end()
            return value
        }
    }

    /// Values that `value()` may still build.
    var remainingValues: Int { valuesLeft }

    // MARK: Objects and arrays

    // What a line type has of these loops is compiled once for each of them, so what can be shared is in functions that are not inlined.

    /// Reads an object; `body` must read the value of each member, or skip it.
    ///
    /// Errors that `body` throws get the key in their path.
    public mutating func members(
        _ body: (_ key: JSONKey, _ reader: inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        var object = try openObject()
        while let key = try nextKey(of: &object) {
            do { try body(key, &self) } catch { throw error.inside(key.text) }
        }
    }

    /// Reads an array; `body` must read each element, or skip it.
    ///
    /// Errors that `body` throws get the index in their path.
    public mutating func elements(
        _ body: (_ index: Int, _ reader: inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        try open("[", "an array")
        var index = 0
        while try nextElement(index) {
            do { try body(index, &self) } catch { throw error.inside(index) }
            index += 1
        }
    }

    /// An object that is being read.
    private struct OpenObject {
        /// Where its keys begin in `openKeys`.
        let mark: Int
        /// Its keys, when they are many.
        var manyKeys: Set<[UInt8]>?
        var isAtStart = true
    }

    @inline(never)
    private mutating func openObject() throws(JSONError) -> OpenObject {
        try open("{", "an object")
        return OpenObject(mark: openKeys.count)
    }

    /// Reads up to the value of the next member; nil at the end of the object.
    @inline(never)
    private mutating func nextKey(of object: inout OpenObject) throws(JSONError) -> JSONKey? {
        guard try goesOn("}", isAtStart: object.isAtStart) else {
            openKeys.removeLast(openKeys.count - object.mark)
            return nil
        }
        object.isAtStart = false
        skipSpace()
        let start = position
        guard peek() == UInt8(ascii: "\"") else { throw syntax("expected a key in double quotes") }
        let key = try key()
        try remember(key, since: object.mark, in: &object.manyKeys, at: start)
        skipSpace()
        guard take(":") else { throw syntax("expected ':' after a key") }
        return key
    }

    /// True when the element at `index` comes next, false at the end of the array.
    @inline(never)
    private mutating func nextElement(_ index: Int) throws(JSONError) -> Bool {
        try goesOn("]", isAtStart: index == 0)
    }

    /// True when another member or element comes, false when the object or array ended.
    private mutating func goesOn(_ bracket: Unicode.Scalar, isAtStart: Bool) throws(JSONError) -> Bool {
        skipSpace()
        if take(bracket) {
            depthLeft += 1
            return false
        }
        if isAtStart || take(",") { return true }
        throw syntax("expected ',' or '\(bracket)'")
    }

    /// An object with a few keys is searched, one with many gets a set: both bounded, whatever the input.
    private mutating func remember(
        _ key: JSONKey,
        since mark: Int,
        in many: inout Set<[UInt8]>?,
        at offset: Int
    ) throws(JSONError) {
        let isNew: Bool
        if many != nil {
            isNew = many?.insert(Array(key.text.utf8)).inserted ?? true
        } else {
            isNew = openKeys.withUnsafeBufferPointer { keys in
                for index in mark..<keys.count where keys[index] == key { return false }
                return true
            }
            openKeys.append(key)
            if openKeys.count - mark > 16 { many = Set(openKeys[mark...].map { Array($0.text.utf8) }) }
        }
        guard isNew else {
            throw JSONError(.syntax, at: offset, "the key \"\(key.text.madeVisible(limit: 40))\" is there twice")
        }
    }

    // MARK: Any value

    /// Reads the next value, whatever it is.
    public mutating func value() throws(JSONError) -> JSONValue {
        guard valuesLeft > 0 else { throw JSONError(.limit, at: position, "too many values") }
        valuesLeft -= 1
        skipSpace()
        switch peek() {
        case UInt8(ascii: "{"):
            var object: [String: JSONValue] = [:]
            try members { key, reader throws(JSONError) in object[key.text] = try reader.value() }
            return .object(object)
        case UInt8(ascii: "["):
            var array: [JSONValue] = []
            try elements { _, reader throws(JSONError) in array.append(try reader.value()) }
            return .array(array)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool(try bool())
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        default: return try number()
        }
    }

    /// Checks the next value and drops it.
    @inline(never)
    public mutating func skip() throws(JSONError) {
        skipSpace()
        switch peek() {
        case UInt8(ascii: "{"): try members { _, reader throws(JSONError) in try reader.skip() }
        case UInt8(ascii: "["): try elements { _, reader throws(JSONError) in try reader.skip() }
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try bool()
        case UInt8(ascii: "n"): try word("null")
        default: _ = try number()
        }
    }

    /// Checks that nothing but white space is left.
    public mutating func end() throws(JSONError) {
        skipSpace()
        guard position == bytes.count else { throw syntax("expected nothing more") }
    }

    // MARK: Tokens

    /// The byte at the position, or nil at the end.
    func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0a, 0x0d: position += 1
            default: return
            }
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    @inline(never)
    private mutating func open(_ bracket: Unicode.Scalar, _ name: String) throws(JSONError) {
        skipSpace()
        guard peek() == UInt8(ascii: bracket) else { throw expected(name) }
        guard depthLeft > 0 else { throw JSONError(.limit, at: position, "nested too deep") }
        depthLeft -= 1
        position += 1
    }

    /// Reads `true`, `false` or `null`.
    mutating func word(_ text: StaticString) throws(JSONError) {
        guard isNext(text) else { throw syntax("expected \(text)") }
        position += text.utf8CodeUnitCount
    }

    /// True when the bytes go on with this text.
    func isNext(_ text: StaticString) -> Bool {
        guard text.utf8CodeUnitCount <= bytes.count - position else { return false }
        return bytes.baseAddress.map { memcmp($0 + position, text.utf8Start, text.utf8CodeUnitCount) == 0 } ?? false
    }

    /// True when the bytes go on with this text in quotes. It has to be one that needs no escapes.
    func isNextQuoted(_ text: String) -> Bool {
        let end = position + text.utf8.count + 1
        guard end < bytes.count, bytes[position] == UInt8(ascii: "\""), bytes[end] == UInt8(ascii: "\"") else {
            return false
        }
        return text.utf8.elementsEqual(bytes[(position + 1)..<end])
    }

    /// An error in the grammar at the position.
    func syntax(_ problem: String) -> JSONError {
        let problem = position < bytes.count ? problem : "\(problem), but the text ends here"
        return JSONError(.syntax, at: position, problem)
    }

    /// An error about a value that is not of the wanted type; at something that is no value at all, one about the grammar.
    func expected(_ what: String) -> JSONError {
        guard let byte = peek() else { return syntax("expected \(what)") }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "-"),
            UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return JSONError(.mismatch, at: position, "expected \(what)")
        default: return syntax("expected \(what)")
        }
    }
}
