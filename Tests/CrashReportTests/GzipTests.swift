import CrashReport
import Testing

@Suite("gzip")
struct GzipTests {
    static let text = Array(String(repeating: "a stack of frames, ", count: 20_000).utf8)

    @Test("What was compressed expands to the same bytes", arguments: [0, 1, 65_536, 300_000])
    func roundTrips(count: Int) throws {
        let bytes = Array(Self.text.prefix(count))
        let expanded = try Gzip.expand(Gzip.compress(bytes), limit: count)
        #expect(expanded == Gzip.Expanded(bytes: bytes, isCutShort: false))
    }

    @Test("Members that follow one another are one text")
    func expandsMembers() throws {
        let members = Gzip.compress(Array("a\n".utf8)) + Gzip.compress([]) + Gzip.compress(Array("b\n".utf8))
        #expect(try Gzip.expand(members, limit: 4) == Gzip.Expanded(bytes: Array("a\nb\n".utf8), isCutShort: false))
    }

    @Test("A cut at any byte is noticed and loses nothing that was there")
    func expandsCut() throws {
        let bytes = (0..<2_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        let file = Gzip.compress(bytes)
        var last = 0
        for count in 0..<file.count {
            let expanded = try Gzip.expand(Array(file.prefix(count)), limit: 10_000)
            #expect(expanded.isCutShort)
            #expect(bytes.starts(with: expanded.bytes))
            #expect(expanded.bytes.count >= last)
            last = expanded.bytes.count
        }
        #expect(last == bytes.count)
    }

    @Test("Expansion stops at the limit")
    func bounds() {
        let bomb = Gzip.compress([UInt8](repeating: 0, count: 50 << 20))
        #expect(bomb.count < 100_000)
        #expect(throws: GzipError.tooLarge(limit: 1_000_000)) { try Gzip.expand(bomb, limit: 1_000_000) }
        let members = (0..<3).flatMap { _ in Gzip.compress(Self.text) }
        #expect(throws: GzipError.tooLarge(limit: Self.text.count * 2)) {
            try Gzip.expand(members, limit: Self.text.count * 2)
        }
    }

    @Test("Other data and damaged data are told apart")
    func refuses() {
        #expect(throws: GzipError.notGzip) { try Gzip.expand(Array("{\"type\":\"report\"}".utf8), limit: 100) }
        var damaged = Gzip.compress(Self.text)
        damaged[damaged.count - 6] ^= 1  // a byte of the checksum
        #expect(throws: GzipError.damaged(after: Self.text.count)) { try Gzip.expand(damaged, limit: 1 << 20) }
    }
}
