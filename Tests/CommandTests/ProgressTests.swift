#if os(Linux)
    import Dispatch
    import Foundation
    import MaydayTestKit
    import Testing
    import TestSupport

    @Suite("Progress of long commands")
    struct ProgressTests {
        private let collector: Collector
        private let terminal: Terminal

        init() throws {
            collector = try Collector()
            terminal = try Terminal()
        }

        /// Takes the line away.
        private static let erased = "\r\u{1b}[K"

        /// A store with one report, which nobody serves.
        private func prepare() async throws {
            let serving = try await collector.serve()
            #expect(try serving.post(SampleReport.old(1).gzip(), key: try await serving.key()).status == 201)
            #expect(await serving.stop().status == .exited(0))
        }

        private func start(
            _ arguments: [String],
            _ descriptors: [Int32: Int32],
            _ environment: [String: String] = [:]
        ) throws -> ChildProcess {
            let variables = ["MAYDAY_DATA": collector.data, "TERM": "xterm"]
            return try ChildProcess(
                Collector.mayday,
                arguments,
                environment: variables.merging(environment) { $1 },
                descriptors: descriptors
            )
        }

        /// Runs a command that is held up until its progress is on the terminal, and expects that nothing of it stays.
        private func check(
            _ arguments: [String],
            shows text: String,
            _ environment: [String: String] = [:],
            input: Int32? = nil,
            release: () -> Void
        ) async throws -> ChildProcess.Outcome {
            var descriptors: [Int32: Int32] = [2: terminal.descriptor]
            descriptors[0] = input
            let child = try start(arguments, descriptors, environment)
            #expect(await eventually { terminal.output.contains(text) }, "\(arguments): \(terminal.output)")
            release()
            let outcome = await child.outcome()
            let output = terminal.output
            #expect(output.contains("\r\u{1b}[K\u{1b}[?7l\(text)"), "\(arguments): \(output)")
            #expect(!outcome.output.contains("\u{1b}"), "\(arguments): \(outcome.output)")
            return outcome
        }

        /// An input that says nothing, until its other end is closed.
        private func input() throws -> (read: Int32, write: Int32) {
            let path = "\(collector.temporary.path)/input-\(UUID().uuidString)"
            try #require(mkfifo(path, 0o600) == 0)
            let write = open(path, O_RDWR | O_CLOEXEC)
            let read = open(path, O_RDONLY | O_CLOEXEC)
            try #require(read >= 0 && write >= 0)
            return (read, write)
        }

        /// Locks bytes of a file, as another process that uses the database would.
        private func lock(_ file: String, _ start: Int, _ length: Int) throws -> Int32 {
            let descriptor = open(file, O_RDWR | O_CLOEXEC)
            try #require(descriptor >= 0, "\(file)")
            var range = flock(
                l_type: Int16(F_WRLCK),
                l_whence: Int16(SEEK_SET),
                l_start: off_t(start),
                l_len: off_t(length),
                l_pid: 0
            )
            // F_OFD_SETLKW: of the descriptor, not of the process.
            try #require(fcntl(descriptor, 38, &range) == 0, "\(String(cString: strerror(errno)))")
            return descriptor
        }

        @Test("import shows how far it is on a terminal; a pipe, and one that can do nothing, have no trace of it")
        func imports() async throws {
            try await prepare()
            let inputs = [try input(), try input(), try input()]
            defer { for input in inputs { close(input.read) } }
            let dumb = try Terminal()
            let piped = try start(["import", "-"], [0: inputs[0].read])
            let plain = try start(["import", "-"], [0: inputs[1].read, 2: dumb.descriptor], ["TERM": "dumb"])
            let outcome = try await check(
                ["import", "--json", "-"],
                shows: "0 KiB read, 0 reports found",
                input: inputs[2].read
            ) {
                // The others had as much time.
                for input in inputs { close(input.write) }
            }
            #expect(outcome.status == .exited(1))
            #expect(outcome.output.contains(#""imported":[],"#), "\(outcome.output)")
            #expect(terminal.output.hasSuffix(Self.erased))
            let silent = await piped.outcome()
            #expect(silent.status == .exited(1) && silent.errors == "", "\(silent.errors)")
            #expect(silent.output == "no reports found\n")
            #expect(await plain.outcome().status == .exited(1))
            #expect(dumb.output == "")
        }

        @Test("the result is in front of nothing when it goes to the same terminal")
        func sameTerminal() async throws {
            try await prepare()
            let input = try input()
            defer { close(input.read) }
            let child = try start(["import", "-"], [0: input.read, 1: terminal.descriptor, 2: terminal.descriptor])
            #expect(await eventually { terminal.output.contains("0 KiB read, 0 reports found") })
            close(input.write)
            #expect(await child.outcome().status == .exited(1))
            #expect(terminal.output.hasSuffix("\(Self.erased)no reports found\r\n"), "\(terminal.output)")
        }

        @Test("check and backup, which wait for the database", arguments: ["check", "backup"])
        func waits(command: String) async throws {
            try await prepare()
            // The bytes that a reader of the database shares (SQLite's os.h, SHARED_FIRST).
            let held = try lock("\(collector.data)/mayday.sqlite", 0x4000_0002, 510)
            let arguments =
                command == "check" ? ["check", "--reports"] : ["backup", "\(collector.temporary.path)/copy"]
            let text = command == "check" ? "checking the database" : "copying the database"
            let outcome = try await check(arguments, shows: text) { close(held) }
            #expect(outcome.status == .exited(0), "\(terminal.output)")
            #expect(outcome.output.hasPrefix(command == "check" ? "ok, 1 reports read" : "backup in "))
            #expect(terminal.output.hasSuffix(Self.erased))
        }

        @Test("delete and projects remove, which wait for another writer", arguments: ["delete", "remove"])
        func writes(command: String) async throws {
            try await prepare()
            #expect(try await collector.run("projects", "add", "other").status == .exited(0))
            let serving = try await collector.serve()
            // The byte that a writer has (SQLite's wal.c, WAL_WRITE_LOCK).
            let held = try lock("\(collector.data)/mayday.sqlite-shm", 120, 1)
            let arguments = command == "delete" ? ["delete", "1/1"] : ["projects", "remove", "1"]
            let outcome = try await check(arguments + ["--yes"], shows: "0 of 1 report deleted") { close(held) }
            #expect(outcome.status == .exited(0), "\(terminal.output)")
            #expect(outcome.output.contains("1 report"), "\(outcome.output)")
            #expect(terminal.output.hasSuffix(Self.erased))
            #expect(await serving.stop().status == .exited(0))
        }

        @Test("symbols add and export on another collector, which takes its time", arguments: ["symbols", "export"])
        func remote(command: String) async throws {
            let isSeen = DispatchSemaphore(value: 0)
            let server = try ScriptedServer { _ in
                isSeen.wait()
                isSeen.signal()
                return .status(400, body: #"{"error": "not today"}"#)
            }
            let arguments = command == "symbols" ? ["symbols", "add", Collector.mayday] : ["export"]
            let token = command == "symbols" ? "MAYDAY_SYMBOLS_TOKEN" : "MAYDAY_READER_TOKEN"
            let outcome = try await check(
                arguments,
                shows: command == "symbols" ? "mayday, 1 of 1" : "0 reports exported",
                ["MAYDAY_DATA": "", "MAYDAY_SERVER": "http://127.0.0.1:\(server.port)", token: "secret"]
            ) { isSeen.signal() }
            #expect(outcome.status == .exited(1))
            // The line is away before the reason is said.
            let said = try #require(terminal.output.range(of: "\(Self.erased)mayday: "), "\(terminal.output)")
            #expect(terminal.output[said.upperBound...].contains("not today\r\n"))
        }
    }
#endif
