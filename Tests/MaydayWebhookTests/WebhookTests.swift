import BackendSupport
import CrashReport
import Foundation
import Mayday
import TestSupport
import Testing

@testable import MaydayWebhook

@Suite(.patience) struct WebhookTests {
    private let sample = SampleReport(threads: 2, frames: 3, images: 2, isSymbolicated: true).report()

    @Test func `what a chat shows`() throws {
        let readable = ReadableReport(report: sample, title: sample.title, culprit: "Cart.item(at:) (Cart.swift:12)")
        let text = ChatMessage(readable).text.split(separator: "\n").map { String($0) }
        let difference = try Golden.difference(text, "crash.txt")
        #expect(difference == nil, "\(difference ?? "")")
    }

    @Test func `nobody is called, linked or fooled by what a crash says`() {
        var report = sample
        report.crash?.message = "<!channel> `rm` ```\n@everyone \u{202e}<http://x|y>"
        let text = ChatMessage(ReadableReport(report: report, title: report.title)).text
        #expect(text.contains("`‹!channel› 'rm' '''\\n@\u{200b}everyone \\u{202e}‹http://x|y›`"))
    }

    @Test(arguments: ["x", "😀", "\u{e000}", "@everyone"]) func `a message is short, whatever the crash`(piece: String) {
        var report = SampleReport(frames: 200, isSymbolicated: true, release: String(repeating: piece, count: 5_000))
            .report()
        report.crash?.message = String(repeating: piece, count: 100_000)
        #expect(ChatMessage(ReadableReport(report: report, title: report.title)).text.utf16.count <= 2_000)
    }

    private func outcome(_ answer: ScriptedServer.Answer, field: String = "text") async throws -> (
        UploadError?, [String: String]?
    ) {
        let server = try ScriptedServer { _ in answer }
        let uploader = try WebhookUploader(
            url: "http://127.0.0.1:\(server.port)/hooks/KEY?x=1",
            field: field,
            name: "test"
        )
        #expect(uploader.destination == "webhook at 127.0.0.1:\(server.port)")
        var failure: UploadError?
        do throws(UploadError) {
            try await uploader.upload(SpooledReport(id: sample.header.id, gzip: sample.encode()))
        } catch {
            failure = error
        }
        let request = try #require(server.requests.first)
        #expect(request.path == "/hooks/KEY?x=1" && request.headers["content-type"] == "application/json")
        return (failure, try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: String])
    }

    @Test(arguments: ["text", "content"]) func `a message is one field of JSON`(field: String) async throws {
        let (failure, message) = try await outcome(.status(200, body: "ok"), field: field)
        #expect(failure == nil)
        #expect(message?.keys.map { $0 } == [field])
        #expect(message?[field]?.contains("Index out of range") == true)
    }

    @Test(
        arguments: [
            (ScriptedServer.Answer.status(204), nil),
            (.status(400, body: "invalid_payload"), .rejected(reason: "invalid_payload (400)")),
            (
                .status(404, body: "no_service"),
                .retry(after: nil, reason: "no_service (404); check the address, it may have been withdrawn")
            ),
            (
                .status(429, headers: ["Retry-After": "3"]),
                .retry(after: .seconds(3), reason: "it answered 429 without saying why")
            ),
            (.status(500), .retry(after: nil, reason: "it answered 500 without saying why")),
        ] as [(ScriptedServer.Answer, UploadError?)]
    )
    func answers(answer: ScriptedServer.Answer, expected: UploadError?) async throws {
        #expect(try await outcome(answer).0 == expected)
    }

    @Test func `an address that cannot be used is not shown`() {
        let error = #expect(throws: ConfigurationError.self) {
            try WebhookUploader(url: "hooks.example.com/SECRET", name: "test")
        }
        #expect(error?.description.contains("SECRET") == false)
    }
}
