import CrashReport
import Foundation
import Mayday
import MaydaySymbols
import Synchronization
import TestSupport
import Testing

@testable import MaydaySentry

/// The adapter against a server on a loopback port.
@Suite(.patience) struct SentryUploaderTests {
    private func spooled(threads: Int = 2) -> SpooledReport {
        let report = SampleReport(seed: UInt64(threads), threads: threads, isSymbolicated: true).report()
        return SpooledReport(id: report.header.id, gzip: report.encode())
    }

    private func uploader(_ server: ScriptedServer) throws -> SentryUploader {
        try SentryUploader(dsn: "http://KEY:SECRET@127.0.0.1:\(server.port)/prefix/7", name: "test")
    }

    private func outcome(_ uploader: SentryUploader, _ report: SpooledReport? = nil) async -> UploadError? {
        do throws(UploadError) {
            try await uploader.upload(report ?? spooled())
            return nil
        } catch {
            return error
        }
    }

    @Test func `a report is an envelope, gzipped, with the key in a header`() async throws {
        let server = try ScriptedServer { _ in .status(200, body: #"{"id":"x"}"#) }
        let uploader = try uploader(server)
        #expect(await outcome(uploader) == nil)
        let request = try #require(server.requests.first)
        #expect(request.method == "POST" && request.path == "/prefix/api/7/envelope/")
        #expect(request.headers["content-type"] == "application/x-sentry-envelope")
        #expect(request.headers["content-encoding"] == "gzip")
        #expect(request.headers["x-sentry-auth"]?.hasSuffix("sentry_key=KEY") == true)
        #expect(!request.headers.values.contains { $0.contains("SECRET") })
        let text = String(decoding: try Gzip.expand(request.body, limit: 1 << 20).bytes, as: UTF8.self)
        #expect(text.hasPrefix(#"{"event_id":""#))
        #expect(text.contains(#""fingerprint":[""#) && text.contains(#""function":"Cart.total(of:)""#))
        #expect(uploader.destination == "sentry at 127.0.0.1:\(server.port)")
    }

    @Test func `an uploader of one's own has functions and lines, too`() async throws {
        let report = try await spooled().withSymbols()
        #expect(
            report.crashedThread?.frames.contains { $0.symbols.contains { $0.function == "Cart.total(of:)" } } == true
        )
        await #expect(throws: UploadError.self) { try await SpooledReport(id: "x", gzip: [1]).withSymbols() }
    }

    @Test func `a probe is an envelope without items`() async throws {
        for (answer, reason) in [
            (ScriptedServer.Answer.status(200, body: "{}"), String?.none), (.status(400, body: "{}"), nil),
            (.status(403, body: #"{"detail":"no such key"}"#), "no such key (403); check the key of the DSN"),
            (.status(200, body: "<html>"), "the answer was not Sentry's, check the host of the DSN"),
        ] {
            let server = try ScriptedServer { _ in answer }
            let uploader = try uploader(server)
            var problem: String?
            do throws(UploadError) {
                let isThere = try await uploader.probe(deadline: .now + Patience.wait)
                #expect(isThere)
            } catch {
                problem = error.reason
            }
            #expect(problem == reason)
            let body = try Gzip.expand(try #require(server.requests.first).body, limit: 1 << 20).bytes
            #expect(
                String(decoding: body, as: UTF8.self).hasPrefix(#"{"sent_at":"2"#) && body.count { $0 == 0x0a } == 1
            )
        }
    }

    @Test func `a DSN that is none is told what one looks like`() {
        let error = #expect(throws: DSNError.self) { try SentryUploader(dsn: "foo", name: "test") }
        #expect(error?.description == "the DSN: scheme is missing; write it like https://KEY@o1.ingest.example.com/42")
    }

    @Test func `attachments are items of the envelope, and the first to go when it is too large`() async throws {
        let server = try ScriptedServer { .status($0.index == 0 ? 413 : 200, body: "{}") }
        var report = SampleReport(seed: 1).report()
        report.attachments = [
            AttachedFile(name: "a.log", contentType: "text/plain", data: Array("one\n{two}\n".utf8)),
            AttachedFile(name: "gone", problem: "No such file"), AttachedFile(name: "empty", data: []),
        ]
        #expect(try await outcome(uploader(server), SpooledReport(id: report.header.id, gzip: report.encode())) == nil)
        let sizes = try server.requests.map { try items(of: Gzip.expand($0.body, limit: 8 << 20).bytes) }
        #expect(sizes.map { $0.map(\.type) } == [["event", "attachment", "attachment"], ["event"]])
        #expect(sizes[0][1].payload == Array("one\n{two}\n".utf8) && sizes[0][2].payload == [])
        #expect(
            sizes[0][1].header["filename"] == .string("a.log")
                && sizes[0][1].header["content_type"] == .string("text/plain")
        )
    }

    private struct Item {
        var header: JSONValue
        var payload: [UInt8]
        var type: String { if case .string(let type)? = header["type"] { type } else { "" } }
    }

    /// The items of an envelope, by their lengths.
    private func items(of envelope: [UInt8]) throws -> [Item] {
        func line(_ rest: inout ArraySlice<UInt8>) -> [UInt8] {
            let line = rest.prefix { $0 != 0x0a }
            rest = rest.dropFirst(line.count + 1)
            return Array(line)
        }
        var rest = envelope[...]
        _ = line(&rest)
        var items: [Item] = []
        while !rest.isEmpty {
            let header = try JSONReader.parse(line(&rest))
            guard case .integer(let length)? = header["length"] else { break }
            items.append(Item(header: header, payload: Array(rest.prefix(Int(length)))))
            rest = rest.dropFirst(Int(length))
            #expect(rest.first == 0x0a)
            rest = rest.dropFirst()
        }
        return items
    }

    @Test(
        arguments: [
            (ScriptedServer.Answer.status(202, body: "{}"), nil),
            (
                .status(200, body: "<html>Welcome</html>"),
                .retry(after: nil, reason: "the answer was not Sentry's, check the host of the DSN")
            ),
            (.status(400, body: #"{"detail":"bad envelope"}"#), .rejected(reason: "bad envelope (400)")),
            (
                .status(403, body: #"{"detail":"no such key"}"#),
                .retry(after: nil, reason: "no such key (403); check the key of the DSN")
            ),
            (
                .status(404),
                .retry(after: nil, reason: "it answered 404 without saying why; check the project of the DSN")
            ),
            (
                .status(429, headers: ["Retry-After": "7"]),
                .retry(after: .seconds(7), reason: "it answered 429 without saying why")
            ),
            (.status(429), .retry(after: .seconds(60), reason: "it answered 429 without saying why")),
            (
                .status(429, headers: ["x-sentry-rate-limits": "90::key, 86400:transaction:organization"]),
                .retry(after: .seconds(90), reason: "it answered 429 without saying why")
            ),
            (
                .status(503, headers: ["Retry-After": "30"]),
                .retry(after: .seconds(30), reason: "it answered 503 without saying why")
            ),
        ] as [(ScriptedServer.Answer, UploadError?)]
    )
    func answers(answer: ScriptedServer.Answer, expected: UploadError?) async throws {
        let server = try ScriptedServer { _ in answer }
        #expect(try await outcome(uploader(server)) == expected)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [
        ScriptedServer.Answer.close, .bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), .bytes("SSH-2.0\r\n"),
    ])
    func `no whole answer is tried again`(answer: ScriptedServer.Answer) async throws {
        let server = try ScriptedServer { _ in answer }
        guard case .retry(nil, let reason) = try await outcome(uploader(server)) else {
            Issue.record("not to be tried again")
            return
        }
        #expect(reason.hasPrefix("no answer: "))
    }

    @Test func `too large is sent once more without the other threads' stacks`() async throws {
        let first = Mutex(0)
        let server = try ScriptedServer { request in
            let limit = first.withLock { first in
                if first == 0 { first = request.body.count }
                return first
            }
            return request.body.count < limit ? .status(200, body: "{}") : .status(413)
        }
        #expect(try await outcome(uploader(server), spooled(threads: 40)) == nil)
        #expect(server.requests.count == 2)
        let never = try ScriptedServer { _ in .status(413) }
        #expect(try await outcome(uploader(never)) == .rejected(reason: "it answered 413 without saying why"))
        #expect(never.requests.count == 2)
    }

    @Test func `a pause that an accepted event's answer asks for is kept`() async throws {
        let server = try ScriptedServer { _ in
            .status(200, headers: ["X-Sentry-Rate-Limits": "600:error:key"], body: "{}")
        }
        let uploader = try uploader(server)
        #expect(await outcome(uploader) == nil)
        guard case .retry(let after?, _) = await outcome(uploader) else {
            Issue.record("not held back")
            return
        }
        #expect((.seconds(500)...Duration.seconds(600)).contains(after))
        #expect(server.requests.count == 1)
    }

    @Test func `a file that is no report is rejected, and nothing is sent`() async throws {
        let server = try ScriptedServer { _ in .status(200) }
        let broken = SpooledReport(id: spooled().id, gzip: Array("no gzip".utf8))
        guard case .rejected(let reason) = try await outcome(uploader(server), broken) else {
            Issue.record("not rejected")
            return
        }
        #expect(reason.hasPrefix("the file cannot be read: "))
        #expect(server.requests.isEmpty)
    }
}
