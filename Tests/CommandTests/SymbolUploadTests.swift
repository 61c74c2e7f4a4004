#if os(Linux)
    import CrashReport
    import Foundation
    import Ingest
    import Symbolication
    import SymbolStore
    import TestSupport
    import Testing

    /// Debug files over HTTP, into a real `serve`.
    @Suite("PUT /api/PROJECT/symbols/BUILD-ID")
    struct SymbolUploadTests {
        private let collector: Collector
        private let program: String
        private let buildID: String
        private var incoming: String { "\(collector.data)/symbols/incoming" }

        init() throws {
            collector = try Collector()
            program =
                URL(fileURLWithPath: Collector.mayday).deletingLastPathComponent()
                .appendingPathComponent("CaptureChild").path
            buildID = try #require(try BinaryFile(path: program).buildID)
        }

        private func token() async throws -> String {
            let rotated = try await collector.run("projects", "rotate", "symbols")
            let line = try #require(rotated.output.split(separator: "\n").first)
            try #require(line.hasPrefix("MAYDAY_SYMBOLS_TOKEN="), "\(rotated.output)\(rotated.errors)")
            return String(line.dropFirst("MAYDAY_SYMBOLS_TOKEN=".count))
        }

        /// The program, packed as a build machine would, and its digest.
        private func packed() throws -> (bytes: [UInt8], digest: String) {
            let path = "\(collector.temporary.path)/packed.gz"
            let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            try SymbolStore.pack(program, into: descriptor, named: path)
            return (
                [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))), try #require(FileDigest(of: path)).header
            )
        }

        private func request(
            _ serving: Serving,
            _ method: String,
            _ path: String,
            _ token: String?,
            _ headers: [String: String] = [:],
            body: [UInt8]? = nil
        ) throws -> HTTPClient.Answer {
            var headers = headers
            if let token { headers["Authorization"] = "Bearer \(token)" }
            return try HTTPClient(port: serving.port).request(method, path, headers: headers, body: body)
        }

        private var leftovers: [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: incoming)) ?? []).sorted()
        }

        @Test("a build machine sends its program, and the report that lacked it is digested again")
        func send() async throws {
            let serving = try await collector.serve()
            let key = try await serving.key()
            let token = try await token()
            let report = SampleReport.symbolless(buildID: buildID)
            #expect(try serving.post(report.encode(), key: key).status == 201)
            _ = await serving.child.line(containing: "digest: report \(report.header.id) ", in: .errors)

            let url = "http://127.0.0.1:\(serving.port)"
            let environment = ["MAYDAY_SYMBOLS_TOKEN": token]
            let sent = try await collector.run("symbols", "add", "--server", url, program, environment: environment)
            #expect(sent.status == .exited(0), "\(sent.errors)")
            #expect(sent.output.hasPrefix("added \(buildID)  CaptureChild, debug information, "), "\(sent.output)")
            _ = await serving.child.line(containing: "1 report is digested again", in: .errors)
            let line = await serving.child.line(containing: " is in issue ", number: 2, in: .errors)
            #expect(line?.hasSuffix("report \(report.header.id) of project 1 is in issue 1") == true, "\(line ?? "")")
            let shown = try await collector.run("show", report.header.id)
            #expect(shown.output.contains(".c:") || shown.output.contains(".swift:"), "\(shown.output)")
            // What is there is not sent again.
            let again = try await collector.run("symbols", "add", "--server", url, "--token", token, program)
            #expect(again.output == "1 there already\n" && again.status == .exited(0), "\(again.errors)")
            #expect(leftovers.isEmpty)
            let list = try await collector.run("symbols", "list")
            #expect(list.output.hasPrefix("\(buildID)  CaptureChild, debug information, "))
            #expect(await serving.stop().status == .exited(0))
        }

        @Test("where nobody listens, the first failure is told, and that it is tried again")
        func nobody() async throws {
            let child = try ChildProcess(
                Collector.mayday,
                ["symbols", "add", "--server", "http://127.0.0.1:1", "--token", "t", program]
            )
            let line = await child.line(containing: "once more", in: .errors)
            child.kill(SIGKILL)
            #expect(line?.hasPrefix("mayday: http://127.0.0.1:1: ") == true, "\(line ?? "")")
            #expect(line?.hasSuffix("; once more in 1 s (1 of 5)") == true, "\(line ?? "")")
        }

        @Test("what one node takes has the report digested again that another lacked it for")
        func nodes() async throws {
            let collector = try Collector(database: try PostgresServer.running().freshURL())
            let shared = ["MAYDAY_SYMBOLS": "\(collector.temporary.path)/symbols"]
            let first = try await collector.serve(environment: shared)
            let (key, admin) = (try await first.key(), try await first.secret("MAYDAY_ADMIN_TOKEN"))
            let report = SampleReport.symbolless(buildID: buildID)
            #expect(try first.post(report.encode(), key: key).status == 201)
            _ = await first.child.line(containing: "digest: report \(report.header.id) ", in: .errors)

            let second = try await collector.serve(environment: shared)
            let sent = try await ChildProcess.run(
                Collector.mayday,
                ["symbols", "add", "--server", "http://127.0.0.1:\(second.port)", program],
                environment: ["MAYDAY_ADMIN_TOKEN": admin]
            )
            #expect(sent.status == .exited(0), "\(sent.errors)")
            _ = await second.child.line(containing: "1 report is digested again", in: .errors)
            // By the one or by the other.
            #expect(
                try await eventually {
                    let shown = try await collector.run("show", report.header.id, environment: shared).output
                    return shown.contains(".c:") || shown.contains(".swift:")
                }
            )
            for node in [first, second] { #expect(await node.stop().status == .exited(0)) }
            let check = try await collector.run("check", "--reports")
            #expect(check.status == .exited(0), "\(check.output)\(check.errors)")
        }

        @Test("`curl -T` does as well: whole, not packed, without a digest; twice is no more than once")
        func plain() async throws {
            let serving = try await collector.serve()
            _ = try await serving.key()
            let token = try await token()
            let body = [UInt8](try Data(contentsOf: URL(fileURLWithPath: program)))
            let path = "/api/1/symbols/\(buildID)?name=checkout%201"
            let first = try request(serving, "PUT", path, token, body: body)
            #expect(first.status == 201, "\(first.body)")
            #expect(first.body.contains("\"name\":\"checkout 1\"") && first.body.contains("\"size\":\(body.count)"))
            let second = try request(serving, "PUT", path, token, body: body)
            #expect(second.status == 200 && second.body.contains("\"duplicate\":true"), "\(second.body)")
            let state = try request(serving, "GET", path, token)
            #expect(state.status == 200 && state.body.contains(buildID))
            let admin = try await serving.secret("MAYDAY_ADMIN_TOKEN")
            #expect(try request(serving, "GET", path, admin).status == 200)
            #expect(leftovers.isEmpty)
        }

        @Test("what a broken connection left is gone on with, also by another server")
        func resume() async throws {
            let first = try await collector.serve()
            _ = try await first.key()
            let token = try await token()
            let (bytes, digest) = try packed()
            let path = "/api/1/symbols/\(buildID)"
            let half = bytes.count / 2
            func range(_ start: Int, _ end: Int) -> [String: String] {
                ["Repr-Digest": digest, "Content-Range": "bytes \(start)-\(end - 1)/\(bytes.count)"]
            }
            let broken = try HTTPClient(port: first.port)
            broken.send(
                "PUT \(path) HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer \(token)\r\nRepr-Digest: \(digest)\r\n"
                    + "Content-Range: bytes 0-\(bytes.count - 1)/\(bytes.count)\r\nContent-Length: \(bytes.count)\r\n\r\n"
            )
            broken.send(Array(bytes[..<half]))
            func kept(_ serving: Serving) throws -> Int {
                let state = try request(serving, "GET", path, token, ["Repr-Digest": digest])
                #expect(state.status == 404)
                return try #require(state.headers["upload-offset"].flatMap { Int($0) })
            }
            while try kept(first) == 0 { await Task.yield() }
            // While it is open, nobody else may write the same.
            #expect(try request(first, "PUT", path, token, range(0, bytes.count), body: bytes).status == 503)
            first.child.kill(SIGKILL)
            _ = await first.child.outcome()

            let second = try await collector.serve()
            let offset = try kept(second)
            #expect(offset > 0 && offset <= half)
            // Parts that do not fit are refused with where to go on.
            let wrong = try request(
                second,
                "PUT",
                path,
                token,
                range(offset + 1, bytes.count),
                body: Array(bytes[(offset + 1)...])
            )
            #expect(wrong.status == 409 && wrong.headers["upload-offset"] == "\(offset)")
            let middle = offset + (bytes.count - offset) / 2
            let part = try request(
                second,
                "PUT",
                path,
                token,
                range(offset, middle),
                body: Array(bytes[offset..<middle])
            )
            #expect(part.status == 202 && part.headers["upload-offset"] == "\(middle)", "\(part.body)")
            let last = try request(
                second,
                "PUT",
                path,
                token,
                range(middle, bytes.count),
                body: Array(bytes[middle...])
            )
            #expect(last.status == 201, "\(last.body)")
            #expect(leftovers.isEmpty)
            let stored = "\(collector.data)/symbols/\(try #require(SymbolStorePath.file(of: buildID)))"
            #expect(try Data(contentsOf: URL(fileURLWithPath: stored)) == Data(bytes), "kept as it was sent")
        }

        @Test("what cannot serve is refused with what to do, and nothing of it stays")
        func refusals() async throws {
            let serving = try await collector.serve()
            let key = try await serving.key()
            let token = try await token()
            let (bytes, digest) = try packed()
            let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: program)))
            let other = String(buildID.reversed())
            func put(_ id: String, _ body: [UInt8], _ headers: [String: String] = [:], token: String? = token) throws
                -> HTTPClient.Answer
            {
                try request(serving, "PUT", "/api/1/symbols/\(id)", token, headers, body: body)
            }
            #expect(try put(buildID, [1], token: nil).status == 401)
            #expect(try put(buildID, [1], token: key).status == 401, "a service's key is for reports")
            #expect(
                try put(buildID, [1], token: "wrong").body.contains(
                    "the token that was sent is not one for debug files"
                )
            )
            #expect(try request(serving, "PUT", "/api/9/symbols/\(buildID)", token, body: [1]).status == 404)
            #expect(try request(serving, "POST", "/api/1/symbols/\(buildID)", token, body: [1]).status == 405)
            for id in ["abc", "ABCDEF0123", "..%2e%00", String(repeating: "a", count: 130)] {
                #expect(try put(id, whole).status == 400, "\(id)")
            }
            let mismatch = try put(other, whole)
            #expect(mismatch.status == 409 && mismatch.body.contains(buildID), "\(mismatch.body)")
            #expect(try put(other, bytes, ["Repr-Digest": digest]).status == 409)
            for (body, text) in [
                (Array("no program".utf8), "ELF"), ([], "ELF"), (Array(whole.prefix(whole.count / 2)), "cut short"),
                (Array(bytes.prefix(bytes.count / 2)), "ELF"), ([0x1f, 0x8b] + Array(whole.prefix(1000)), "ELF"),
            ] {
                let answer = try put(buildID, body)
                #expect(answer.status == 400 && answer.body.contains(text), "\(answer.status) \(answer.body)")
            }
            for headers in [
                ["Repr-Digest": "sha-256=:AAAA:"], ["Content-Range": "bytes 0-1/2"],
                ["Repr-Digest": digest, "Content-Range": "bytes 5-1/2"],
            ] {
                #expect(try put(buildID, [1, 2], headers).status == 400, "\(headers)")
            }
            var changed = bytes
            changed[changed.count / 2] ^= 1
            let damaged = try put(buildID, changed, ["Repr-Digest": digest])
            #expect(damaged.status == 400 && damaged.body.contains("digest"), "\(damaged.body)")
            let large = try put(
                buildID,
                [1],
                ["Repr-Digest": digest, "Content-Range": "bytes 0-0/9000000000"]
            )
            #expect(large.status == 413 && large.body.contains("only-keep-debug"), "\(large.body)")
            #expect(leftovers.isEmpty)
            #expect(try await collector.run("symbols", "list").status == .exited(1))
            let client = try await collector.run(
                "symbols",
                "add",
                "--server",
                "http://127.0.0.1:\(serving.port)",
                "--token",
                key,
                program
            )
            #expect(client.status == .exited(3))
            #expect(
                client.errors.contains("does not take the token in --token: `mayday projects rotate"),
                "\(client.errors)"
            )
            #expect(!client.errors.contains(key))
        }

        @Test("files that harm what reads them are read in a process of its own, and the server goes on")
        func hostile() async throws {
            let serving = try await collector.serve()
            _ = try await serving.key()
            let token = try await token()
            let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: program)))
            for seed in 0..<16 as Range<UInt64> {
                var random = SeededGenerator(seed: seed)
                var body = whole
                for _ in 0..<(1 << (seed % 7)) {
                    body[Int(random.next() % (seed % 2 == 0 ? 4_096 : UInt64(body.count)))] = UInt8(
                        truncatingIfNeeded: random.next()
                    )
                }
                let answer = try request(serving, "PUT", "/api/1/symbols/\(buildID)", token, body: body)
                #expect([200, 201, 400, 409].contains(answer.status), "seed \(seed): \(answer.body)")
            }
            #expect(try HTTPClient(port: serving.port).request("GET", "/healthz").status == 200)
            #expect(await serving.stop().status == .exited(0))
        }

        @Test("a server that is not there is said with its name, and a token is asked for")
        func usage() async throws {
            let without = try await collector.run("symbols", "add", "--server", "http://127.0.0.1:9", program)
            #expect(without.status == .exited(2) && without.errors.contains("MAYDAY_SYMBOLS_TOKEN"))
            let wrong = try await collector.run("symbols", "add", "--server", "127.0.0.1", "--token", "a", program)
            #expect(wrong.status == .exited(2) && wrong.errors.contains("--server 127.0.0.1"))
        }
    }
#endif
