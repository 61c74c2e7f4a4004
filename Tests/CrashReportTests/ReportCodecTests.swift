import CrashReport
import TestSupport
import Testing

@Suite("Report codec")
struct ReportCodecTests {
    static func file(_ lines: String...) -> [UInt8] { Gzip.compress(Array(lines.map { $0 + "\n" }.joined().utf8)) }

    static let header = """
        {"type":"report","version":1,"id":"01ba5a16-5b03-7a3c-8123-456789abcdef","kind":"crash",\
        "time":"2026-11-30T08:17:53.123456Z","process":{"pid":1},"sdk":{"name":"mayday-swift","version":"0.1.0"}}
        """

    @Test("Everything that is written is read again")
    func roundTrips() throws {
        let decoded = try Report.decode(gzip: SampleReport.full.encode())
        #expect(decoded == DecodedReport(report: SampleReport.full, isComplete: true, warnings: []))
        #expect(decoded.report.encode() == SampleReport.full.encode())
    }

    @Test("A report that has the least is read")
    func readsLeast() throws {
        let decoded = try Report.decode(gzip: Self.file(Self.header))
        #expect(decoded.report.header.process.pid == 1)
        #expect(!decoded.isComplete)
        #expect(decoded.warnings.isEmpty)
    }

    @Test("A file cut at any byte gives its whole lines, or says that the first is missing")
    func readsCut() throws {
        let file = SampleReport.full.encode()
        let whole = try Report.decode(gzip: file).report
        var threads = 0
        var read = 0
        for count in 0..<file.count {
            do {
                let decoded = try Report.decode(gzip: Array(file.prefix(count)))
                read += 1
                #expect(decoded.report.header == whole.header)
                #expect(decoded.warnings.first == "The file was cut short.")
                #expect(whole.threads.starts(with: decoded.report.threads))
                #expect(decoded.report.threads.count >= threads)
                threads = decoded.report.threads.count
            } catch {
                #expect(error.kind == .noReport)
                #expect(read == 0, "what could be read of a shorter file is still there")
            }
        }
        #expect(threads == whole.threads.count)
    }

    @Test("Unknown types, keys and the order of keys do not matter")
    func ignoresUnknown() throws {
        let decoded = try Report.decode(
            gzip: Self.file(
                #"{"later":[1,{"a":"b"}],"#
                    + Self.header.dropFirst().replacing(#""type":"report","#, with: "").dropLast()
                    + #","type":"report"}"#,
                #"{"type":"weather","rain":true}"#,
                #"{"frames":[{"address":"0x1F","trust":"fp","mood":null}],"type":"thread","id":4}"#
            )
        )
        #expect(decoded.report.threads == [ThreadStack(id: 4, frames: [Frame(address: 31, trust: .fp)])])
    }

    @Test(
        "A wrong field is named",
        arguments: [
            (
                #"{"type":"thread","id":1,"frames":[{"address":"0x1","trust":"cfi"},{"address":12}]}"#,
                "line 2: thread.frames[1].address: expected a hex string"
            ),
            (
                #"{"type":"thread","id":1,"frames":[{"address":"12","trust":"cfi"}]}"#,
                "line 2: thread.frames[0].address: expected a hex string"
            ),
            (
                #"{"type":"thread","id":1,"frames":[{"address":"0x10000000000000000","trust":"cfi"}]}"#,
                "line 2: thread.frames[0].address: expected a hex string"
            ),
            (
                #"{"type":"thread","id":1,"frames":[{"address":"0x1","trust":"luck"}]}"#,
                #"line 2: thread.frames[0].trust: expected one of "context", "cfi", "fp", "await""#
            ),
            (
                #"{"type":"thread","id":1,"frames":[{"address":"0x1","image":-1,"trust":"cfi"}]}"#,
                "line 2: thread.frames[0].image: expected an integer of 0 or more"
            ),
            (#"{"type":"thread","id":"1","frames":[]}"#, "line 2: thread.id: expected an integer"),
            (#"{"type":"thread","id":1.5,"frames":[]}"#, "line 2: thread.id: expected an integer"),
            (#"{"type":"thread","id":1}"#, "line 2: thread.frames: missing"),
            (#"{"type":"crash","thread":1,"registers":{}}"#, "line 2: crash.signal: missing"),
            (
                #"{"type":"crash","thread":1,"signal":{"number":4,"name":"SIGILL","code":true}}"#,
                "line 2: crash.signal.code: expected an integer"
            ),
            (#"{"type":"crash","message":null}"#, "line 2: crash.message: expected a string"),
            (
                #"{"type":"image","path":"a","base":"0x1","size":"0x1","build_id":"abc"}"#,
                "line 2: image.build_id: expected a build id, two hex digits a byte"
            ),
            (#"{"type":"context","tags":{"a":1}}"#, "line 2: context.tags.a: expected a string"),
            (
                #"{"type":"breadcrumb","time":"now","message":""}"#,
                #"line 2: breadcrumb.time: expected a time in RFC 3339, "2026-11-30T08:17:53.123456Z""#
            ),
            (#"{"type":"end","stages":{},"duration_us":1}"#, "line 2: end.stages: expected an array"),
            (
                #"{"type":"end","stages":[],"duration_us":1"#,
                "line 2: end: byte 41: expected ',' or '}', but the text ends here"
            ),
            (#"{"type":"image","\u001b[31m":}"#, "line 2: image.\\u{1b}[31m: byte 29: expected a value"),
            (#"{"type":"end","type":"image"}"#, #"line 2: end: byte 14: the key "type" is there twice"#),
            (#"{"kind":"thread"}"#, "line 2: type: missing"),
            ("[]", "line 2: expected an object"),
            ("", "line 2: byte 0: expected an object, but the text ends here"),
            (header, "line 2: report: there must be only one such line"),
        ]
    )
    func namesField(line: String, message: String) {
        let error = #expect(throws: ReportDecodingError.self) { try Report.decode(gzip: Self.file(Self.header, line)) }
        #expect(error?.description == message + "; see docs/report-format.md for what a line may hold")
    }

    @Test("What is no report is refused with what to do")
    func refuses() {
        func description(_ bytes: [UInt8]) -> String? {
            #expect(throws: ReportDecodingError.self) { try Report.decode(gzip: bytes) }?.description
        }
        let whole = #"a report begins with a whole line of type "report"; without it the file cannot be used"#
        #expect(description([]) == "line 1: the file is empty; \(whole)")
        #expect(description(Array(Self.header.utf8)) == "not gzip data; send the report file as it is, compressed")
        #expect(description(Gzip.compress(Array("{".utf8))) == "line 1: the file ends within its first line; \(whole)")
        #expect(
            description(Self.file(#"{"type":"image"}"#, Self.header))
                == "line 1: the first line is of another type; \(whole)"
        )
        #expect(
            description(
                Self.file(Self.header.replacing("\"version\":1,", with: "\"version\":2,").replacing("pid", with: "p"))
            )
                == "line 1: report.version: the report has format version 2, and this program reads version 1; update this program"
        )
    }

    @Test("Limits are named")
    func bounds() {
        func description(_ bytes: [UInt8], _ limits: ReportLimits) -> String? {
            let error = #expect(throws: ReportDecodingError.self) { try Report.decode(gzip: bytes, limits: limits) }
            #expect(error?.kind == .limit)
            return error?.description.replacing(
                "; a report must stay within the limits in docs/report-format.md",
                with: ""
            )
        }
        let file = SampleReport.full.encode()
        #expect(description(file, ReportLimits(expandedBytes: 500)) == "more than 500 expanded bytes")
        #expect(description(file, ReportLimits(lineBytes: 900)) == "line 4: longer than 900 bytes")
        #expect(description(file, ReportLimits(lines: 3)) == "line 4: more than 3 lines")
        #expect(
            description(file, ReportLimits(frames: 7)) == "line 5: thread.frames[1]: more than 7 frames in the report"
        )
        #expect(
            description(file, ReportLimits(symbols: 2))
                == "line 4: thread.frames[1].symbols[1]: more than 2 symbols in the report"
        )
        #expect(description(file, ReportLimits(values: 9)) == "line 11: context.custom.nested.list[0]: too many values")
    }

    @Test("A context that nests too deep can be read again")
    func boundsNesting() throws {
        var report = SampleReport.full
        report.context?.custom = ["deep": (0..<100).reduce(JSONValue.integer(1)) { value, _ in .array([value]) }]
        let decoded = try Report.decode(gzip: report.encode()).report
        #expect(decoded.context?.custom["deep"]?.text.contains("…") == true)
    }
}
