import CrashReport
import Foundation
import Ingest
import Store
import Testing
import TestSupport

@Suite("GET")
struct ReadingTests {
    @Test("reading needs the admin token; a project's key is none")
    func token() throws {
        let server = try TestServer { $0.read = { _ in .object(["found": .bool(true)]) } }
        let client = try server.connect()
        for path in ["/api/1/issues", "/api/1/issues/1", "/api/1/reports/x"] {
            for header in [[:], ["Authorization": "Bearer \(server.key.text)"], ["Authorization": server.admin.text]] {
                let answer = try client.request("GET", path, headers: header)
                #expect(answer.status == 401)
                #expect(answer.body.contains("admin token"))
            }
            let answer = try client.request("GET", path, headers: ["Authorization": "bearer \(server.admin.text)"])
            #expect(answer.status == 200)
            #expect(answer.body == "{\"found\":true}\n")
        }
    }

    @Test("what is asked for is handed on, and what is not there is 404")
    func requests() throws {
        let server = try TestServer {
            $0.read = { request throws(StoreError) in
                switch request {
                case .issue(_, 404), .report(_, "none"): return nil
                case .issue(_, 503): throw .failed(reason: "broken")
                default: return .string("\(request)")
                }
            }
        }
        let client = try server.connect()
        func get(_ path: String) throws -> (Int, String) {
            let answer = try client.request("GET", path, headers: ["Authorization": "Bearer \(server.admin.text)"])
            return (answer.status, answer.body)
        }
        #expect(try get("/api/1/issues") == (200, "\"issues(project: 1, limit: 100)\"\n"))
        #expect(try get("/api/2/issues?limit=5") == (200, "\"issues(project: 2, limit: 5)\"\n"))
        #expect(try get("/api/2/issues/17/") == (200, "\"issue(project: 2, number: 17)\"\n"))
        #expect(try get("/api/1/reports/%61b") == (200, "\"report(project: 1, id: \\\"ab\\\")\"\n"))
        #expect(try get("/api/1/issues/404").0 == 404)
        #expect(try get("/api/1/reports/none").1.contains("no report none in project 1"))
        #expect(try get("/api/1/issues/503").0 == 503)
        for bad in ["0", "-1", "1001", "x", ""] { #expect(try get("/api/1/issues?limit=\(bad)").0 == 400) }
    }

    @Test("the metrics count what happened, in Prometheus' text format")
    func metrics() throws {
        let server = try TestServer { $0.metrics = { [Metric("extra_total", help: "Extra.", value: 3)] } }
        for seed in [1, 2, 2] { _ = try server.post(SampleReport(seed: UInt64(seed)).gzip()) }
        _ = try server.post([1, 2, 3])
        // A client has its answer before the connection's thread counts it.
        let client = try server.connect()
        var text = ""
        for _ in 0..<10_000 where !text.contains("mayday_http_requests_total{status=\"4xx\"} 1\n") {
            text = try client.request("GET", "/metrics").body
        }
        for line in [
            "# TYPE mayday_reports_total counter", "mayday_reports_total{result=\"stored\"} 2",
            "mayday_reports_total{result=\"duplicate\"} 1", "mayday_reports_total{result=\"refused\"} 1",
            "mayday_undigested_reports{state=\"pending\"} 2", "extra_total 3",
            "mayday_http_requests_total{status=\"4xx\"} 1",
        ] {
            #expect(text.contains(line + "\n"), "\(line)\n\(text)")
        }
    }

    @Test("a port that is taken, and an address of no machine, are named with what to do")
    func listening() throws {
        let server = try TestServer()
        let other = try DataDirectory(try TemporaryDirectory().path).createStore()
        let error = #expect(throws: ListenError.self) { try IngestServer(server.server.address, store: other) }
        #expect(
            "\(try #require(error))".contains(
                "--listen 127.0.0.1:\(server.server.address.port): Address already in use"
            )
        )
        #expect("\(try #require(error))".contains("port 0"))
        let nowhere = try #require(ListenAddress("192.0.2.1:80"))
        #expect(throws: ListenError.self) { try IngestServer(nowhere, store: other) }
    }

    @Test(
        "addresses",
        arguments: [
            ("127.0.0.1:7171", "127.0.0.1:7171"), ("[::1]:0", "[::1]:0"), ("localhost:1", "localhost:1"), ("7171", nil),
            ("host", nil), ("host:", nil), (":80", nil), ("host:65536", nil), ("::1:80", nil), ("a@b:80", nil),
            ("http://a:80", nil),
        ]
    )
    func addresses(text: String, expected: String?) {
        #expect(ListenAddress(text)?.description == expected)
    }
}
