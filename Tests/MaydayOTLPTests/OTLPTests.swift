import BackendSupport
import CrashReport
import Foundation
import Mayday
import TestSupport
import Testing

@testable import MaydayOTLP

@Suite(.patience) struct OTLPTests {
    private let sample = SampleReport(threads: 2, frames: 3, images: 2, isSymbolicated: true).report()

    @Test func `a crash is a record with the attributes of an exception`() throws {
        var report = sample
        report.context = Context(tags: ["region": "eu-1"], user: ["id": .string("42")])
        let readable = ReadableReport(
            report: report,
            title: report.title,
            culprit: "Cart.total(of:)",
            fingerprint: "ab12"
        )
        let observed = Timestamp(microseconds: 1_796_026_673_500_000)
        let request = OTLPRecord(readable).request(observed: observed, scopeVersion: "1")
        let object = try JSONSerialization.jsonObject(with: Data(request))
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try JSONSerialization.data(withJSONObject: object, options: options)
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map { String($0) }
        let difference = try Golden.difference(lines, "crash.json")
        #expect(difference == nil, "\(difference ?? "")")
    }

    /// The attributes of a report's record, by name, as JSON text.
    private func attributes(_ report: Report) throws -> [String: String] {
        let record = OTLPRecord(ReadableReport(report: report, title: report.title))
        let json = try JSONReader.parse(record.request(observed: .now(), scopeVersion: "1"))
        guard case .array(let resources)? = json["resourceLogs"], case .array(let scopes)? = resources[0]["scopeLogs"],
            case .array(let records)? = scopes[0]["logRecords"], case .array(let attributes)? = records[0]["attributes"]
        else { return [:] }
        var texts = ["severity": text(try #require(records[0]["severityText"]))]
        for attribute in attributes {
            guard case .string(let name)? = attribute["key"], let value = attribute["value"] else { continue }
            #expect(texts[name] == nil, "\(name) is there twice")
            texts[name] = text(value)
        }
        return texts
    }

    private func text(_ value: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `what the service said, the detail of an error, and what is attached`() throws {
        var report = sample
        report.header.kind = .error
        report.header.level = "warning"
        report.header.occurrences = 7
        report.crash = nil
        let detail = ErrorDetail(domain: "Shop", code: -3, values: ["sku": .string("tea"), "left": .integer(0)])
        let cause = UnderlyingError(typeName: "IO", text: "reset", detail: ErrorDetail(values: ["fd": .integer(4)]))
        report.error = HandledError(typeName: "CartError", text: "no", detail: detail, chain: [cause])
        report.context = Context(
            tags: ["region": "eu-1"],
            user: ["id": .string("42"), "email": .string("a@b.c"), "plan": .string("old")],
            request: ["path": .string("/cart"), "retry": .bool(true)],
            custom: ["queue": .object(["depth": .integer(3)]), "share": .number(0.5), "nothing": .null]
        )
        report.breadcrumbs = [
            Breadcrumb(
                time: "2026-11-30T08:17:53.123456Z",
                message: "loaded",
                category: "cart",
                level: "info",
                data: ["items": .integer(3)]
            )
        ]
        report.attachments = [
            AttachedFile(name: "a.log", contentType: "text/plain", data: [1, 2], wholeSize: 9),
            AttachedFile(name: "b", path: "/b", problem: "not there"), AttachedFile(name: "c", path: "/c"),
        ]
        let found = try attributes(report)
        let expected = [
            "severity": #""WARN""#, "mayday.occurrences": #"{"intValue":"7"}"#,
            "mayday.error.domain": #"{"stringValue":"Shop"}"#, "mayday.error.code": #"{"intValue":"-3"}"#,
            "mayday.error.detail.sku": #"{"stringValue":"tea"}"#, "mayday.error.detail.left": #"{"intValue":"0"}"#,
            "mayday.error.causes": #"{"arrayValue":{"values":[{"stringValue":"IO: reset {\"fd\":4}"}]}}"#,
            "mayday.tag.region": #"{"stringValue":"eu-1"}"#, "user.id": #"{"stringValue":"42"}"#,
            "user.email": #"{"stringValue":"a@b.c"}"#, "mayday.user.plan": #"{"stringValue":"old"}"#,
            "mayday.request.path": #"{"stringValue":"/cart"}"#, "mayday.request.retry": #"{"boolValue":true}"#,
            "mayday.context.queue": #"{"stringValue":"{\"depth\":3}"}"#,
            "mayday.context.share": #"{"doubleValue":0.5}"#,
            "mayday.breadcrumbs":
                #"{"arrayValue":{"values":[{"stringValue":"2026-11-30T08:17:53.123456Z info cart: loaded {\"items\":3}"}]}}"#,
            "mayday.attachments":
                #"{"arrayValue":{"values":[{"stringValue":"a.log (text/plain, 2 of 9 bytes)"},{"stringValue":"b (not there)"},{"stringValue":"c (not read)"}]}}"#,
        ]
        for (name, value) in expected { #expect(found[name] == value, "\(name)") }
        #expect(found["mayday.context.nothing"] == nil)
    }

    @Test(arguments: [(nil, "INFO"), ("debug", "DEBUG"), ("warning", "WARN"), ("error", "ERROR"), ("fatal", "FATAL")])
    func `a message has its level`(level: String?, severity: String) throws {
        var report = sample
        report.header.kind = .message
        report.header.level = level
        (report.crash, report.message) = (nil, "the queue is long")
        let found = try attributes(report)
        #expect(found["severity"] == "\"\(severity)\"")
        #expect(found["mayday.message"] == #"{"stringValue":"the queue is long"}"#)
    }

    @Test func `a handled error`() {
        var report = sample
        report.header.kind = .error
        report.crash = nil
        report.error = HandledError(typeName: "CartError", text: "no", chain: [.init(typeName: "IO", text: "reset")])
        let request = OTLPRecord(ReadableReport(report: report, title: report.title)).request(
            observed: .now(),
            scopeVersion: "1"
        )
        let text = String(decoding: request, as: UTF8.self)
        #expect(text.contains(#"{"key":"exception.type","value":{"stringValue":"CartError"}}"#))
        #expect(
            text.contains(
                #"{"key":"mayday.error.causes","value":{"arrayValue":{"values":[{"stringValue":"IO: reset"}]}}}"#
            )
        )
        #expect(text.contains(#""severityNumber":17"#))
    }

    private func outcome(_ uploader: OTLPUploader) async -> UploadError? {
        do throws(UploadError) {
            try await uploader.upload(SpooledReport(id: sample.header.id, gzip: sample.encode()))
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: ["", "/", "/v1/logs", "/tenant"])
    func `the path is added to what is the base`(path: String) async throws {
        let server = try ScriptedServer { _ in .status(200, body: "{}") }
        let endpoint = "http://127.0.0.1:\(server.port)\(path)"
        let uploader = try OTLPUploader(endpoint: endpoint, headers: ["Authorization": "Bearer X"], name: "test")
        #expect(await outcome(uploader) == nil)
        let request = try #require(server.requests.first)
        #expect(request.path == (path == "/tenant" ? "/tenant/v1/logs" : "/v1/logs"))
        #expect(request.headers["authorization"] == "Bearer X")
        #expect(request.headers["content-type"] == "application/json" && request.headers["content-encoding"] == "gzip")
        #expect(uploader.destination == "otlp at 127.0.0.1:\(server.port)")
    }

    @Test(
        arguments: [
            (ScriptedServer.Answer.status(202), nil),
            (.status(200, body: #"{"partialSuccess":{"errorMessage":"slow"}}"#), nil),
            (
                .status(200, body: "<html>"),
                .retry(after: nil, reason: "the answer was not one of OTLP, check the endpoint")
            ),
            (
                .status(200, body: #"{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too old"}}"#),
                .rejected(reason: "too old")
            ),
            (.status(400, body: #"{"message":"bad"}"#), .rejected(reason: "bad (400)")),
            (.status(413), .rejected(reason: "it answered 413 without saying why")),
            (.status(500), .rejected(reason: "it answered 500 without saying why")),
            (
                .status(429, headers: ["Retry-After": "9"]),
                .retry(after: .seconds(9), reason: "it answered 429 without saying why")
            ),
            (.status(503), .retry(after: nil, reason: "it answered 503 without saying why")),
            (.status(401), .retry(after: nil, reason: "it answered 401 without saying why; check the headers")),
            (.status(404), .retry(after: nil, reason: "it answered 404 without saying why; check the endpoint")),
        ] as [(ScriptedServer.Answer, UploadError?)]
    )
    func answers(answer: ScriptedServer.Answer, expected: UploadError?) async throws {
        let server = try ScriptedServer { _ in answer }
        let uploader = try OTLPUploader(endpoint: "http://127.0.0.1:\(server.port)", name: "test")
        #expect(await outcome(uploader) == expected)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [
        "", "127.0.0.1:4318", "grpc://h", "http://", "http://u:p@h", "http://h:x", "http://h h", "http://h\n",
    ])
    func `an address that cannot be used is an error that does not show it`(endpoint: String) {
        let error = #expect(throws: ConfigurationError.self) { try OTLPUploader(endpoint: endpoint, name: "test") }
        #expect(error?.setting == "OTLPUploader.endpoint")
        #expect(error?.description.contains("write an address like http://127.0.0.1:4318") == true)
    }

    @Test func `a header with a line end is an error`() {
        let error = #expect(throws: ConfigurationError.self) {
            try OTLPUploader(endpoint: "http://h", headers: ["X": "a\r\nY: b"], name: "test")
        }
        #expect(error?.setting == "OTLPUploader.headers")
    }
}
