#if os(Linux)
    import CrashReport
    import Foundation
    import Testing
    import TestSupport

    @Suite("mayday doctor")
    struct DoctorTests {
        private let sdkChild: String

        init() throws { sdkChild = try BuiltProduct.path("SDKChild") }

        /// Output with what differs from run to run replaced, as lines.
        private func lines(_ text: String, _ replacements: [(String, String)] = []) -> [String] {
            var text = text
            for (from, to) in replacements { text = text.replacingOccurrences(of: from, with: to) }
            text = text.replacing(/127\.0\.0\.1:\d+/, with: "127.0.0.1:PORT").replacing(
                /\b[0-9a-f]{40}\b/,
                with: "BUILD-ID"
            )
            .replacing(/\b\d+ MiB/, with: "N MiB").replacing(/\b\d+ of \d+ are open/, with: "N of N are open")
            return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { String($0) }
        }

        private func statuses(_ json: String) throws -> [String: String] {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
            let findings = try #require(object["findings"] as? [[String: Any]])
            return Dictionary(
                findings.compactMap { finding in
                    (finding["check"] as? String).flatMap { check in (finding["status"] as? String).map { (check, $0) }
                    }
                },
                uniquingKeysWith: { max($0, $1) }
            )
        }

        @Test("a library that cannot be loaded for want of descriptors is not to be installed")
        func fewDescriptors() async throws {
            let script = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n 4; exec \"$@\""
            let outcome = try await ChildProcess.run(
                "/bin/sh",
                ["-c", script, "sh", Collector.mayday, "doctor", sdkChild]
            )
            let expected = "libdw cannot be loaded, raise the limit of open files (ulimit -n): "
            #expect(outcome.errors.contains(expected), "\(outcome.errors)")
        }

        // MARK: The collector

        @Test("a collector that runs is healthy: exit 0")
        func healthy() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let outcome = try await collector.run("doctor", environment: ["COLUMNS": "1000"])
            #expect(outcome.status == .exited(0), "\(outcome.output)")
            let found = lines(outcome.output, [(collector.data, "DATA")])
            #expect(try Golden.difference(found, "doctor.txt") == nil)
            let served = try await collector.run("doctor", "--server", "http://127.0.0.1:\(serving.port)")
            #expect(served.status == .exited(0))
            _ = await serving.stop()
        }

        @Test("symbols that are missing for the newest reports are named with what to do")
        func missingSymbols() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let key = try await serving.key()
            #expect(try serving.post(SampleReport().gzip(), key: key).status == 201)
            // Stopping digests what waits.
            _ = await serving.stop()
            let outcome = try await collector.run("doctor", "--json")
            let found = try statuses(outcome.output)
            #expect(found["symbols"] == "warning", "\(outcome.output)")
            #expect(found["server"] == "problem")
            #expect(outcome.status == .exited(1))
            #expect(outcome.output.contains("no debug file has build id"))
        }

        @Test("no data, others' access, nobody there: the exit code says which")
        func troubled() async throws {
            let collector = try Collector()
            let none = try await collector.run("doctor")
            #expect(none.status == .exited(3))
            #expect(none.output.contains("problem  store  no data at"), "\(none.output)")
            let serving = try await collector.serve()
            chmod(collector.data, 0o755)
            let open = try await collector.run("doctor", "--json")
            #expect(try statuses(open.output)["access"] == "warning")
            _ = await serving.stop()
            let down = try await collector.run("doctor", "--server", "http://127.0.0.1:\(serving.port)")
            #expect(down.status == .exited(3))
            #expect(down.output.contains("cannot be reached from here"), "\(down.output)")
            let server = try ScriptedServer { _ in .status(503, body: #"{"error":"the disk is full"}"#) }
            let full = try await collector.run(
                "doctor",
                "--server",
                "http://127.0.0.1:\(server.port)",
                environment: ["COLUMNS": "1000"]
            )
            #expect(full.status == .exited(1))
            #expect(full.output.contains("answers 503: {\"error\":\"the disk is full\"}"), "\(full.output)")
            #expect(server.requests.map(\.method) == ["GET"] && server.requests.map(\.path) == ["/healthz"])
        }

        // MARK: A binary

        @Test("a binary with all that reports need: exit 0")
        func binary() async throws {
            let outcome = try await ChildProcess.run(Collector.mayday, ["doctor", sdkChild])
            #expect(outcome.status == .exited(0))
            #expect(try Golden.difference(lines(outcome.output, [(sdkChild, "BINARY")]), "doctor-binary.txt") == nil)
        }

        @Test("a stripped binary is told where its debug file would be found, and found there it is fine")
        func strippedBinary() async throws {
            let directory = try TemporaryDirectory()
            let (stripped, debug) = ("\(directory.path)/service", "\(directory.path)/service.debug")
            for arguments in [["--strip-all", sdkChild, stripped], ["--only-keep-debug", sdkChild, debug]] {
                let outcome = try await ChildProcess.run("/usr/bin/objcopy", arguments)
                try #require(outcome.status == .exited(0), "\(outcome.errors)")
            }
            let without = try await ChildProcess.run(
                Collector.mayday,
                ["doctor", stripped],
                environment: ["COLUMNS": "1000"]
            )
            #expect(without.status == .exited(0))
            #expect(without.output.contains("ok       Mayday             linked"), "\(without.output)")
            #expect(without.output.contains("warning  debug information  "), "\(without.output)")
            #expect(
                without.output.contains(
                    /-> give the collector the unstripped binary .*: `mayday symbols add FILE`, or put it to \/usr\/lib\/debug\/\.build-id\/..\/.{38}\.debug/
                ),
                "\(without.output)"
            )
            let link = try await ChildProcess.run("/usr/bin/objcopy", ["--add-gnu-debuglink=\(debug)", stripped])
            try #require(link.status == .exited(0), "\(link.errors)")
            let with = try await ChildProcess.run(
                Collector.mayday,
                ["doctor", stripped],
                environment: ["COLUMNS": "1000"]
            )
            #expect(with.output.contains("ok       debug information  in \(debug)\n"), "\(with.output)")
        }

        @Test("what is no service: exit 1")
        func noService() async throws {
            let own = try await ChildProcess.run(Collector.mayday, ["doctor", "--json", Collector.mayday])
            #expect(own.status == .exited(1))
            #expect(try statuses(own.output)["Mayday"] == "problem")
            for (path, says) in [
                ("/etc/passwd", "is not a binary"), ("/none", "no such file"), ("/", "is not a binary"),
            ] {
                let outcome = try await ChildProcess.run(Collector.mayday, ["doctor", path])
                #expect(outcome.status == .exited(1))
                #expect(outcome.output == "" && outcome.errors.contains(says), "\(outcome.errors)")
            }
        }

        // MARK: A process

        private func check(_ environment: [String: String]) async throws -> (ChildProcess.Outcome, pid: Int32) {
            let child = try ChildProcess(sdkChild, ["stay"], environment: environment)
            try #require(await child.line(containing: "staying") != nil)
            let outcome = try await ChildProcess.run(
                Collector.mayday,
                ["doctor", "--pid", "\(child.pid)"],
                environment: ["COLUMNS": "1000"]
            )
            child.kill(SIGKILL)
            return (outcome, child.pid)
        }

        @Test("a running service: exit 0")
        func process() async throws {
            let spool = try TemporaryDirectory()
            let (outcome, pid) = try await check(["MAYDAY_SPOOL": "\(spool.path)/spool"])
            #expect(outcome.status == .exited(0), "\(outcome.output)")
            let found = lines(
                outcome.output,
                [("process \(pid)", "process N"), (sdkChild, "BINARY"), (spool.path, "DIRECTORY")]
            )
            // A container has a filter.
            let comparable = found.filter { !$0.contains("  seccomp  ") }
            #expect(try Golden.difference(comparable, "doctor-process.txt") == nil)
        }

        @Test("a backend that asked the service for a pause is named with its end; what is no pause is passed over")
        func paused() async throws {
            let place = try TemporaryDirectory()
            let directory = "\(place.path)/spool/till"
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            chmod("\(place.path)/spool", 0o700)
            let now = Timestamp.now().microseconds
            let until = Timestamp(microseconds: now + 3_600_000_000)
            for (name, text) in [
                ("collector", "\(until)\nhttp://127.0.0.1:1/api/1/reports\n"), ("old", "\(until)\n"), ("empty", ""),
                ("over", "\(Timestamp(microseconds: now - 1))\nover\n"), ("far", "2199-01-01T00:00:00Z\nfar\n"),
            ] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory)/\(name).pause"))
            }
            #expect(mkfifo("\(directory)/pipe.pause", 0o600) == 0)
            let (outcome, _) = try await check([
                "MAYDAY_SPOOL": "\(place.path)/spool", "MAYDAY_SERVICE": "till", "SWIFT_BACKTRACE": "enable=no",
            ])
            #expect(
                outcome.output.contains(
                    "nothing is sent to http://127.0.0.1:1/api/1/reports before \(until), as it asked; reports wait in"
                ),
                "\(outcome.output)"
            )
            #expect(outcome.output.components(separatedBy: "nothing is sent to").count == 2, "\(outcome.output)")
        }

        @Test("a process in which Mayday was not started: exit 1")
        func processWithout() async throws {
            let (outcome, _) = try await check(["MAYDAY_ENABLED": "no", "SWIFT_BACKTRACE": "enable=no"])
            #expect(outcome.status == .exited(1))
            #expect(
                outcome.output.contains("problem  environment        MAYDAY_ENABLED switches Mayday off there"),
                "\(outcome.output)"
            )
            // What else is missing follows from that.
            #expect(!outcome.output.contains("libunwind") && !outcome.output.contains("handler"), "\(outcome.output)")
            let none = try await ChildProcess.run(Collector.mayday, ["doctor", "--pid", "2147483647"])
            #expect(none.status == .exited(1))
            #expect(none.errors.contains("no process 2147483647 here"))
        }

        @Test("a process without a spool, and one that holds no descriptors")
        func processAndItsSpool() async throws {
            let spool = try TemporaryDirectory()
            chmod(spool.path, 0o777)
            let (none, _) = try await check(["MAYDAY_SPOOL": spool.path])
            let says = "warning  spool              "
            #expect(none.output.contains("\(says)none: reports live in memory only"), "\(none.output)")
            let script = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n 12; exec \"$0\" stay"
            let few = try ChildProcess(
                "/bin/sh",
                ["-c", script, sdkChild],
                environment: ["MAYDAY_SPOOL": "\(spool.path)/few"]
            )
            try #require(await few.line(containing: "staying") != nil)
            let held = try await ChildProcess.run(
                Collector.mayday,
                ["doctor", "--pid", "\(few.pid)"],
                environment: ["COLUMNS": "1000"]
            )
            few.kill(SIGKILL)
            #expect(held.output.contains("\(says)not known: Mayday holds no descriptors there"), "\(held.output)")
        }

        @Test("reports of a name that the service had before are found beside its own")
        func strandedReports() async throws {
            let place = try TemporaryDirectory()
            func environment(_ service: String) -> [String: String] {
                [
                    "MAYDAY_SPOOL": "\(place.path)/spool", "MAYDAY_SERVICE": service, "MAYDAY_DELIVERY_DEADLINE": "0",
                    "SWIFT_BACKTRACE": "enable=no",
                ]
            }
            _ = try await ChildProcess.run(sdkChild, ["crash"], environment: environment("old"))
            let (found, _) = try await check(environment("new"))
            let says =
                "1 report waits in \(place.path)/spool/old, for a service of that name, which is not running here\n"
            #expect(found.output.contains("warning  other names        \(says)"), "\(found.output)")
            #expect(found.output.contains("move the files to \(place.path)/spool/new\n"), "\(found.output)")
            // While it runs, they are its own.
            let old = try ChildProcess(sdkChild, ["stay"], environment: environment("old"))
            try #require(await old.line(containing: "staying") != nil)
            let (none, _) = try await check(environment("new"))
            #expect(!none.output.contains("other names"), "\(none.output)")
            old.kill(SIGKILL)
        }

        @Test("a process whose spool is gone: exit 1")
        func processWithoutSpool() async throws {
            let spool = try TemporaryDirectory()
            let child = try ChildProcess(sdkChild, ["stay"], environment: ["MAYDAY_SPOOL": "\(spool.path)/spool"])
            try #require(await child.line(containing: "staying") != nil)
            try FileManager.default.removeItem(atPath: "\(spool.path)/spool")
            let outcome = try await ChildProcess.run(Collector.mayday, ["doctor", "--pid", "\(child.pid)", "--json"])
            #expect(outcome.status == .exited(1))
            #expect(try statuses(outcome.output)["spool"] == "problem", "\(outcome.output)")
            child.kill(SIGKILL)
        }
    }
#endif
