#if os(Linux)
    import CrashReport
    import Foundation
    import Testing
    import TestSupport

    @Suite("Several mayday serve on one database")
    struct ClusterTests {
        @Test("the first start of all shows the secrets, every node takes them, and commands see what all took")
        func shared() async throws {
            let collector = try Collector(database: try PostgresServer.running().freshURL())
            let none = try await collector.run("list")
            #expect(none.status == .exited(3))
            #expect(none.errors.contains("no data in postgres://test"))
            let first = try await collector.serve()
            let second = try await collector.serve()
            let key = try await first.key()
            for (index, node) in [first, second].enumerated() {
                let sample = SampleReport(seed: UInt64(index))
                #expect(try node.post(sample.gzip(), key: key).status == 201)
                #expect(try second.post(sample.gzip(), key: key).status == 200)
            }
            let reports = try await collector.run("reports", "--json")
            #expect(try Listed.reports(reports.output).all.count == 2)
            let doctor = try await collector.run("doctor")
            #expect(doctor.output.contains("collector, data in postgres://test"))
            #expect(doctor.output.contains("running, told to services as http://127.0.0.1:\(second.port)"))
            #expect(await first.stop().status == .exited(0))
            let outcome = await second.stop()
            #expect(outcome.status == .exited(0))
            #expect(!outcome.output.contains("MAYDAY_DSN"))
            #expect(outcome.output.contains("data in postgres://test"))
        }

        @Test("a node is killed under load: every report that was answered 201 is there, counts once, and is digested")
        func killed() async throws {
            let collector = try Collector(database: try PostgresServer.running().freshURL())
            let (first, second) = (try await collector.serve(), try await collector.serve())
            let key = try await first.key()
            // From each connection to one node, and to the other when that is gone, as through a balancer.
            let answered = await withTaskGroup(of: Set<String>.self) { group in
                for connection in 0..<4 {
                    group.addTask {
                        var answered: Set<String> = []
                        for index in 0..<40 {
                            let report = SampleReport(seed: UInt64(connection * 1_000 + index)).report()
                            let body = report.encode()
                            let node = (connection + index).isMultiple(of: 2) ? first : second
                            let answer = (try? node.post(body, key: key)) ?? (try? second.post(body, key: key))
                            if let status = answer?.status, [200, 201].contains(status) {
                                answered.insert(report.header.id)
                            }
                            if connection == 0, index == 12 { first.child.kill(SIGKILL) }
                        }
                        return answered
                    }
                }
                return await group.reduce(into: Set<String>()) { $0.formUnion($1) }
            }
            #expect(await first.child.outcome().status == .signalled(SIGKILL))
            #expect(answered.count == 160)
            var list = try await collector.run("list", "--json")
            while try Listed.pending(list.output) > 0 { list = try await collector.run("list", "--json") }
            let stored = try Listed.reports(try await collector.run("reports", "--json", "--limit", "1000").output)
            list = try await collector.run("list", "--json", "--limit", "1000")
            #expect(stored.all == answered)
            #expect(stored.digested == answered)
            #expect(try Listed.count(list.output) == 160)
            #expect(try await collector.run("check", "--reports").output == "ok, 160 reports read\n")
            #expect(await second.stop().status == .exited(0))
        }

        @Test("nodes share the digestion")
        func sharedDigestion() async throws {
            let collector = try Collector(database: try PostgresServer.running().freshURL())
            let nodes = [try await collector.serve(), try await collector.serve()]
            let key = try await nodes[0].key()
            // All to one: it is not the one who takes a report that digests it. Until both have digested some.
            let first = nodes[0]
            let sender = Task {
                var seed: UInt64 = 0
                while !Task.isCancelled {
                    seed += 1
                    _ = try? first.post(SampleReport(seed: seed).gzip(), key: key)
                    // Other tests need the thread too.
                    await Task.yield()
                }
            }
            for node in nodes { _ = await node.child.line(containing: "digest: report", in: .errors) }
            sender.cancel()
            await sender.value
            for node in nodes {
                let outcome = await node.stop()
                #expect(outcome.status == .exited(0))
                #expect(outcome.errors.contains("digest: report"))
            }
        }

        @Test("a database that goes away: 503 and not healthy; with it back, 201 without a start")
        func databaseGone() async throws {
            let server = try PostgresServer.running()
            let url = try server.freshURL()
            let collector = try Collector(database: url)
            let node = try await collector.serve()
            let key = try await node.key()
            #expect(try node.post(SampleReport(seed: 1).gzip(), key: key).status == 201)
            try server.letIn(false, to: url)
            let refused = try node.post(SampleReport(seed: 2).gzip(), key: key)
            #expect(refused.status == 503)
            #expect(refused.headers["retry-after"] == "30")
            let health = try HTTPClient(port: node.port).request("GET", "/healthz")
            #expect(health.status == 503)
            // Anybody may ask; the log has what the database said.
            for body in [health.body, refused.body] {
                #expect(
                    body.contains("the store cannot be used at the moment (the collector's log says why)"),
                    "\(body)"
                )
            }
            #expect(await node.child.line(containing: " healthz: ", in: .errors) != nil)
            try server.letIn(true, to: url)
            #expect(try node.post(SampleReport(seed: 2).gzip(), key: key).status == 201)
            #expect(try HTTPClient(port: node.port).request("GET", "/healthz").status == 200)
            #expect(await node.stop().status == .exited(0))
        }
    }
#endif
