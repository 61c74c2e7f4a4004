import CrashReport
import CrashReportText
import TestSupport
import Testing

/// Hostile and damaged input, the same on every run. What is read must be a report; what is not must be a typed error.
@Suite("Hostile reports")
struct FuzzTests {
    @Test("Mutated text never does more than fail", arguments: UInt64(0)..<8)
    func readsMutatedText(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let text = SampleReport.full.jsonLines
        var read = 0
        for _ in 0..<150 {
            let mutated = Self.mutate(text, &random)
            if try Self.check(Gzip.compress(mutated, level: 1)) { read += 1 }
        }
        // A test whose input is always refused at the door would test nothing behind it.
        #expect(read > 5, "\(read)")
    }

    @Test("Mutated files never do more than fail", arguments: UInt64(0)..<8)
    func readsMutatedFiles(seed: UInt64) throws {
        var random = SeededGenerator(seed: 100 + seed)
        let file = SampleReport.full.encode()
        for _ in 0..<150 { _ = try Self.check(Self.mutate(file, &random)) }
    }

    @Test("Random bytes are no report")
    func refusesNoise() throws {
        var random = SeededGenerator(seed: 7)
        for count in 0..<300 {
            let noise = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            #expect(try !Self.check(noise))
            #expect(try !Self.check(Gzip.compress(noise)))
        }
    }

    @Test(
        "Hostile JSON is refused in any place, known or unknown",
        arguments: [
            "[" + String(repeating: "[", count: 200_000),
            String(repeating: "{\"a\":", count: 200_000),
            "1" + String(repeating: "0", count: 400),
            "1e9999999999999999999",
            "-1.7976931348623159e308",
            #""\ud83d""#, #""\udc00\ud83d""#, #""\ud83d\u0041""#,
            "\"\u{0}\"", "\"\u{7f}", "nul", "truefalse", "'a'", "NaN", "-Infinity", "0x10", "+1", ".5", "1_000",
            "{\"a\":1 \"b\":2}", "[1,,2]", "{,}", "// comment\n1", "\u{feff}1",
        ]
    )
    func refusesHostileJSON(value: String) throws {
        let lines = [
            #"{"type":"weather","x":VALUE}"#, #"{"type":"thread","id":VALUE,"frames":[]}"#,
            #"{"type":"context","custom":{"x":VALUE}}"#, #"{"type":"crash","registers":{"rip":VALUE}}"#,
        ]
        for line in lines {
            let file = ReportCodecTests.file(ReportCodecTests.header, line.replacing("VALUE", with: value))
            #expect(try !Self.check(file), "\(line) with \(value.prefix(40))")
        }
    }

    @Test("Huge values within the limits are read")
    func readsHuge() throws {
        let long = String(repeating: "\\u0041", count: 150_000)
        let digits = "0." + String(repeating: "1", count: 300_000)
        let keys = (0..<50_000).map { "\"key\($0)\":0" }.joined(separator: ",")
        let file = ReportCodecTests.file(
            ReportCodecTests.header,
            #"{"type":"breadcrumb","time":"2026-11-30T08:17:53Z","message":"\#(long)"}"#,
            #"{"type":"weather","x":\#(digits),"y":{\#(keys)}}"#
        )
        let report = try Report.decode(gzip: file).report
        #expect(report.breadcrumbs.first?.message.count == 150_000)
        #expect(report.text().allSatisfy { $0.count <= 80 })
    }

    @Test("What expands without end stops at the limit")
    func boundsBombs() throws {
        let zeros = Gzip.compress([UInt8](repeating: 0x20, count: 70 << 20))
        #expect(zeros.count < 100_000)
        let line = #"{"type":"weather"}"# + "\n"
        let lines = Gzip.compress(Array((ReportCodecTests.header + "\n" + String(repeating: line, count: 70_000)).utf8))
        let crumb = #"{"type":"breadcrumb","time":"2026-11-30T08:17:53Z","message":"","data":{"x":[VALUES]}}"#
        let crumbs = crumb.replacing("VALUES", with: (0..<90_000).map { _ in "{}" }.joined(separator: ",")) + "\n"
        let values = Gzip.compress(Array((ReportCodecTests.header + "\n" + String(repeating: crumbs, count: 3)).utf8))
        let frame = #"{"address":"0x1","trust":"fp"}"#
        let frames = (0..<30_000).map { _ in frame }.joined(separator: ",")
        let thread = #"{"type":"thread","id":1,"frames":[\#(frames)]}"# + "\n"
        let stacks = Gzip.compress(Array((ReportCodecTests.header + "\n" + String(repeating: thread, count: 4)).utf8))
        for (file, problem) in [
            (zeros, "longer than 1048576 bytes"), (lines, "more than 65536 lines"), (values, "too many values"),
            (stacks, "more than 100000 frames in the report"),
            (zeros + zeros, "longer than 1048576 bytes"),
        ] {
            let error = #expect(throws: ReportDecodingError.self) { try Report.decode(gzip: file) }
            #expect(error?.kind == .limit)
            #expect(error?.problem == problem)
        }
    }

    /// True when the bytes are a report, which then must be whole: written and read again it is the same, and it can be shown.
    private static func check(_ file: [UInt8]) throws -> Bool {
        let decoded: DecodedReport
        do {
            decoded = try Report.decode(gzip: file)
        } catch {
            let message = error.description
            #expect(!message.isEmpty && message.count < 1_000, "\(message)")
            #expect(message == message.madeVisible())
            return false
        }
        #expect(try Report.decode(gzip: decoded.report.encode()).report == decoded.report)
        for isFull in [true, false] {
            let options = ReportTextOptions(detail: isFull ? .full : .summary)
            let lines = decoded.report.text(options, warnings: decoded.warnings)
            #expect(!lines.isEmpty)
            #expect(lines.allSatisfy { $0 == $0.madeVisible() })
        }
        return true
    }

    /// One to three changes: bytes, runs and tokens that break readers.
    private static func mutate(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        let tokens = [
            "\"", "\\", "{", "}", "[", "]", ",", ":", "\n", "null", "-1", "1e400", "9223372036854775808", "\\ud800",
            "\u{0}",
            "\u{1b}[2J", "\u{202e}", "\"type\":\"end\",", "0x", "\"0xffffffffffffffff\"", "{\"type\":\"thread\"}\n",
            "true", "é",
        ]
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0..<max(bytes.count, 1), using: &random)
            let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1 where place < bytes.count: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
            case 2: bytes.removeSubrange(place..<end)
            case 3:
                bytes.insert(contentsOf: Array(bytes[place..<end]), at: Int.random(in: 0...bytes.count, using: &random))
            case 4: bytes.insert(contentsOf: Array((tokens.randomElement(using: &random) ?? "").utf8), at: place)
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }
}
