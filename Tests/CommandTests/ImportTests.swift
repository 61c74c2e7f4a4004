#if os(Linux)
    import CrashReport
    import Foundation
    import Testing
    import TestSupport

    @Suite("mayday import")
    struct ImportTests {
        private let samples = (1...4).map { SampleReport.old(UInt64($0)) }

        private func id(_ index: Int) -> String { samples[index].report().header.id }

        /// A collector that was started once, with a directory of files beside it.
        private func prepared() async throws -> (Collector, String) {
            let collector = try Collector()
            #expect(await (try await collector.serve()).stop().status == .exited(0))
            let directory = "\(collector.temporary.path)/files"
            try FileManager.default.createDirectory(atPath: "\(directory)/spool", withIntermediateDirectories: true)
            return (collector, directory)
        }

        private func write(_ bytes: [UInt8], _ path: String) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        }

        private func log(_ index: Int) -> [UInt8] {
            Array(logLines(of: samples[index].gzip(), id: id(index)).map { "10:00 checkout | \($0)\n" }.joined().utf8)
        }

        @Test("reports, logs and directories; twice is once; what was imported is grouped")
        func all() async throws {
            let (collector, directory) = try await prepared()
            try write(samples[0].gzip(), "\(directory)/spool/\(id(0)).jsonl.gz")
            try write(samples[1].gzip(), "\(directory)/a report")
            try write(log(2), "\(directory)/spool/service.log")
            try write(log(3), "\(directory)/console")
            let paths = ["\(directory)/spool", "\(directory)/a report", "\(directory)/console"]
            let first = try await collector.run("import", paths[0], paths[1], paths[2])
            #expect(first.status == .exited(0))
            #expect(first.output == "4 imported\n")
            #expect(first.errors == "")
            let again = try await collector.run("import", paths[0], paths[1], paths[2])
            #expect(again.status == .exited(0))
            #expect(again.output == "4 there already\n")
            let list = try await collector.run("list", "--json")
            #expect(list.output.contains(#""count":4"#), "\(list.output)")
        }

        @Test("standard input, while the collector serves")
        func standardInput() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            let file = "\(collector.temporary.path)/log"
            try write(log(0), file)
            let outcome = try await ChildProcess.run(
                "/bin/sh",
                ["-c", "\"$1\" import --data \"$2\" --json - < \"$3\"", "sh", Collector.mayday, collector.data, file]
            )
            #expect(outcome.status == .exited(0))
            #expect(outcome.output.contains(#""imported":["\#(id(0))"]"#), "\(outcome.output)")
            // Nobody tells it: it looks for itself.
            #expect(try await eventually { try await collector.run("list").status == .exited(0) })
            #expect(await serving.stop().status == .exited(0))
        }

        @Test("what is damaged is said, and the rest is imported: exit 1")
        func damaged() async throws {
            let (collector, directory) = try await prepared()
            var lines = String(decoding: log(0), as: UTF8.self).split(separator: "\n")
            lines.removeLast(2)
            try write(Array(lines.joined(separator: "\n").utf8), "\(directory)/cut.log")
            lines.remove(at: 1)
            try write(Array(lines.joined(separator: "\n").utf8), "\(directory)/headless.log")
            try write([0x1f, 0x8b, 8, 0, 1, 2, 3], "\(directory)/other.gz")
            let outcome = try await collector.run(
                "import",
                "\(directory)/cut.log",
                "\(directory)/headless.log",
                "\(directory)/other.gz",
                "\(directory)/none"
            )
            #expect(outcome.status == .exited(1))
            #expect(outcome.output == "1 imported, 2 damaged, 1 not readable\n")
            let notes = outcome.errors.split(separator: "\n")
            #expect(notes.count == 4)
            #expect(notes[0] == "mayday: \(directory)/none: No such file or directory")
            #expect(notes[1].contains("headless.log: report \(id(0)): line 1 of "))
            #expect(notes[2].contains("other.gz: its gzip data end in the middle, after 0 expanded bytes"))
            #expect(notes[3].contains("cut.log: report \(id(0)): only its beginning: line "))
        }

        @Test("nothing found: exit 1; no store: exit 3; which project: exit 2")
        func nothing() async throws {
            let (collector, directory) = try await prepared()
            try write(Array("GET / 200\n".utf8), "\(directory)/access.log")
            let none = try await collector.run("import", directory)
            #expect(none.status == .exited(1))
            #expect(none.output == "no reports found\n")
            let loop = "\(directory)/loop"
            #expect(symlink("loop", loop) == 0)
            let unreadable = try await collector.run("import", loop)
            #expect(unreadable.status == .exited(1) && unreadable.output == "no reports found, 1 not readable\n")
            #expect(unreadable.errors == "mayday: \(loop): Too many levels of symbolic links\n")
            let missing = try await ChildProcess.run(
                Collector.mayday,
                ["import", "--data", "\(directory)/none", "\(directory)/access.log"]
            )
            #expect(missing.status == .exited(3))
            #expect(try await collector.run("import", "--project", "7", directory).status == .exited(1))
            #expect(try await collector.run("projects", "add", "second").status == .exited(0))
            let ambiguous = try await collector.run("import", directory)
            #expect(ambiguous.status == .exited(2))
            #expect(ambiguous.errors.contains("there are 2 projects: say which with --project PROJECT"))
        }
    }
#endif
