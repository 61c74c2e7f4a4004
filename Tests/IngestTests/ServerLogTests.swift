import CrashReport
import Ingest
import Store
import Testing
import TestSupport

@Suite("The log of requests", .patience)
struct ServerLogTests {
    /// A server that was asked everything that has a line of its own, and its lines.
    private func lines(_ format: ServerLog.Format) throws -> (lines: [String], secrets: [String]) {
        let lines = TestServer.LogLines()
        let server = try TestServer {
            $0.log = ServerLog(format: format) { lines.add($0) }
            $0.limits.uploads = 512 << 10
            $0.limits.head = .seconds(30)
        }
        let report = SampleReport().gzip()
        let admin = ["Authorization": "Bearer \(server.admin.text)"]
        _ = try server.post(report)
        _ = try server.post(report)
        _ = try server.post([0, 1, 2])
        _ = try server.post(report, ["Authorization": "Bearer hunter2"])
        _ = try server.post(report, path: "/api/1/reports?token=hunter2")
        _ = try server.connect().request("GET", "/api/1/issues?text=hunter2", headers: admin)
        _ = try server.connect().request("DELETE", "/api/1/issues", headers: admin)
        _ = try server.connect().request("GET", "/healthz", headers: ["User-Agent": "\"\u{1b}[31m hunter2"])
        for path in [
            "/a%20b%22%5c", "/%1b%5b31m%0d%0aGET%20/", "/%ff%fe", "/\u{e9}", "/" + String(repeating: "x", count: 3_000),
        ] {
            _ = try server.connect().request("GET", path)
        }
        let tooLarge = try server.connect()
        tooLarge.send(
            "POST /api/1/reports HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer \(server.key.text)\r\nContent-Length: 99999999999\r\n\r\n"
        )
        #expect(try tooLarge.answer().status == 413)
        #expect(try server.post([UInt8](repeating: 0, count: 1 << 20)).status == 503)
        let raw = try server.connect()
        raw.send(
            Array("GET /".utf8) + [0x1b, 0x5b, 0xff, 0x80, 0x07, 0x7f] + Array(" HTTP/1.1\r\nHost: t\r\n\r\n".utf8)
        )
        #expect(try raw.answer().status == 404)
        let noise = try server.connect()
        noise.send([0x16, 0x03, 0x01, 0x00, 0x1b, 0x0d, 0x0a, 0x0d, 0x0a])
        _ = try noise.rest()
        _ = try server.store.setLimits(IngestLimits(perMinute: 1), ofProject: 1)
        let limited = try server.connect()
        // What a node remembers of a project holds for a second.
        var answer = try limited.request("POST", "/api/1/reports", headers: server.headers, body: SampleReport().gzip())
        while answer.status != 429 {
            answer = try limited.request("POST", "/api/1/reports", headers: server.headers, body: SampleReport().gzip())
        }
        server.server.stop()
        return (lines.all, [server.key.text, server.admin.text, "hunter2"])
    }

    @Test("as JSON, each line is an object of its own with what is known of a request")
    func json() throws {
        let (lines, secrets) = try lines(.json)
        var statuses: Set<Int64> = []
        for line in lines {
            let value = try JSONReader.parse(Array(line.utf8))
            guard case .object(let members) = value, case .string(let time)? = members["time"] else {
                Issue.record("\(line)")
                continue
            }
            #expect(Timestamp(time) != nil, "\(line)")
            #expect(!secrets.contains { line.contains($0) }, "\(line)")
            #expect(line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }, "\(line)")
            if members["message"] != nil { continue }
            #expect(Set(members.keys) == ["time", "method", "path", "status", "bytes", "duration_us"], "\(line)")
            guard case .integer(let status)? = members["status"], case .integer(let spent)? = members["duration_us"],
                case .string(let path)? = members["path"], case .string? = members["method"],
                case .integer? = members["bytes"]
            else {
                Issue.record("\(line)")
                continue
            }
            statuses.insert(status)
            #expect(spent >= 0 && path.hasPrefix("/") && path.count <= 220, "\(line)")
        }
        #expect(statuses == [200, 201, 400, 401, 404, 405, 413, 429, 503])
    }

    @Test("as text, each line has the same words at the same places")
    func text() throws {
        let (lines, secrets) = try lines(.text)
        let request = /\S+Z [A-Z]+ \/\S* (\d{3}|gone) \d+ B \d+\.\d ms/
        let statuses = lines.compactMap { try? request.wholeMatch(in: $0)?.1 }
        #expect(Set(statuses) == ["200", "201", "400", "401", "404", "405", "413", "429", "503"], "\(lines)")
        #expect(!lines.contains { line in secrets.contains { line.contains($0) } })
    }

    @Test("who sends too slowly is cut off, and has a line without a status", arguments: ServerLog.Format.allCases)
    func slow(_ format: ServerLog.Format) async throws {
        let lines = TestServer.LogLines()
        let server = try TestServer {
            $0.log = ServerLog(format: format) { lines.add($0) }
            $0.limits.request = .seconds(1)
        }
        let client = try server.connect()
        let head = server.headers.map { "\($0): \($1)\r\n" }.joined()
        client.send("POST /api/1/reports HTTP/1.1\r\nHost: test\r\n\(head)Content-Length: 1000\r\n\r\n123")
        #expect(try client.rest().isEmpty)
        let mark = format == .json ? "\"status\":null" : " gone "
        #expect(await eventually { lines.all.contains { $0.contains(mark) } }, "\(lines.all)")
    }

    @Test("who goes in the middle of a report has a line without a status", arguments: ServerLog.Format.allCases)
    func gone(_ format: ServerLog.Format) async throws {
        let lines = TestServer.LogLines()
        let server = try TestServer { $0.log = ServerLog(format: format) { lines.add($0) } }
        try {
            let client = try server.connect()
            let head = server.headers.map { "\($0): \($1)\r\n" }.joined()
            client.send("POST /api/1/reports HTTP/1.1\r\nHost: test\r\n\(head)Content-Length: 1000\r\n\r\n123")
        }()
        let mark = format == .json ? "\"status\":null" : " gone "
        #expect(await eventually { lines.all.contains { $0.contains(mark) } }, "\(lines.all)")
    }
}
