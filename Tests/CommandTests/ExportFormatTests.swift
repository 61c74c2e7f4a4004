import CrashReport
import Testing
import TestSupport

@testable import Query
@testable import Store

@Suite("CSV as spreadsheets read it")
struct ExportFormatTests {
    private let time = Timestamp(microseconds: 1_705_300_000_000_000)

    private func report(release: String, title: String? = nil, tags: [String: String] = [:]) -> StoredReport {
        StoredReport(
            key: ReportKey(project: 1, id: "018d0bcc-fd00-7f39-b884-95061eb06ce1"),
            received: time,
            facts: ReportFacts(
                kind: "error",
                time: time,
                service: "checkout",
                release: release,
                environment: nil,
                host: "web-3",
                signal: nil,
                isCutShort: true,
                occurrences: 500
            ),
            state: .pending,
            issue: nil,
            title: title,
            culprit: nil,
            tags: tags
        )
    }

    /// The fields of a line as RFC 4180 has them, by bytes, as most programs read them.
    private func fields(_ line: String) -> [String] {
        var fields: [[UInt8]] = [[]]
        var isQuoted = false
        var bytes = Array(line.utf8)[...]
        while let byte = bytes.popFirst() {
            switch (byte, isQuoted) {
            case (UInt8(ascii: "\""), true) where bytes.first == byte:
                fields[fields.count - 1].append(byte)
                bytes.removeFirst()
            case (UInt8(ascii: "\""), _): isQuoted.toggle()
            case (UInt8(ascii: ","), false): fields.append([])
            default: fields[fields.count - 1].append(byte)
            }
        }
        return fields.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "whatever a report says stays in its field, and is no formula there",
        arguments: [
            ("checkout@1.4.2", "checkout@1.4.2", false),
            ("Index out of range", "Index out of range", false),
            ("x, \"\u{301},=cmd|' /C calc'!A0,z", "x, \"\u{301},=cmd|' /C calc'!A0,z", true),
            ("a,\u{301}b", "a,\u{301}b", true), ("a\"b", "a\"b", true), ("Käse", "Käse", true),
            ("=\u{301}cmd", "'=\u{301}cmd", true), ("\u{200d}=1+1", "'\u{200d}=1+1", true),
            ("\u{fe0f}\u{a0}@x", "'\u{fe0f}\u{a0}@x", true),
            ("\u{ff1d}cmd|x", "'\u{ff1d}cmd|x", true), ("\u{ff0b}1", "'\u{ff0b}1", true),
            ("\u{ff0d}1", "'\u{ff0d}1", true), ("\u{ff20}x", "'\u{ff20}x", true),
            (" =1+1", "' =1+1", false), ("-1", "'-1", false), ("+1", "'+1", false), ("@x", "'@x", false),
            ("1=1", "1=1", false), ("   ", "   ", false),
        ]
    )
    func quoting(text: String, expected: String, isQuoted: Bool) throws {
        let columns = try #require(ExportFormat.csv.heading).split(separator: ",").map(String.init)
        let tags = ["region": "\"\u{301},=1"]
        let line = ExportFormat.csv.line(report(release: text, title: text, tags: tags))
        let found = fields(line)
        #expect(found.count == columns.count)
        let row = Dictionary(uniqueKeysWithValues: zip(columns, found))
        for column in ["release", "title"] {
            // Equal texts may be made of other scalars.
            #expect(row[column].map { Array($0.utf8) } == Array(expected.utf8), "\(line)")
        }
        let start = try #require(line.utf8.firstRange(of: ",checkout,".utf8)?.upperBound)
        #expect((line.utf8[start] == UInt8(ascii: "\"")) == isQuoted, "\(line)")
        let object = try JSONReader.parse(Array(try #require(row["tags"]).utf8), depth: 4)
        #expect(object == .object(["region": .string("\"\u{301},=1")]))
    }

    @Test("how often an error occurred, and that a report was cut short, are in columns of their own")
    func counts() throws {
        let columns = try #require(ExportFormat.csv.heading).split(separator: ",").map(String.init)
        #expect(columns.suffix(2) == ["occurrences", "cut_short"])
        #expect(fields(ExportFormat.csv.line(report(release: "x"))).suffix(2) == ["500", "true"])
    }
}
