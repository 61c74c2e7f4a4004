#if os(Linux)
    import CrashReport
    import Foundation
    import Testing
    import TestSupport

    @Suite("mayday backup and check, retention and disks")
    struct CareTests {
        @Test("a backup that is made under load is whole, and serves on as it is")
        func backup() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let key = try await serving.key()
            let sender = Task {
                var sent: Set<String> = []
                while !Task.isCancelled {
                    let report = SampleReport(seed: UInt64(sent.count)).report()
                    guard try serving.post(report.encode(), key: key).status == 201 else { break }
                    sent.insert(report.header.id)
                    // Other tests need the thread too.
                    await Task.yield()
                }
                return sent
            }
            _ = await serving.child.line(containing: "digest: report", in: .errors)
            let directory = "\(collector.temporary.path)/backup"
            let program = try BuiltProduct.path("CaptureChild")
            #expect(try await collector.run("symbols", "add", program).status == .exited(0))
            let outcome = try await collector.run("backup", directory)
            #expect(outcome.status == .exited(0), "\(outcome.errors)")
            #expect(
                outcome.output.hasPrefix("backup in \(directory): reports, issues, projects, and 1 debug file ("),
                "\(outcome.output)"
            )
            let symbols = try await collector.run("symbols", "list", "--data", directory)
            #expect(symbols.output.contains("CaptureChild, debug information, "), "\(symbols.output)\(symbols.errors)")
            let build = String(symbols.output.prefix { $0 != " " })
            let packed = "symbols/\(build.prefix(2))/\(build.dropFirst(2)).gz"
            #expect(
                FileManager.default.contentsEqual(
                    atPath: "\(directory)/\(packed)",
                    andPath: "\(collector.data)/\(packed)"
                )
            )
            sender.cancel()
            let sent = try await sender.value
            let check = try await collector.run("check", "--reports", "--data", directory)
            #expect(check.output.hasPrefix("ok, "), "\(check.output)\(check.errors)")
            let copied = try await collector.run("reports", "--json", "--limit", "100000", "--data", directory)
            let reports = try Listed.reports(copied.output).all
            #expect(!reports.isEmpty && reports.isSubset(of: sent))
            #expect(try await collector.run("check", "--reports").status == .exited(0))
            let again = try await collector.run("backup", directory)
            #expect(again.status == .exited(3))
            #expect(again.errors.contains("it is there already"))
            _ = await serving.stop()
        }

        @Test("serve removes what a project does not keep")
        func retention() async throws {
            let collector = try Collector()
            let first = try await collector.serve()
            let key = try await first.key()
            for seed in 0..<6 {
                // Equal but for the id, so that they are one issue.
                var report = SampleReport().report()
                report.header.id = "0193a7f2-6e1c-7000-8000-00000000000\(seed)"
                #expect(try first.post(report.encode(), key: key).status == 201)
            }
            #expect(await first.stop().status == .exited(0))
            let keep = ["projects", "keep", "1", "--reports", "3", "--age", "90d", "--bytes", "1G"]
            let variables = ["MAYDAY_DATA": collector.data]
            let asked = try await ChildProcess.run(Collector.mayday, keep, environment: variables)
            #expect(asked.status == .exited(2) && asked.output == "")
            let says =
                "this deletes 3 of 6 reports of project 1, all beyond 90d, 3 reports, 1G bytes, for good, and nobody can be "
                + "asked here: give --yes"
            #expect(asked.errors.contains(says), "\(asked.errors)")
            #expect(try await collector.run("projects", "keep", "1").output == "project 1 keeps all reports\n")
            let plenty = try await collector.run("projects", "keep", "1", "--reports", "6")
            #expect(plenty.status == .exited(0), "\(plenty.errors)")
            let kept = try await ChildProcess.run(Collector.mayday, keep + ["--yes"], environment: variables)
            #expect(
                kept.output
                    == "project 1 keeps at most 90d, 3 reports, 1G bytes; what is beyond that goes within 10 minutes of `mayday serve`\n"
            )
            let second = try await collector.serve()
            #expect(
                await second.child.line(containing: "retention: removed 3 reports of project 1", in: .errors) != nil
            )
            #expect(await second.stop().status == .exited(0))
            let reports = try Listed.reports(try await collector.run("reports", "--json").output).all
            #expect(reports.count == 3)
            #expect(reports.contains("0193a7f2-6e1c-7000-8000-000000000000"))
            #expect(reports.contains("0193a7f2-6e1c-7000-8000-000000000005"))
            #expect(try Listed.count(try await collector.run("list", "--json").output) == 6)
            #expect(try await collector.run("check", "--reports").output == "ok, 3 reports read\n")
        }

        @Test("a store that is damaged is said to be: exit 1")
        func damaged() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let key = try await serving.key()
            for seed in 0..<40 {
                #expect(try serving.post(SampleReport(seed: UInt64(seed)).gzip(), key: key).status == 201)
            }
            // Else the log is left beside the database file, with the bodies in it.
            var list = try await collector.run("list", "--json")
            while try Listed.pending(list.output) > 0 { list = try await collector.run("list", "--json") }
            #expect(await serving.stop().status == .exited(0))
            let database = "\(collector.data)/mayday.sqlite"
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: database)))
            // The body of a report, in the midst of its compressed bytes: no page of the database is wrong.
            let body = SampleReport(seed: 20).gzip()
            let part = Array(body[100..<140])
            let place = try #require(bytes.indices.dropLast(40).first { bytes[$0...].starts(with: part) })
            bytes[place + 10] ^= 0xff
            try Data(bytes).write(to: URL(fileURLWithPath: database))
            #expect(try await collector.run("check").output == "ok\n")
            let found = try await collector.run("check", "--reports")
            #expect(found.status == .exited(1))
            #expect(
                found.output.contains("report \(SampleReport(seed: 20).report().header.id) of project 1 cannot be read")
            )
            // A page of the database.
            bytes.replaceSubrange(8_192..<8_292, with: [UInt8](repeating: 0xff, count: 100))
            try Data(bytes).write(to: URL(fileURLWithPath: database))
            let broken = try await collector.run("check", "--json")
            #expect(broken.status == .exited(1) || broken.status == .exited(3), "\(broken.output)\(broken.errors)")
        }

        /// A disk in a file, mounted in a directory; unmounted at the end, whoever still uses it.
        private final class Disk {
            let directory: String
            private let image: String

            /// Nil, with the reason printed, where this may not be done.
            init?(in temporary: TemporaryDirectory) throws {
                directory = "\(temporary.path)/disk"
                image = "\(temporary.path)/image"
                try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
                guard FileManager.default.createFile(atPath: image, contents: nil) else { return nil }
                guard truncate(image, 32 << 20) == 0, try Self.run("/sbin/mkfs.ext4", "-q", "-F", image), try mount()
                else {
                    print("no loop device for a test of the read-only disk; it needs root")
                    return nil
                }
            }

            deinit { unmount() }

            func mount() throws -> Bool { try Self.run("/bin/mount", "-o", "loop,errors=remount-ro", image, directory) }

            func unmount() { umount2(directory, Int32(MNT_DETACH)) }

            /// What the kernel does with a disk that has errors.
            func breakDown() throws -> Bool { try Self.run("/bin/mount", "-o", "remount,abort", directory) }

            /// What a write to an open file meets then is what it meets on a disk that was made read-only. Not the file of
            /// shared memory, which is mapped: the kernel ends whoever writes to that.
            func setImmutable(_ isImmutable: Bool, in data: String) throws -> Bool {
                let files = try FileManager.default.contentsOfDirectory(atPath: data).map { "\(data)/\($0)" }
                return try Self.run(
                    ["/usr/bin/chattr", isImmutable ? "+i" : "-i"]
                        + files.filter { !$0.hasSuffix("lock") && !$0.hasSuffix("-shm") }
                )
            }

            private static func run(_ arguments: String...) throws -> Bool { try run(arguments) }

            private static func run(_ arguments: [String]) throws -> Bool {
                guard FileManager.default.isExecutableFile(atPath: arguments[0]) else { return false }
                let process = Process()
                process.executableURL = URL(fileURLWithPath: arguments[0])
                process.arguments = Array(arguments.dropFirst())
                process.standardError = FileHandle.nullDevice
                try process.run()
                process.waitUntilExit()
                return process.terminationStatus == 0
            }
        }

        /// Sends reports of these seeds; returns the statuses, and the ids that were answered 201.
        private func post(_ seeds: Range<Int>, to serving: Serving, key: String) throws -> ([Int], Set<String>) {
            var (statuses, answered): ([Int], Set<String>) = ([], [])
            for seed in seeds {
                let report = SampleReport(seed: UInt64(seed)).report()
                statuses.append(try serving.post(report.encode(), key: key).status)
                if statuses.last == 201 { answered.insert(report.header.id) }
            }
            return (statuses, answered)
        }

        private func health(_ serving: Serving) throws -> Int {
            try HTTPClient(port: serving.port).request("GET", "/healthz").status
        }

        @Test(
            "files that may not be written to while they are open: 503 and nothing lost; writable again, 201 without a start"
        )
        func readOnlyFiles() async throws {
            let collector = try Collector()
            guard let disk = try Disk(in: collector.temporary) else { return }
            let data = "\(disk.directory)/data"
            let serving = try await collector.serve(data: data)
            let key = try await serving.key()
            let before = try post(0..<20, to: serving, key: key)
            #expect(before.1.count == 20)
            try #require(try disk.setImmutable(true, in: data))
            #expect(try post(20..<24, to: serving, key: key).0 == [503, 503, 503, 503])
            #expect(try health(serving) == 503)
            try #require(try disk.setImmutable(false, in: data))
            let after = try post(20..<28, to: serving, key: key)
            #expect(after.1.count == 8)
            #expect(try health(serving) == 200)
            #expect(await serving.stop().status == .exited(0))
            try await expectSound(collector, data, before.1.union(after.1))
        }

        @Test("a file system that the kernel gave up: 503 and nothing lost; mounted again and started, it goes on")
        func abortedDisk() async throws {
            let collector = try Collector()
            guard let disk = try Disk(in: collector.temporary) else { return }
            let data = "\(disk.directory)/data"
            let serving = try await collector.serve(data: data)
            let key = try await serving.key()
            let before = try post(0..<20, to: serving, key: key)
            try #require(try disk.breakDown())
            #expect(try post(20..<24, to: serving, key: key).0 == [503, 503, 503, 503])
            #expect(try health(serving) == 503)
            _ = await serving.stop(whenDigested: false)
            disk.unmount()
            try #require(try disk.mount())
            let second = try await collector.serve(data: data)
            let after = try post(20..<24, to: second, key: key)
            #expect(after.1.count == 4)
            #expect(await second.stop().status == .exited(0))
            try await expectSound(collector, data, before.1.union(after.1))
        }

        private func expectSound(_ collector: Collector, _ data: String, _ answered: Set<String>) async throws {
            let reports = try await collector.run("reports", "--json", "--limit", "1000", "--data", data)
            #expect(try Listed.reports(reports.output).all == answered)
            let check = try await collector.run("check", "--reports", "--data", data)
            #expect(check.status == .exited(0), "\(check.output)\(check.errors)")
        }
    }
#endif
