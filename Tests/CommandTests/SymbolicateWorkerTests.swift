#if os(Linux)
    import CrashReport
    import Foundation
    import Grouping
    import Symbolication
    import TestSupport
    import Testing

    @testable import Digest

    /// The process itself, as the collector runs it, and debug files of every kind of damage.
    @Suite("mayday symbolicate-worker")
    struct SymbolicateWorkerTests {
        /// A program with C and Swift in it.
        private static let program = URL(fileURLWithPath: Collector.mayday).deletingLastPathComponent()
            .appendingPathComponent("CaptureChild").path

        private let directory: TemporaryDirectory

        init() throws { directory = try TemporaryDirectory() }

        private func digester(_ limits: WorkerLimits = WorkerLimits(time: Patience.wait)) -> IsolatedDigester {
            IsolatedDigester(limits: limits) { () throws(WorkerEnd) in
                try WorkerProcess(Collector.mayday, ["symbolicate-worker"])
            }
        }

        /// A report with frames all over a file that has this build id.
        private func report(_ path: String, buildID: String?, seed: UInt64 = 1) -> Report {
            var random = SeededGenerator(seed: seed)
            var report = SampleReport(images: 3).report()
            report.header.process.path = path
            report.images[0] = Image(path: path, base: 0x5500_0000_0000, size: 0x40_0000, buildID: buildID)
            report.threads[0].frames = (0..<40).map { index in
                let offset = random.next() % 0x8_0000
                return Frame(
                    address: 0x5500_0000_0000 + offset,
                    image: 0,
                    offset: offset,
                    trust: index == 0 ? .context : .cfi
                )
            }
            return report
        }

        @Test("answers as the collector itself would, report after report")
        func answersAlike() throws {
            let buildID = try BinaryFile(path: Self.program).buildID
            let (isolated, own) = (digester(), Digester())
            for seed in 1...5 as ClosedRange<UInt64> {
                let report = report(Self.program, buildID: buildID, seed: seed)
                let digested = try isolated.digest(report)
                #expect(digested == own.digest(report))
                #expect(digested.report.threads[0].frames.contains { $0.symbols.contains { $0.line != nil } })
            }
            #expect(isolated.ends == 0)
        }

        @Test("groups a report that has its functions as it was grouped, also where its debug files are gone")
        func groupsAgain() throws {
            let isolated = digester()
            for seed in 1...5 as ClosedRange<UInt64> {
                let buildID = try BinaryFile(path: Self.program).buildID
                let digested = Digester().digest(report(Self.program, buildID: buildID, seed: seed))
                var report = digested.report
                report.header.process.path = "/srv/gone/CaptureChild"
                report.images[0].path = "/srv/gone/CaptureChild"
                let outcome = try isolated.group(report)
                #expect(outcome.fingerprint == digested.fingerprint && outcome.explanation == digested.explanation)
                #expect(outcome.title == digested.title && outcome.culprit == digested.culprit)
            }
            #expect(isolated.ends == 0)
        }

        @Test("a process that is killed or stopped between reports is replaced")
        func isReplaced() async throws {
            // One that is stopped is waited for until its time is over: on a thread that no other test needs.
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result { try replaceWorkers() }) }
            }
        }

        private func replaceWorkers() throws {
            var workers: [pid_t] = []
            let digester = IsolatedDigester(limits: WorkerLimits(time: .seconds(30))) { () throws(WorkerEnd) in
                let worker = try WorkerProcess(Collector.mayday, ["symbolicate-worker"])
                workers.append(worker.pid)
                return worker
            }
            let report = report(Self.program, buildID: try BinaryFile(path: Self.program).buildID)
            let whole = try digester.digest(report)
            for signal in [SIGKILL, SIGSTOP, SIGSEGV] {
                kill(try #require(workers.last), signal)
                #expect(try digester.digest(report) == whole)
            }
            #expect(digester.ends == 3 && workers.count == 4)
        }

        @Test("answers that were found before a process was killed are right for the next, and need no debug file")
        func answersOutliveTheProcess() throws {
            let program = "\(directory.path)/program"
            try FileManager.default.copyItem(atPath: Self.program, toPath: program)
            let buildID = try BinaryFile(path: program).buildID
            let reports = (1...12).map { report(program, buildID: buildID, seed: $0) }
            let whole = reports.map { Digester().digest($0) }
            var random = SeededGenerator(seed: 9)
            for _ in 0..<8 {
                var worker: pid_t = 0
                let digester = IsolatedDigester(limits: WorkerLimits(time: Patience.wait)) { () throws(WorkerEnd) in
                    let process = try WorkerProcess(
                        Collector.mayday,
                        ["symbolicate-worker", "--symbols", "\(directory.path)/symbols"]
                    )
                    worker = process.pid
                    return process
                }
                let index = Int(random.next() % UInt64(reports.count))
                #expect(try digester.digest(reports[index]) == whole[index])
                let killed = worker
                // Somewhere in the middle of the next report, and before its number could be another's.
                let isKilled = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    kill(killed, SIGKILL)
                    isKilled.signal()
                }
                let next = Int(random.next() % UInt64(reports.count))
                #expect(try digester.digest(reports[next]) == whole[next])
                isKilled.wait()
                withExtendedLifetime(digester) {}
            }
            let last = IsolatedDigester(limits: WorkerLimits(time: Patience.wait)) { () throws(WorkerEnd) in
                try WorkerProcess(Collector.mayday, ["symbolicate-worker", "--symbols", "\(directory.path)/symbols"])
            }
            for (report, whole) in zip(reports, whole) { #expect(try last.digest(report) == whole) }
            try FileManager.default.removeItem(atPath: program)
            last.forget([])
            for (report, whole) in zip(reports, whole) {
                #expect(try last.digest(report).report.threads[0] == whole.report.threads[0])
            }
        }

        @Test("without enough memory to read a file, the report comes all the same")
        func lacksMemory() throws {
            // A section that is as large as the file, which takes no room on the disk.
            let path = "\(directory.path)/large"
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.program)))
            let buildID = try BinaryFile(path: Self.program).buildID
            try enlarge(".debug_info", to: 6 << 30, in: &bytes)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            try #require(truncate(path, 8 << 30) == 0)
            let digested = try digester(WorkerLimits(time: Patience.wait)).digest(report(path, buildID: buildID))
            #expect(digested.notes.contains { $0.path == path })
            #expect(digested.report.threads[0].frames.contains { !$0.symbols.isEmpty }, "the symbol table is whole")
        }

        @Test("files that were cut give what they can, and it is said")
        func cut() throws {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.program)))
            let buildID = try BinaryFile(path: Self.program).buildID
            let digester = digester()
            for tenths in 1...9 {
                let path = "\(directory.path)/cut"
                try Data(bytes[..<(bytes.count * tenths / 10)]).write(to: URL(fileURLWithPath: path))
                let digested = try digester.digest(report(path, buildID: buildID))
                let note = digested.notes.first { $0.path == path }?.description
                #expect(note?.contains("cut short") == true, "\(tenths)/10: \(note ?? "no note")")
                digester.forget([])
            }
            #expect(digester.ends == 0)
        }

        @Test("files that were changed at random end no digestion")
        func changed() throws {
            let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.program)))
            let buildID = try BinaryFile(path: Self.program).buildID
            let digester = digester(WorkerLimits(time: .seconds(30)))
            for seed in Self.first..<Self.first + Self.rounds {
                var random = SeededGenerator(seed: seed)
                var bytes = whole
                // Half of them where the headers are, some bytes or a whole page.
                let end = seed % 2 == 0 ? bytes.count : 4_096
                for _ in 0..<(1 << (seed % 7)) {
                    bytes[Int(random.next() % UInt64(end))] = UInt8(truncatingIfNeeded: random.next())
                }
                let path = "\(directory.path)/changed"
                try Data(bytes).write(to: URL(fileURLWithPath: path))
                let digested = try digester.digest(report(path, buildID: buildID, seed: seed))
                #expect(digested.report.threads[0].frames.count == 40, "seed \(seed)")
                // The files of this build are others now.
                digester.forget([buildID ?? ""])
            }
        }

        private static let first = ProcessInfo.processInfo.environment["MAYDAY_FUZZ_FIRST"].flatMap(UInt64.init) ?? 0
        private static let rounds = ProcessInfo.processInfo.environment["MAYDAY_FUZZ_ROUNDS"].flatMap(UInt64.init) ?? 24

        /// Writes another size into the header of a section.
        private func enlarge(_ section: String, to size: UInt64, in bytes: inout [UInt8]) throws {
            func integer(_ offset: Int, _ size: Int) -> Int {
                (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
            }
            let table = integer(40, 8)
            let names = integer(table + integer(62, 2) * 64 + 24, 8)
            for index in 0..<integer(60, 2) {
                let header = table + index * 64
                let name = bytes[(names + integer(header, 4))...].prefix { $0 != 0 }
                guard String(decoding: name, as: UTF8.self) == section else { continue }
                for byte in 0..<8 { bytes[header + 32 + byte] = UInt8(truncatingIfNeeded: size >> (8 * UInt64(byte))) }
                return
            }
            Issue.record("no section \(section)")
        }
    }
#endif
