import CrashReport
import Import
import TestSupport
import Testing

@Suite("Reports in logs")
struct LogScannerTests {
    private static let report = SampleReport(seed: 1, threads: 12, frames: 12)
    private static let gzip = report.gzip()
    private static let id = report.report().header.id
    private static let lines = logLines(of: gzip, id: id)

    private func scan(_ text: String, chunk: Int = .max) -> [LoggedReport] {
        var scanner = LogScanner()
        var found: [LoggedReport] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            found += scanner.feed(rest.prefix(chunk))
            rest = rest.dropFirst(chunk)
        }
        return found + scanner.finish()
    }

    private func log(_ lines: some Sequence<String>) -> String { lines.joined(separator: "\n") + "\n" }

    private static let whole = [LoggedReport(id: id, content: .whole(gzip))]

    @Test(
        "whatever a log adds before and behind a line",
        arguments: [
            ("", ""), ("2026-11-30T10:00:00.123456789Z stderr F ", ""), ("Nov 30 10:00:00 host checkout[123]: ", "\r"),
            (#"{"log":""#, #"\n","stream":"stderr","time":"2026-11-30T10:00:00.1Z"}"#),
            ("\u{1b}[31m", "\u{1b}[0m"), ("checkout-1  | ", " "), ("<14>1 host - ", " [end]"), ("mayday-report ", ""),
        ]
    )
    func decoration(before: String, behind: String) {
        #expect(Self.lines.count > 5)
        #expect(scan(log(Self.lines.map { before + $0 + behind })) == Self.whole)
    }

    @Test("other lines in between, lines twice, in another order, and the log twice")
    func disorder() {
        let between = Self.lines.flatMap { ["GET /cart 200", $0, $0, "mayday-report is not one"] }
        #expect(scan(log(between)) == Self.whole)
        #expect(scan(log(Self.lines.reversed())) == Self.whole)
        #expect(scan(log(Self.lines + Self.lines)) == Self.whole + Self.whole)
        #expect(scan(log(Self.lines.dropFirst())) == Self.whole, "the last line says what the first one does")
        #expect(scan(log(Self.lines.dropLast())) == Self.whole)
    }

    @Test("two processes that write at once")
    func interleaved() {
        let other = SampleReport(seed: 2, threads: 12, frames: 12)
        let lines = zip(Self.lines, logLines(of: other.gzip(), id: other.report().header.id)).flatMap { [$0, $1] }
        let found = scan(log(lines))
        #expect(found.count == 2)
        #expect(found.contains(Self.whole[0]))
        #expect(found.contains(LoggedReport(id: other.report().header.id, content: .whole(other.gzip()))))
    }

    @Test("however the log is read", arguments: [1, 2, 7, 13, 14, 15, 100, 557, 600, 4096])
    func chunks(size: Int) {
        #expect(scan("start\n" + log(Self.lines.map { "10:00 \($0)" }) + "end", chunk: size) == Self.whole)
    }

    @Test("missing and cut lines leave the beginning")
    func missing() {
        let count = Self.lines.count - 2
        var without = Self.lines
        without.remove(at: 3)
        let beginning = Array(Self.gzip.prefix(2 * 384))
        #expect(
            scan(log(without))
                == [LoggedReport(id: Self.id, content: .cut(beginning, "line 3 of \(count) is missing or cut"))]
        )
        var cut = Self.lines
        cut[3].removeLast(100)
        #expect(
            scan(log(cut)) == [
                LoggedReport(id: Self.id, content: .cut(beginning, "line 3 of \(count) is missing or cut"))
            ]
        )
        #expect(
            scan(log(Self.lines[1...3]))
                == [
                    LoggedReport(
                        id: Self.id,
                        content: .cut(Array(Self.gzip.prefix(3 * 384)), "its first and its last line are missing")
                    )
                ]
        )
        let headless = scan(log(Self.lines[2...]))
        #expect(headless == [LoggedReport(id: Self.id, content: .damaged("line 1 of \(count) is missing or cut"))])
    }

    @Test("a changed line is found by the checksum")
    func changed() {
        var lines = Self.lines
        let letter = lines[2].removeLast()
        lines[2].append(letter == "A" ? "B" : "A")
        let damaged = LoggedReport.Content.damaged("its checksum is wrong: a line was changed")
        #expect(scan(log(lines)) == [LoggedReport(id: Self.id, content: damaged)])
    }

    @Test("no report is made up from a damaged log, and none makes the scanner stumble")
    func fuzz() {
        var random = SeededGenerator(seed: 7)
        let text = Array(log(Self.lines).utf8)
        for _ in 0..<400 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: at)
                default: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 0...900, using: &random)))
                }
                if bytes.isEmpty { break }
            }
            var scanner = LogScanner()
            for found in scanner.feed(bytes) + scanner.finish() {
                switch found.content {
                case .whole(let gzip): #expect(gzip == Self.gzip)
                case .cut(let gzip, _): #expect(gzip.count <= Self.gzip.count)
                case .damaged: break
                }
            }
        }
    }

    @Test("absurd numbers are not believed")
    func absurd() {
        let id = Self.id
        for record in [
            "begin lines=99999999 bytes=1 crc32=0", "begin lines=1 bytes=9999999999 crc32=0",
            "begin lines=0 bytes=0 crc32=0",
            "begin lines=1 bytes=1 crc32=99999999999", "9999999999 AAAA", "0 AAAA", "-1 AAAA", "1", "begin", "",
        ] {
            #expect(
                scan("mayday-report \(id) \(record)\n").allSatisfy {
                    if case .damaged = $0.content { true } else { false }
                }
            )
        }
    }
}
