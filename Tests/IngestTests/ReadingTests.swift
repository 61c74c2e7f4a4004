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
        let server = try TestServer { $0.read = { _ in .json(.object(["found": .bool(true)])) } }
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
                switch request.path.last {
                case "404": .missing("no issue 404")
                case "503": throw .failed(reason: "broken")
                case "file": .file([0x1f, 0x8b])
                default:
                    request.query["limit"] == "x"
                        ? .wrong("limit: expected a number")
                        : .json(
                            .string("\(request.path) \(request.query.sorted { $0.key < $1.key }) \(request.isChange)")
                        )
                }
            }
        }
        let client = try server.connect()
        func get(_ path: String) throws -> (Int, String) {
            let answer = try client.request("GET", path, headers: ["Authorization": "Bearer \(server.admin.text)"])
            return (answer.status, answer.body)
        }
        func said(_ path: String, _ query: String = "[]") -> String {
            "\"[\(path.split(separator: "/").map { "\\\"\($0)\\\"" }.joined(separator: ", "))] \(query) false\"\n"
        }
        #expect(try get("/api/1/issues") == (200, said("1/issues")))
        #expect(try get("/api/issues") == (200, said("issues")))
        #expect(try get("/api/2/issues/17/") == (200, said("2/issues/17")))
        #expect(try get("/api/1/reports/%61b") == (200, said("1/reports/ab")))
        #expect(try get("/api/2/issues?limit=5").1.contains(#"(key: \"limit\", value: \"5\")"#))
        #expect(try get("/api/1/issues/404") == (404, "{\"error\":\"no issue 404\"}\n"))
        #expect(try get("/api/1/issues/503").0 == 503)
        #expect(try get("/api/1/issues?limit=x") == (400, "{\"error\":\"limit: expected a number\"}\n"))
        #expect(try get("/api/1/issues/3/status").0 == 405)
        for none in ["/api/1", "/api/1/other", "/api/x/issues", "/api/other", "/api/1/issues/2/3/4"] {
            #expect(try get(none).0 == 404, "\(none)")
        }
        let file = try client.request(
            "GET",
            "/api/1/reports/a/file",
            headers: ["Authorization": "Bearer \(server.admin.text)"]
        )
        #expect(file.headers["content-type"] == "application/gzip")
    }

    @Test("the metrics count what happened, in Prometheus' text format")
    func metrics() throws {
        let server = try TestServer { $0.metrics = { [Metric("extra_total", help: "Extra.", value: 3)] } }
        for seed in [1, 2, 2] { _ = try server.post(SampleReport(seed: UInt64(seed)).gzip()) }
        _ = try server.post([1, 2, 3])
        // A client has its answer before the connection's thread counts it.
        let client = try server.connect()
        var text = ""
        let end = ContinuousClock.now + Patience.wait
        while !text.contains("mayday_http_requests_total{status=\"4xx\"} 1\n"), .now < end {
            text = try client.request("GET", "/metrics").body
        }
        for line in [
            "# TYPE mayday_reports_total counter", "mayday_reports_total{result=\"stored\"} 2",
            "mayday_reports_total{result=\"duplicate\"} 1",
            "mayday_reports_total{result=\"refused\",reason=\"malformed\"} 1",
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
