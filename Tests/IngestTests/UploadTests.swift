import CrashReport
import Dispatch
import Foundation
import Ingest
import Store
import Synchronization
import Testing
import TestSupport

@Suite("POST /api/PROJECT/reports")
struct UploadTests {
    @Test("a report is kept as it came: 201 with its id, then 200 as a duplicate")
    func accepted() throws {
        let stored = Counter()
        let server = try TestServer { $0.onStored = { stored.add() } }
        let sample = SampleReport()
        let (body, id) = (sample.gzip(), sample.report().header.id)
        let first = try server.post(body)
        #expect(first.status == 201)
        #expect(first.body == "{\"id\":\"\(id)\"}\n")
        #expect(first.headers["location"] == "/api/1/reports/\(id)")
        #expect(try server.store.body(of: ReportKey(project: 1, id: id))?.received == body)
        let second = try server.post(body)
        #expect(second.status == 200)
        #expect(second.body == "{\"duplicate\":true,\"id\":\"\(id)\"}\n")
        #expect(try server.count == 1)
        #expect(stored.count == 1)
    }

    @Test(
        "each content type and encoding of the contract is taken",
        arguments: ["application/x-ndjson", "application/gzip", "application/octet-stream; x=y", nil],
        ["gzip", "identity", nil]
    )
    func types(type: String?, encoding: String?) throws {
        let server = try TestServer()
        let answer = try server.post(
            SampleReport().gzip(),
            ["Content-Type": type, "Content-Encoding": encoding]
        )
        #expect(answer.status == 201)
    }

    @Test("a chunked body, and one announced with Expect, are taken; a connection serves many requests")
    func chunkedAndKeptAlive() throws {
        let server = try TestServer()
        let client = try server.connect()
        let head = "POST /api/1/reports HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer \(server.key.text)\r\n"
        let chunked = SampleReport(seed: 1).gzip()
        client.send(head + "Transfer-Encoding: chunked\r\n\r\n")
        for start in stride(from: 0, to: chunked.count, by: 100) {
            let piece = Array(chunked[start..<min(start + 100, chunked.count)])
            client.send(String(piece.count, radix: 16) + "\r\n")
            client.send(piece)
            client.send("\r\n")
        }
        client.send("0\r\n\r\n")
        #expect(try client.answer().status == 201)
        let expected = SampleReport(seed: 2).gzip()
        client.send(head + "Content-Length: \(expected.count)\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.answer().status == 100)
        client.send(expected)
        #expect(try client.answer().status == 201)
        #expect(try client.request("GET", "/healthz").status == 200)
        #expect(try client.request("HEAD", "/healthz").body.isEmpty)
        #expect(try client.request("GET", "/healthz").body == "{\"status\":\"ok\"}\n")
    }

    @Test("a file that was cut short counts when its report line is there, else it is refused")
    func cutShort() throws {
        let server = try TestServer()
        let whole = SampleReport().report()
        let lines = whole.jsonLines.split(separator: UInt8(ascii: "\n")).map { Array($0) + [UInt8(ascii: "\n")] }
        let flushed = Gzip.compress(lines[0]) + Gzip.compress(Array(lines.dropFirst().joined())).prefix(60)
        #expect(try server.post(flushed).status == 201)
        let cut = try server.post(Array(SampleReport(seed: 2).gzip().prefix(30)))
        #expect(cut.status == 400)
        #expect(cut.body.contains("\"error\":\""))
        #expect(try server.count == 1)
    }

    @Test("posts at the same time, repeated ones among them, are each answered for themselves")
    func concurrent() throws {
        let server = try TestServer()
        let statuses = Mutex<[Int: Int]>([:])
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { connection in
            do {
                let client = try server.connect()
                for seed in 0..<25 {
                    // Every report is sent by two connections.
                    let body = SampleReport(seed: UInt64(connection / 2 * 25 + seed)).gzip()
                    let status = try client.request("POST", "/api/1/reports", headers: server.headers, body: body)
                        .status
                    statuses.withLock { $0[status, default: 0] += 1 }
                }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(statuses.withLock { $0 } == [201: 100, 200: 100])
        #expect(try server.count == 100)
    }

    @Test("a store that is full when the server starts is so in its health, before any report comes")
    func fullAtTheStart() throws {
        let full = try TestServer(maximumPages: 60)
        var seed: UInt64 = 0
        while try full.post(SampleReport(seed: seed).report().encode()).status == 201 { seed += 1 }
        var parts = IngestServer.Parts()
        parts.log = ServerLog { _ in }
        let address = try #require(ListenAddress("127.0.0.1:0"))
        let again = try IngestServer(address, store: full.store, parts: parts)
        defer { again.stop() }
        for _ in 0..<3 {
            let health = try HTTPClient(port: again.address.port).request("GET", "/healthz")
            #expect(health.status == 503)
        }
    }

    @Test("a full store answers 503 with Retry-After and says so in its health, and recovers")
    func full() throws {
        let server = try TestServer(maximumPages: 60)
        var statuses: [Int] = []
        var answer: HTTPClient.Answer?
        for seed in 0..<500 where statuses.last != 503 {
            answer = try server.post(SampleReport(seed: UInt64(seed)).gzip())
            statuses.append(answer?.status ?? 0)
        }
        #expect(answer?.status == 503)
        #expect(answer?.headers["retry-after"] == "30")
        #expect(answer?.body.contains("the store is full") == true)
        #expect(try server.count == statuses.count { $0 == 201 })
        let health = try server.connect().request("GET", "/healthz")
        #expect(health.status == 503)
        #expect(health.body.contains("the store is full, and takes reports again when there is room"))
        // Anybody may ask.
        #expect(!health.body.contains("disk") && answer?.body.contains("disk") == false)
        #expect(server.lines.all.contains { $0.contains("healthz: the store is full (") })
        // A duplicate needs no room: the store works again.
        #expect(try server.post(SampleReport(seed: 0).gzip()).status == 200)
        #expect(try server.connect().request("GET", "/healthz").status == 200)
    }

    @Test("a stop under load answers what was begun, ends busy connections, and keeps what was answered", .patience)
    func stops() throws {
        // The test hangs, and fails at its time limit, if the stop waits for its own.
        let server = try TestServer { $0.limits.stop = .seconds(3_600) }
        let answered = Mutex<Set<String>>([])
        let isLoaded = DispatchSemaphore(value: 0)
        let group = DispatchGroup()
        for connection in 0..<4 {
            DispatchQueue.global().async(group: group) {
                guard let client = try? server.connect() else { return }
                for index in 0..<100_000 {
                    let report = SampleReport(seed: UInt64(connection * 1_000_000 + index)).report()
                    let answer = try? client.request(
                        "POST",
                        "/api/1/reports",
                        headers: server.headers,
                        body: report.encode()
                    )
                    guard answer?.status == 201 else { return }
                    answered.withLock { _ = $0.insert(report.header.id) }
                    if index == 5 { isLoaded.signal() }
                }
            }
        }
        for _ in 0..<4 { isLoaded.wait() }
        server.server.stop()
        group.wait()
        let stored = Set(try server.store.reports(ReportSelection(limit: 100_000)).map(\.key.id))
        #expect(answered.withLock { $0 }.isSubset(of: stored))
        #expect(throws: (any Error).self) { try server.connect() }
    }

    @Test("a stop waits for a body that is on its way, and takes it; nobody new is let in")
    func stopsBehindBody() throws {
        let server = try TestServer { $0.limits.stop = .seconds(3_600) }
        let body = SampleReport().gzip()
        let client = try server.connect()
        client.send(
            "POST /api/1/reports HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer \(server.key.text)\r\n"
                + "Content-Length: \(body.count)\r\nExpect: 100-continue\r\n\r\n"
        )
        // It is begun.
        #expect(try client.answer().status == 100)
        client.send(Array(body.prefix(20)))
        let isStopped = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            server.server.stop()
            isStopped.signal()
        }
        while (try? server.connect()) != nil {}
        client.send(Array(body.dropFirst(20)))
        let answer = try client.answer()
        #expect(answer.status == 201)
        #expect(answer.headers["connection"] == "close")
        isStopped.wait()
        #expect(try server.count == 1)
    }

    @Test("a key that another process replaced is refused at once, and so is a body that was on its way with it")
    func replacedKey() throws {
        let server = try TestServer()
        #expect(try server.post(SampleReport(seed: 1).gzip()).status == 201)
        let slow = try server.connect()
        let late = SampleReport(seed: 2).gzip()
        slow.send(
            "POST /api/1/reports HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer \(server.key.text)\r\n"
                + "Content-Length: \(late.count)\r\nExpect: 100-continue\r\n\r\n"
        )
        // The header was judged by the key as it was.
        #expect(try slow.answer().status == 100)
        let new = Secret.random()
        #expect(try server.openAgain().replaceKey(ofProject: 1, with: new.hash))
        slow.send(late)
        #expect(try slow.answer().status == 401)
        let refused = try server.post(SampleReport(seed: 3).gzip())
        #expect(refused.status == 401)
        #expect(refused.body.contains("wrong key for project 1"))
        #expect(try server.post(late, ["Authorization": "Bearer \(new.text)"]).status == 201)
        #expect(try server.count == 2)
    }

    @Test("nothing secret is logged, and a request cannot forge a line")
    func log() throws {
        let server = try TestServer()
        _ = try server.post(SampleReport().gzip())
        _ = try server.post([], ["Authorization": "Bearer wrong-key"])
        _ = try server.connect().request("GET", "/x%0A2026%20POST%1b%5b31m?token=\(server.admin.text)")
        server.server.stop()
        let lines = server.lines.all
        #expect(lines.count == 3)
        // A line is written behind the answer, so another connection's may come before it.
        #expect(
            lines.contains { $0.wholeMatch(of: /\S+Z POST \/api\/1\/reports 201 \d+ B \d+\.\d ms/) != nil },
            "\(lines)"
        )
        #expect(lines.contains { $0.contains(#" GET /x\n2026%20POST\u{1b}[31m 404 "#) }, "\(lines)")
        for line in lines {
            for secret in [server.key.text, server.admin.text, "wrong-key"] { #expect(!line.contains(secret)) }
        }
    }
}

/// Counts calls.
final class Counter: Sendable {
    private let calls = Mutex(0)
    var count: Int { calls.withLock { $0 } }
    func add() { calls.withLock { $0 += 1 } }
}
