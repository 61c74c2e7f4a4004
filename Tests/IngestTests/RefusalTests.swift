import CrashReport
import Foundation
import Ingest
import Store
import Testing
import TestSupport

@Suite("What is refused, and how")
struct RefusalTests {
    /// A request and what it must be told.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var method = "POST"
        var path = "/api/1/reports"
        var changes: [String: String?] = [:]
        var body = SampleReport().gzip()
        var status: Int
        var says: String
        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(name: "no key", changes: ["Authorization": nil], status: 401, says: "Authorization: Bearer KEY"),
        Case(name: "wrong key", changes: ["Authorization": "Bearer x"], status: 401, says: "wrong key for project 1"),
        Case(name: "wrong scheme", changes: ["Authorization": "Basic x"], status: 401, says: "no key"),
        Case(name: "empty key", changes: ["Authorization": "Bearer "], status: 401, says: "no key"),
        Case(name: "unknown project", path: "/api/7/reports", status: 404, says: "no project 7"),
        Case(name: "project by name", path: "/api/default/reports", status: 404, says: "PROJECT being a number"),
        Case(name: "signed project", path: "/api/+1/reports", status: 404, says: "PROJECT being a number"),
        Case(name: "huge project", path: "/api/99999999999999999999/reports", status: 404, says: "PROJECT being"),
        Case(name: "up the path", path: "/api/1/../1/reports", status: 404, says: "nothing here"),
        Case(name: "escaped slashes up", path: "/api/1/%2e%2e%2f1/reports", status: 404, says: "nothing here"),
        Case(name: "doubled slash", path: "//api/1/reports", status: 404, says: "nothing here"),
        Case(name: "proxy form", path: "http://other/api/1/reports", status: 404, says: "nothing here"),
        Case(name: "wrong type", changes: ["Content-Type": "text/html"], status: 415, says: "text/html is not taken"),
        Case(name: "wrong encoding", changes: ["Content-Encoding": "br"], status: 415, says: "br is not taken"),
        Case(name: "empty body", body: [], status: 400, says: "empty"),
        Case(name: "plain JSON", body: Array("{}\n".utf8), status: 400, says: "not gzip data; send the report file"),
        Case(name: "gzip of nothing", body: Gzip.compress([]), status: 400, says: "report"),
        Case(name: "gzip of text", body: Gzip.compress(Array("hello\n".utf8)), status: 400, says: "line 1"),
        Case(name: "gzip of an array", body: Gzip.compress(Array("[1]\n".utf8)), status: 400, says: "line 1"),
        Case(
            name: "no id",
            body: Gzip.compress(Array("{\"type\":\"report\",\"version\":1}\n".utf8)),
            status: 400,
            says: "report.id"
        ),
        Case(
            name: "newer format",
            body: Gzip.compress(Array("{\"type\":\"report\",\"version\":99}\n".utf8)),
            status: 400,
            says: "update this program"
        ),
        Case(
            name: "bomb",
            body: bomb,
            status: 413,
            says: "more than 1048576 expanded bytes"
        ),
        Case(
            name: "a line of 600 KiB",
            body: Gzip.compress([UInt8](repeating: UInt8(ascii: " "), count: 600 << 10)),
            status: 413,
            says: "longer than 524288 bytes"
        ),
        Case(name: "10 MB", body: [UInt8](repeating: 0, count: 10 << 20), status: 413, says: "larger than 8388608"),
        Case(name: "GET of the upload path", method: "GET", body: [], status: 405, says: "this path takes POST only"),
        Case(name: "PUT", method: "PUT", status: 405, says: "this path takes POST only"),
        Case(
            name: "DELETE of an issue",
            method: "DELETE",
            path: "/api/1/issues/1",
            status: 405,
            says: "GET, HEAD only"
        ),
        Case(name: "POST of the health", path: "/healthz", status: 405, says: "GET, HEAD only"),
        Case(name: "an unheard-of method", method: "BREW", status: 405, says: "POST only"),
    ]

    /// A good report and lines that a reader skips, more than these tests take.
    static let bomb: [UInt8] = {
        let padding = String(repeating: "a", count: 1 << 16)
        let line = Array("{\"type\":\"later\",\"padding\":\"\(padding)\"}\n".utf8)
        var text = SampleReport().report().jsonLines
        for _ in 0..<20 { text += line }
        return Gzip.compress(text, level: 1)
    }()

    @Test("each bad request is told what is wrong and what to do, and stores nothing", arguments: cases)
    func refused(_ wanted: Case) throws {
        let server = try TestServer { $0.limits.report = ReportLimits(expandedBytes: 1 << 20, lineBytes: 1 << 19) }
        var headers = server.headers
        for (name, value) in wanted.changes { headers[name] = value }
        let client = try server.connect()
        let answer = try client.request(wanted.method, wanted.path, headers: headers, body: wanted.body)
        #expect(answer.status == wanted.status)
        #expect(answer.body.hasPrefix("{\"error\":\"") && answer.body.contains(wanted.says), "\(answer.body)")
        #expect(answer.headers["allow"] != nil || wanted.status != 405)
        #expect(answer.headers["www-authenticate"] == "Bearer" || wanted.status != 401)
        #expect(try server.count == 0)
        // The server lives on, and so does the connection unless it said otherwise.
        let next = answer.headers["connection"] == "close" ? try server.connect() : client
        #expect(try next.request("GET", "/healthz").status == 200)
    }

    @Test("a body that is announced as too large is refused before it is sent")
    func announcedTooLarge() throws {
        let server = try TestServer()
        for (name, line) in [
            ("Expect", "Expect: 100-continue\r\nContent-Length: 9000000"), ("length", "Content-Length: 99999999999"),
        ] {
            let client = try server.connect()
            client.send(
                "POST /api/1/reports HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer \(server.key.text)\r\n\(line)\r\n\r\n"
            )
            #expect(try client.answer().status == 413, "\(name)")
        }
    }

    @Test("an endless chunked body is read to a bound and then cut off")
    func endless() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("POST /api/1/reports HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer \(server.key.text)\r\n")
        client.send("Transfer-Encoding: chunked\r\n\r\n")
        let chunk = Array("100000\r\n".utf8) + [UInt8](repeating: 0, count: 1 << 20) + Array("\r\n".utf8)
        var sent = 0
        while sent < 100, client.send(chunk) { sent += 1 }
        #expect(sent < 100)
        #expect(try server.count == 0)
    }

    @Test("a chunked body over the limit that ends is answered 413")
    func chunkedTooLarge() throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("POST /api/1/reports HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer \(server.key.text)\r\n")
        client.send("Transfer-Encoding: chunked\r\n\r\n")
        let chunk = Array("100000\r\n".utf8) + [UInt8](repeating: 0, count: 1 << 20) + Array("\r\n".utf8)
        for _ in 0..<10 { client.send(chunk) }
        client.send("0\r\n\r\n")
        #expect(try client.answer().status == 413)
    }

    @Test("uploads together are bounded: above that, 503, and the memory comes back")
    func uploadBudget() throws {
        let server = try TestServer { $0.limits.uploads = 1_000 }
        let body = SampleReport(frames: 40).gzip()
        #expect(body.count > 1_000)
        for _ in 0..<2 {
            let answer = try server.post(body)
            #expect(answer.status == 503)
            #expect(answer.headers["retry-after"] == "30")
        }
        #expect(try server.post(Array(SampleReport(threads: 1, frames: 1, images: 1).gzip())).status == 201)
    }

    @Test("a client that sends a byte now and then is cut off; others are served meanwhile")
    func slow() throws {
        let server = try TestServer { ($0.limits.head, $0.limits.request) = (.seconds(1), .seconds(1)) }
        let inHeader = try server.connect()
        inHeader.send("POST /api/1/reports HTTP/1.1\r\nHo")
        let inBody = try server.connect()
        inBody.send("POST /api/1/reports HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer \(server.key.text)\r\n")
        inBody.send("Content-Length: 1000\r\n\r\nabc")
        // Within a second, unless the machine is busy: then it is cut off as well, and tries again.
        var status = 0
        for _ in 0..<100 where ![200, 201].contains(status) {
            status = (try? server.post(SampleReport().gzip()).status) ?? 0
        }
        #expect([200, 201].contains(status))
        #expect(try inHeader.rest().isEmpty)
        #expect(try inBody.rest().isEmpty)
        #expect(try server.count == 1)
    }

    @Test("a connection on which nothing more comes is closed, one that goes on is kept")
    func idle() throws {
        let server = try TestServer { $0.limits.idle = .seconds(1) }
        let client = try server.connect()
        for seed in 0..<3 as Range<UInt64> {
            let body = SampleReport(seed: seed).gzip()
            let answer = try client.request("POST", "/api/1/reports", headers: server.headers, body: body)
            #expect(answer.status == 201)
            #expect(answer.headers["connection"] != "close")
        }
        #expect(try client.rest().isEmpty)
    }

    @Test("a client that does not read its answer is cut off; others are served meanwhile")
    func slowReader() throws {
        let large = [UInt8](repeating: 7, count: 32 << 20)
        let server = try TestServer {
            $0.limits.request = .seconds(1)
            $0.read = { _ in .file(large) }
        }
        let client = try server.connect()
        client.send(
            "GET /api/1/reports/a/file HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer \(server.admin.text)\r\n\r\n"
        )
        let other = try server.connect()
        var metrics = ""
        for _ in 0..<1_000_000 where !metrics.contains("mayday_http_requests_total{status=\"gone\"} 1\n") {
            metrics = try other.request("GET", "/metrics").body
        }
        #expect(metrics.contains("mayday_http_requests_total{status=\"gone\"} 1\n"))
        #expect(try client.rest().count < large.count)
    }

    /// Heads of which two readers may see two ends of the body, or none.
    static let unclear: [(name: String, head: String, body: String, status: Int, says: String)] = [
        (
            "both", "Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n", 400,
            "both Content-Length and Transfer-"
        ),
        (
            "both, the other way", "Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n", 400,
            "send one of them"
        ),
        ("two lengths", "Content-Length: 5\r\nContent-Length: 6", "abcdef", 400, "expected one whole number"),
        ("one length twice", "Content-Length: 5\r\nContent-Length: 5", "abcde", 400, "expected one whole number"),
        ("another coding", "Transfer-Encoding: gzip", "abc", 501, "only chunked is taken"),
        ("two codings", "Transfer-Encoding: gzip, chunked", "0\r\n\r\n", 501, "only chunked is taken"),
        ("a blank before the colon", "Content-Length : 5", "abcde", 400, "ends with a blank"),
    ]

    @Test("where it is not clear what the body is, there is one answer, and then the end", arguments: unclear)
    func framing(name: String, head: String, body: String, status: Int, says: String) throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send(
            "POST /api/1/reports HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer \(server.key.text)\r\n\(head)\r\n\r\n\(body)"
        )
        let said = String(decoding: try client.rest(), as: UTF8.self)
        #expect(said.hasPrefix("HTTP/1.1 \(status) ") && said.contains(says), "\(said)")
        #expect(said.components(separatedBy: "HTTP/1.1 ").count == 2, "\(said)")
        #expect(said.contains("\r\nConnection: close\r\n"), "\(said)")
    }

    @Test(
        "a length that is no number is refused, and the connection ends",
        arguments: ["-1", "+5", "5x", "5, 6", "0x5", ""]
    )
    func length(_ text: String) throws {
        let server = try TestServer()
        let client = try server.connect()
        client.send("POST /api/1/reports HTTP/1.1\r\nHost: t\r\nContent-Length: \(text)\r\n\r\nabcde")
        let said = String(decoding: try client.rest(), as: UTF8.self)
        // The library refuses most of these itself, and sends the head of its answer twice.
        #expect(said.hasPrefix("HTTP/1.1 400 ") && said.contains("\r\nConnection: close\r\n"), "\(said)")
        #expect(try server.connect().request("GET", "/healthz").status == 200)
    }

    @Test("random bytes never harm the server")
    func noise() throws {
        let server = try TestServer()
        var random = SeededGenerator(seed: 7)
        let whole = SampleReport().gzip()
        for round in 0..<150 {
            var bytes = whole
            for _ in 0...(round % 5) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            let status = try server.post(bytes).status
            #expect([200, 201, 400, 413].contains(status))
            let client = try server.connect()
            client.send((0..<200).map { _ in UInt8(truncatingIfNeeded: random.next()) } + Array("\r\n\r\n".utf8))
        }
        #expect(try server.connect().request("GET", "/healthz").status == 200)
    }
}
