extension JSONReader {
    /// Reads a string.
    @inline(never)
    public mutating func string() throws(JSONError) -> String {
        skipSpace()
        guard peek() == UInt8(ascii: "\"") else { throw expected("a string") }
        position += 1
        let start = position
        try skipPlain()
        if bytes[position] == UInt8(ascii: "\"") {
            defer { position += 1 }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }
        return try stringWithEscapes(from: start)
    }

    /// Reads the key of a member.
    mutating func key() throws(JSONError) -> JSONKey {
        position += 1
        let start = position
        try skipPlain()
        let hasEscapes = bytes[position] != UInt8(ascii: "\"")
        if hasEscapes {
            _ = try stringWithEscapes(from: start)
        } else {
            position += 1
        }
        return JSONKey(in: bytes, start..<(position - 1), hasEscapes: hasEscapes)
    }

    /// Reads all that is there as the inside of a string.
    mutating func unquotedString() throws(JSONError) -> String {
        var text: [UInt8] = []
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "\\") {
                try unescape(into: &text)
            } else {
                text.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Moves to the quote or the backslash that ends a run of plain text.
    private mutating func skipPlain() throws(JSONError) {
        position = endOfPlainText(in: bytes, from: position)
        guard position < bytes.count else { throw syntax("expected '\"'") }
        guard bytes[position] >= 0x20 else { throw syntax("a control character in a string must be written \\u00XX") }
    }

    @inline(never)
    private mutating func stringWithEscapes(from start: Int) throws(JSONError) -> String {
        var text: [UInt8] = []
        var runStart = start
        while true {
            text.append(contentsOf: bytes[runStart..<position])
            if bytes[position] == UInt8(ascii: "\"") { break }
            try unescape(into: &text)
            runStart = position
            try skipPlain()
        }
        position += 1
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads one escape, from its backslash on.
    private mutating func unescape(into text: inout [UInt8]) throws(JSONError) {
        position += 1
        guard let letter = peek() else { throw syntax("expected an escape") }
        let plain: UInt8
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = letter
        case UInt8(ascii: "b"): plain = 0x08
        case UInt8(ascii: "f"): plain = 0x0c
        case UInt8(ascii: "n"): plain = 0x0a
        case UInt8(ascii: "r"): plain = 0x0d
        case UInt8(ascii: "t"): plain = 0x09
        case UInt8(ascii: "u"):
            let scalar = try escapedScalar()
            text.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
            return
        default: throw syntax("no such escape")
        }
        position += 1
        text.append(plain)
    }

    /// Reads `uXXXX`, or two of them that are a surrogate pair, from the `u` on.
    private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
        let start = position - 1
        let first = try escapedUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let lone = JSONError(.syntax, at: start, "half of a surrogate pair")
        guard (0xd800..<0xdc00).contains(first), peek() == UInt8(ascii: "\\") else { throw lone }
        position += 1
        guard peek() == UInt8(ascii: "u") else { throw lone }
        let second = try escapedUnit()
        guard (0xdc00..<0xe000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
        else { throw lone }
        return scalar
    }

    private mutating func escapedUnit() throws(JSONError) -> UInt32 {
        position += 1
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(), let digit = hexDigit(byte) else { throw syntax("expected 4 hex digits after \\u") }
            unit = unit << 4 | UInt32(digit)
            position += 1
        }
        return unit
    }

    /// Reads `true` or `false`.
    @inline(never)
    public mutating func bool() throws(JSONError) -> Bool {
        skipSpace()
        switch peek() {
        case UInt8(ascii: "t"):
            try word("true")
            return true
        case UInt8(ascii: "f"):
            try word("false")
            return false
        default: throw expected("true or false")
        }
    }

    /// Reads an integer.
    @inline(never)
    public mutating func integer() throws(JSONError) -> Int {
        skipSpace()
        let start = position
        guard let byte = peek(), byte == UInt8(ascii: "-") || isDigit(byte), case .integer(let value) = try number()
        else {
            position = start
            throw expected("an integer")
        }
        return Int(value)
    }

    /// Reads a number: `.integer` when it has neither fraction nor exponent and fits, else `.number`.
    @inline(never)
    mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        var isWhole = true
        if peek() == UInt8(ascii: "-") { position += 1 }
        let firstDigit = position
        guard takeDigits() > 0 else {
            if position == start { throw syntax("expected a value") }
            throw syntax("expected a digit")
        }
        if bytes[firstDigit] == UInt8(ascii: "0"), position - firstDigit > 1 {
            position = firstDigit
            throw syntax("a number must not begin with a zero")
        }
        if peek() == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            guard takeDigits() > 0 else { throw syntax("expected a digit") }
        }
        if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
            isWhole = false
            position += 1
            if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { position += 1 }
            guard takeDigits() > 0 else { throw syntax("expected a digit") }
        }
        if isWhole, let integer = wholeNumber(from: start) { return .integer(integer) }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let number = Double(text), number.isFinite else {
            throw JSONError(.syntax, at: start, "a number must fit a double")
        }
        return .number(number)
    }

    /// The integer between an offset and the position; nil when it does not fit.
    private func wholeNumber(from start: Int) -> Int64? {
        let isNegative = bytes[start] == UInt8(ascii: "-")
        var value: Int64 = 0
        for byte in bytes[(isNegative ? start + 1 : start)..<position] {
            let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (next, isOver) =
                isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
            guard !isTooLarge, !isOver else { return nil }
            value = next
        }
        return value
    }

    private mutating func takeDigits() -> Int {
        let start = position
        while let byte = peek(), isDigit(byte) { position += 1 }
        return position - start
    }
}

private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

/// Value of a hex digit in either case.
func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
