import BackendSupport
import CrashReport
import Foundation
import Mayday
import TestSupport
import Testing

@testable import MaydayOTLP

@Suite(.timeLimit(.minutes(3))) struct OTLPTests {
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
