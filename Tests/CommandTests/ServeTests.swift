#if os(Linux)
    import CrashReport
    import Foundation
    import Testing
    import TestSupport

    @Suite("mayday serve")
    struct ServeTests {
        @Test("the first start shows DSN and admin token, a later one does not")
        func firstStart() async throws {
            let collector = try Collector()
            let first = try await collector.serve()
            let (key, token) = (try await first.key(), try await first.secret("MAYDAY_ADMIN_TOKEN"))
            #expect(try first.post(SampleReport().gzip(), key: key).status == 201)
            let client = try HTTPClient(port: first.port)
            let reading = ["Authorization": "Bearer \(token)"]
            #expect(try client.request("GET", "/api/1/issues", headers: reading).status == 200)
            let outcome = await first.stop()
            #expect(outcome.status == .exited(0))
            #expect(!outcome.errors.contains(key) && !outcome.errors.contains(token))
            #expect(outcome.errors.contains("POST /api/1/reports 201"))
            let second = try await collector.serve()
            #expect(try second.post(SampleReport().gzip(), key: key).status == 200)
            second.child.kill(SIGINT)
            let again = await second.child.outcome()
            #expect(again.status == .exited(0))
            #expect(again.output.split(separator: "\n").count == 1, "\(again.output)")
        }

        @Test("--json shows them to a script, --url is what services are told")
        func json() async throws {
            let collector = try Collector()
            let serving = try await collector.serve("--json", "--url", "https://mayday.example.com/")
            let line = try #require(await serving.child.line(containing: "listening"))
            #expect(
                line.wholeMatch(
                    of: /\{"admin_token":"[0-9a-f]{32}","dsn":"https:\/\/[0-9a-f]{32}@mayday\.example\.com\/1",.*\}/
                ) != nil,
                "\(line)"
            )
            #expect(try await collector.run("projects", "add", "b").output.hasSuffix("@mayday.example.com/2\n"))
            _ = await serving.stop()
        }

        @Test("what cannot be served is named with the flag to change: exit 3")
        func refused() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let second = try await collector.run("serve", "--listen", "127.0.0.1:0")
            #expect(second.status == .exited(3))
            #expect(second.errors.contains("another `mayday serve` (process \(serving.child.pid)) is using"))
            let other = "\(collector.temporary.path)/other"
            let taken = try await collector.run("serve", "--data", other, "--listen", "127.0.0.1:\(serving.port)")
            #expect(taken.status == .exited(3))
            #expect(taken.errors.contains("--listen 127.0.0.1:\(serving.port): Address already in use"))
            // The secrets of a first start that could not listen were not spent.
            let file = "\(collector.temporary.path)/file"
            try Data().write(to: URL(fileURLWithPath: file))
            let unusable = try await collector.run("serve", "--data", file)
            #expect(unusable.status == .exited(3))
            #expect(unusable.errors.contains("not a directory; give another with --data DIR"))
            #expect(await serving.stop().status == .exited(0))
            let free = try await collector.run("projects", "list", "--data", other)
            #expect(free.output.hasPrefix("ID  NAME  ") && free.output.split(separator: "\n").count == 1)
        }

        @Test("killed under load, again and again: every report that was answered 201 is there, and counts once")
        func killed() async throws {
            let collector = try Collector()
            var key: String?
            var answered: Set<String> = []
            for round in 0..<4 {
                let serving = try await collector.serve()
                let known = if let key { key } else { try await serving.key() }
                key = known
                answered.formUnion(await load(serving, key: known, round: round))
                #expect(await serving.child.outcome().status == .signalled(SIGKILL))
            }
            let last = try await collector.serve()
            #expect(await last.stop().status == .exited(0))
            let list = try await collector.run("list", "--json", "--limit", "100000")
            let reports = try await collector.run("reports", "--json", "--limit", "100000")
            let stored = try Listed.reports(reports.output)
            #expect(answered.count >= 40)
            #expect(answered.isSubset(of: stored.all))
            #expect(stored.all == stored.digested)
            #expect(try Listed.count(list.output) == stored.all.count)
            let check = try await collector.run("check", "--reports")
            #expect(check.status == .exited(0), "\(check.output)\(check.errors)")
        }

        /// Posts from four connections, kills the server after some answers, and returns the ids that had a 201.
        private func load(_ serving: Serving, key: String, round: Int) async -> Set<String> {
            await withTaskGroup(of: Set<String>.self) { group in
                for connection in 0..<4 {
                    group.addTask {
                        var answered: Set<String> = []
                        for index in 0..<200 {
                            let report = SampleReport(seed: UInt64(round * 10_000 + connection * 1_000 + index))
                                .report()
                            guard let answer = try? serving.post(report.encode(), key: key), answer.status == 201 else {
                                break
                            }
                            answered.insert(report.header.id)
                            if connection == 0, index == 10 + round { serving.child.kill(SIGKILL) }
                        }
                        return answered
                    }
                }
                return await group.reduce(into: []) { $0.formUnion($1) }
            }
        }

        @Test("a backup on a read-only file system is read; what would write says that it cannot")
        func readOnly() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            #expect(try serving.post(SampleReport().gzip(), key: try await serving.key()).status == 201)
            #expect(await serving.stop().status == .exited(0))
            // A name that a URI has to escape.
            let disk = "\(collector.temporary.path)/disk #1%20"
            try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
            guard mount("tmpfs", disk, "tmpfs", 0, "size=30m,mode=755") == 0 else {
                print("no tmpfs for a test of a read-only store (\(String(cString: strerror(errno)))); it needs root")
                return
            }
            defer { umount2(disk, Int32(MNT_DETACH)) }
            let data = "\(disk)/backup"
            #expect(try await collector.run("backup", data).status == .exited(0))
            try #require(mount("tmpfs", disk, "tmpfs", UInt(MS_RDONLY | MS_REMOUNT), nil) == 0)
            for command in [["list"], ["show", "1"], ["check", "--reports"], ["stats"], ["projects", "list"]] {
                let there = try await ChildProcess.run(Collector.mayday, command + ["--data", data])
                let here = try await ChildProcess.run(Collector.mayday, command + ["--data", collector.data])
                #expect(there.status == .exited(0), "\(command): \(there.errors)")
                #expect(there.output == here.output)
            }
            for command in [["projects", "add", "x"], ["resolve", "1"], ["serve", "--listen", "127.0.0.1:0"]] {
                let refused = try await ChildProcess.run(Collector.mayday, command + ["--data", data])
                #expect(refused.status == .exited(3))
                #expect(refused.errors.contains("its file system is read-only; "), "\(refused.errors)")
            }
        }

        /// Sends reports until one is refused for want of room; the ids of those that were taken.
        private func takenUntilFull(_ serving: Serving, _ key: String) throws -> Set<String> {
            var taken: Set<String> = []
            for seed in 0..<UInt64(5_000) {
                let report = SampleReport(seed: seed)
                let answer = try serving.post(report.gzip(), key: key)
                guard answer.status == 201 else {
                    #expect(answer.status == 503 && answer.headers["retry-after"] != nil)
                    return taken
                }
                taken.insert(report.report().header.id)
            }
            Issue.record("the disk took 5,000 reports")
            return taken
        }

        @Test("a disk that is full: 503 and nothing lost; with room again, 201")
        func fullDisk() async throws {
            let collector = try Collector()
            try FileManager.default.createDirectory(atPath: collector.data, withIntermediateDirectories: false)
            guard mount("tmpfs", collector.data, "tmpfs", 0, "size=32m,mode=700") == 0 else {
                print("no tmpfs for a test of the full disk (\(String(cString: strerror(errno)))); it needs root")
                return
            }
            defer { umount2(collector.data, Int32(MNT_DETACH)) }
            let ballast = "\(collector.data)/ballast"
            let serving = try await collector.serve()
            let key = try await serving.key()
            // What was taken is digested when there is room again, and needs some of it.
            try Data(count: 30 << 20).write(to: URL(fileURLWithPath: ballast))
            var kept = try takenUntilFull(serving, key)
            #expect(try HTTPClient(port: serving.port).request("GET", "/healthz").status == 503)
            try FileManager.default.removeItem(atPath: ballast)
            // Nobody sends a report to a node that a balancer took out.
            var health = 503
            while health == 503 { health = try HTTPClient(port: serving.port).request("GET", "/healthz").status }
            #expect(health == 200)
            let last = SampleReport(seed: 9_000)
            #expect(try serving.post(last.gzip(), key: key).status == 201)
            kept.insert(last.report().header.id)
            let reports = try await collector.run("reports", "--json", "--limit", "100000")
            #expect(try Listed.reports(reports.output).all == kept)
            #expect(await serving.stop().status == .exited(0))
            let check = try await collector.run("check", "--reports")
            #expect(check.status == .exited(0), "\(check.output)\(check.errors)")
        }

        @Test("a full disk under PostgreSQL: 503 and nothing lost; with room again, 201")
        func fullDatabase() async throws {
            guard let database = try PostgresServer.onSmallDisk(bytes: 256 << 20) else { return }
            defer { database.end() }
            let collector = try Collector(database: try database.freshURL())
            let serving = try await collector.serve()
            let key = try await serving.key()
            let first = SampleReport(seed: 9_001)
            #expect(try serving.post(first.gzip(), key: key).status == 201)
            let ballast = open("\(database.directory)/ballast", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
            let block = [UInt8](repeating: 1, count: 64 << 10)
            while write(ballast, block, block.count) > 0 {}
            close(ballast)
            var kept = try takenUntilFull(serving, key).union([first.report().header.id])
            #expect(try HTTPClient(port: serving.port).request("GET", "/healthz").status == 503)
            unlink("\(database.directory)/ballast")
            let last = SampleReport(seed: 9_000)
            #expect(try await eventually { try serving.post(last.gzip(), key: key).status == 201 })
            kept.insert(last.report().header.id)
            #expect(try HTTPClient(port: serving.port).request("GET", "/healthz").status == 200)
            let reports = try await collector.run("reports", "--json", "--limit", "100000")
            // One that was refused may be there: of a commit that failed the server cannot always say whether it was done.
            #expect(try Listed.reports(reports.output).all.isSuperset(of: kept))
            #expect(await serving.stop().status == .exited(0))
            let check = try await collector.run("check", "--reports")
            #expect(check.status == .exited(0), "\(check.output)\(check.errors)")
        }
    }
#endif
