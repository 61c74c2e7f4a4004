/// Bytes of a DSN while it is checked, without the standard library's generic collections.
///
/// A DSN is checked at the first line of `main`. There a slice or a lazy sequence of the standard library is the first to
/// have its type made by the runtime, which looks through every conformance of the program for it: 0.3 MB of the
/// executable come into memory and stay.
struct DSNBytes {
    private let base: UnsafePointer<UInt8>?
    /// The bytes that are meant; indices count from the start of the DSN.
    private(set) var range: Range<Int>

    init(_ buffer: UnsafeBufferPointer<UInt8>) {
        base = buffer.baseAddress
        range = 0..<buffer.count
    }

    private init(base: UnsafePointer<UInt8>?, range: Range<Int>) {
        self.base = base
        self.range = range
    }

    var isEmpty: Bool { range.isEmpty }
    var count: Int { range.count }
    var first: UInt8? { isEmpty ? nil : self[range.lowerBound] }

    subscript(index: Int) -> UInt8 {
        precondition(range.contains(index), "an index of a DSN is out of its range")
        // There are bytes, so they have an address.
        return base?[index] ?? 0
    }

    /// The bytes before `end`.
    func before(_ end: Int) -> DSNBytes { DSNBytes(base: base, range: range.lowerBound..<end) }

    /// The bytes from `start` on.
    func from(_ start: Int) -> DSNBytes { DSNBytes(base: base, range: start..<range.upperBound) }

    /// Takes the first byte off; nil when there is none.
    mutating func popFirst() -> UInt8? {
        guard let byte = first else { return nil }
        range = (range.lowerBound + 1)..<range.upperBound
        return byte
    }

    func firstIndex(of character: Unicode.Scalar) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            if self[index] == UInt8(ascii: character) { return index }
            index += 1
        }
        return nil
    }

    func lastIndex(of character: Unicode.Scalar) -> Int? {
        var index = range.upperBound
        while index > range.lowerBound {
            index -= 1
            if self[index] == UInt8(ascii: character) { return index }
        }
        return nil
    }

    func contains(_ character: Unicode.Scalar) -> Bool { firstIndex(of: character) != nil }

    func allSatisfy(_ rule: (UInt8) -> Bool) -> Bool {
        var index = range.lowerBound
        while index < range.upperBound {
            guard rule(self[index]) else { return false }
            index += 1
        }
        return true
    }

    /// Is `word`, in small letters, what it begins with, written large or small?
    func starts(with word: StaticString) -> Bool {
        guard count >= word.utf8CodeUnitCount else { return false }
        var offset = 0
        while offset < word.utf8CodeUnitCount {
            guard lowercased(self[range.lowerBound + offset]) == word.utf8Start[offset] else { return false }
            offset += 1
        }
        return true
    }

    /// Is it `word`, in small letters, written large or small?
    func isWord(_ word: StaticString) -> Bool { count == word.utf8CodeUnitCount && starts(with: word) }

    /// The number that its digits say; nil for none, anything else or more than five of them.
    var number: Int? {
        guard !isEmpty, count <= 5, allSatisfy(isDigit) else { return nil }
        var rest = self
        var number = 0
        while let digit = rest.popFirst() { number = number * 10 + Int(digit & 15) }
        return number
    }

    /// Two hex digits follow each `%`.
    var hasWholeEscapes: Bool {
        var rest = self
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.popEscaped() == nil { return false }
        }
        return true
    }

    /// Takes the two hex digits of an escape off; nil when they are not there.
    mutating func popEscaped() -> UInt8? {
        guard let high = popFirst().flatMap(hexDigit), let low = popFirst().flatMap(hexDigit) else { return nil }
        return high << 4 | low
    }
}

/// The unreserved characters of RFC 3986, section 2.3.
func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        true
    default: isDigit(byte)
    }
}

private func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0") <= byte && byte <= UInt8(ascii: "9") }

/// A capital letter of ASCII as a small one.
func lowercased(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A") <= byte && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
}

/// Value of a hex digit.
func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
