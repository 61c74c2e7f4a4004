import CrashReport
import CrashReportText
import TestSupport
import Testing

@Suite("Report as one object")
struct ReportObjectTests {
    @Test("The one object has every line's fields")
    func givesObject() throws {
        let object = SampleReport.full.jsonObject
        #expect(object["id"] == .string(SampleReport.full.header.id))
        #expect(object["crash"]?["signal"]?["name"] == .string("SIGILL"))
        #expect(object["end"]?["cut"]?.text == #"[{"reason":"deadline","stage":"threads"}]"#)
        guard case .array(let threads) = object["threads"] else { throw Missing() }
        #expect(threads.count == 3)
        guard case .array(let attachments) = object["attachments"] else { throw Missing() }
        #expect(attachments.map { $0["size"] } == [.integer(3), nil, nil, .integer(0)])
        #expect(attachments.allSatisfy { $0["data"] == nil } && attachments[0]["name"] == .string("checkout.log"))
        #expect(Report(header: SampleReport.full.header).jsonObject["crash"] == nil)
        #expect(Report(header: SampleReport.full.header).jsonObject["threads"] == .array([]))
    }

    @Test("A context that nests too deep is cut")
    func boundsNesting() throws {
        var report = SampleReport.full
        report.context?.custom = ["deep": (0..<100).reduce(JSONValue.integer(1)) { value, _ in .array([value]) }]
        let decoded = try Report.decode(gzip: report.encode()).report
        #expect(report.jsonObject["context"]?["custom"]?["deep"] == decoded.context?.custom["deep"])
    }

    struct Missing: Error {}
}
