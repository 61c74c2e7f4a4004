import CrashReport
import Testing

@Suite("JSON")
struct JSONTests {
    @Test(
        "Values are read",
        arguments: [
            ("null", JSONValue.null),
            (" true\t", .bool(true)),
            ("false", .bool(false)),
            ("0", .integer(0)),
            ("-12", .integer(-12)),
            ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("1.5", .number(1.5)),
            ("1e3", .number(1000)),
            ("-2.5E-1", .number(-0.25)),
            (#""""#, .string("")),
            (#""é😀\/\\\"\b\f\n\r\t""#, .string("é😀/\\\"\u{8}\u{c}\n\r\t")),
            (#""\u00e9\ud83d\ude00\u0000""#, .string("é😀\0")),
            ("[]", .array([])),
            ("[1, [2]]", .array([.integer(1), .array([.integer(2)])])),
            ("{}", .object([:])),
            (#"{"a": {"b": [null]}, "c": 1}"#, .object(["a": .object(["b": .array([.null])]), "c": .integer(1)])),
        ]
    )
    func reads(text: String, value: JSONValue) throws {
        #expect(try JSONReader.parse(Array(text.utf8)) == value)
    }

    @Test(
        "What is not JSON is refused with its place",
        arguments: [
            ("", "byte 0: expected a value, but the text ends here"),
            ("[1,]", "[1]: byte 3: expected a value"),
            ("[1 2]", "byte 3: expected ',' or ']'"),
            ("[1", "byte 2: expected ',' or ']', but the text ends here"),
            ("{\"a\" 1}", "byte 5: expected ':' after a key"),
            ("{a: 1}", "byte 1: expected a key in double quotes"),
            ("{\"a\":1,}", "byte 7: expected a key in double quotes"),
            ("{\"a\":1,\"b\":{\"c\":[0,nil]}}", "b.c[1]: byte 19: expected null"),
            ("{\"a\":1,\"a\":2}", "byte 7: the key \"a\" is there twice"),
            ("{\"a\":1,\"\\u0061\":2}", "byte 7: the key \"a\" is there twice"),
            ("01", "byte 0: a number must not begin with a zero"),
            ("-", "byte 1: expected a digit, but the text ends here"),
            ("1.", "byte 2: expected a digit, but the text ends here"),
            ("1e+", "byte 3: expected a digit, but the text ends here"),
            ("1e999", "byte 0: a number must fit a double"),
            ("1 1", "byte 2: expected nothing more"),
            ("\"a", "byte 2: expected '\"', but the text ends here"),
            ("\"a\u{1}\"", "byte 2: a control character in a string must be written \\u00XX"),
            ("\"\\x\"", "byte 2: no such escape"),
            ("\"\\u12g4\"", "byte 5: expected 4 hex digits after \\u"),
            ("\"\\ud800\"", "byte 1: half of a surrogate pair"),
            ("\"\\ud800\\ud800\"", "byte 1: half of a surrogate pair"),
            ("\"\\udc00\"", "byte 1: half of a surrogate pair"),
        ]
    )
    func refuses(text: String, message: String) {
        let error = #expect(throws: JSONError.self) { try JSONReader.parse(Array(text.utf8)) }
        #expect(error?.description == message)
    }

    @Test(
        "Bytes that are not UTF-8 are named",
        arguments: [
            ([0x80], 0), ([0xc0, 0xaf], 0), ([0xed, 0xa0, 0x80], 0), ([0xf4, 0x90, 0x80, 0x80], 0), ([0xe2, 0x82], 0),
            (Array("abcdefghij".utf8) + [0xff], 10), (Array("é".utf8) + [0xf0, 0x9f, 0x98, 0x22], 2),
        ] as [([UInt8], Int)]
    )
    func refusesBadUTF8(bytes: [UInt8], offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSONReader.parse([0x22] + bytes + [0x22]) }
        #expect(error?.description == "byte \(offset + 1): not valid UTF-8")
    }

    @Test("Nesting is bounded")
    func boundsDepth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect(throws: Never.self) { try JSONReader.parse(nested(32)) }
        let error = #expect(throws: JSONError.self) { try JSONReader.parse(nested(100_000)) }
        #expect(error?.kind == .limit)
        #expect(error?.problem == "nested too deep")
    }

    @Test("The number of values is bounded")
    func boundsValues() throws {
        let error = #expect(throws: JSONError.self) { try JSONReader.parse(Array("[1,2,3]".utf8), values: 3) }
        #expect(error?.kind == .limit)
    }

    @Test("A key that is there twice is found among many")
    func findsDuplicateAmongMany() throws {
        let members = (0..<1_000).map { "\"k\($0)\":0" }
        #expect(throws: Never.self) { try JSONReader.parse(Array("{\(members.joined(separator: ","))}".utf8)) }
        let twice = "{\((members + ["\"k500\":1"]).joined(separator: ","))}"
        #expect(throws: JSONError.self) { try JSONReader.parse(Array(twice.utf8)) }
    }

    @Test("Keys are the same when their characters are, and not when they look alike", arguments: [0, 17])
    func comparesKeysByBytes(others: Int) throws {
        let rest = (0..<others).map { ",\"k\($0)\":0" }.joined()
        // One scalar and two, and a sign that normalization makes a letter.
        let composed = try JSONReader.parse(Array("{\"\u{e9}\":1,\"K\":2\(rest),\"e\u{301}\":3,\"\u{212a}\":4}".utf8))
        guard case .object(let members) = composed else { throw JSONError(.mismatch, at: 0, "no object") }
        // A Swift dictionary has one of each, the last.
        #expect(members.count == 2 + others)
        #expect(members["\u{e9}"] == .integer(3) && members["K"] == .integer(4))
        let twice = "{\"\u{e9}\":1\(rest),\"\\u00e9\":2}"
        #expect(throws: JSONError.self) { try JSONReader.parse(Array(twice.utf8)) }
    }

    @Test("A name that only looks like a member's is another")
    func matchesNamesByBytes() throws {
        var known: [Bool] = []
        try Array("{\"\u{212a}\":0,\"K\":0,\"\\u004c\":0}".utf8).withUnsafeBufferPointer { bytes in
            var reader = try JSONReader(bytes)
            try reader.members { key, reader throws(JSONError) in
                switch key {
                case "K", "L": known.append(true)
                default: known.append(false)
                }
                try reader.skip()
            }
        }
        #expect(known == [false, true, true])
    }

    @Test("What is written can be read again")
    func roundTrips() throws {
        let value = JSONValue.object([
            "control": .string("\u{0}\u{1f}\"\\\n"), "text": .string("é😀\u{2028}"), "min": .integer(.min),
            "tiny": .number(.leastNonzeroMagnitude), "large": .number(.greatestFiniteMagnitude), "whole": .number(1),
            "list": .array([.null, .bool(true), .array([]), .object([:])]),
        ])
        let text = value.text
        #expect(try JSONReader.parse(Array(text.utf8)) == value)
        #expect(text.contains(#""control":"\u0000\u001f\"\\\u000a""#))
    }

    @Test("Numbers that JSON has no text for become null")
    func writesNotANumber() {
        #expect(JSONValue.array([.number(.nan), .number(.infinity)]).text == "[null,null]")
    }

    @Test("What is nested deeper than may be read becomes an ellipsis")
    func writesBoundedDepth() throws {
        var writer = JSONWriter()
        writer.value(.array([.array([.integer(1)]), .integer(2)]), depth: 1)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"["…",2]"#)
    }

    @Test("Addresses are written without leading zeros")
    func writesHex() {
        for (value, text): (UInt64, String) in [
            (0, "0x0"), (0xf, "0xf"), (0x10, "0x10"), (0x55d0_c0ff_ee00, "0x55d0c0ffee00"),
            (.max, "0xffffffffffffffff"),
        ] {
            var writer = JSONWriter()
            writer.beginArray()
            writer.hex(value)
            writer.hex(value)
            writer.endArray()
            #expect(String(decoding: writer.bytes, as: UTF8.self) == "[\"\(text)\",\"\(text)\"]")
        }
    }
}
