#if os(Linux)
    import CrashReport
    import Foundation
    import Testing
    import TestSupport

    @Suite("What mayday import finds in directories")
    struct ImportFilesTests {
        private let collector: Collector
        private let directory: String
        private let samples = (1...8).map { SampleReport.old(UInt64($0)) }

        init() async throws {
            collector = try Collector()
            directory = "\(collector.temporary.path)/files"
            try FileManager.default.createDirectory(atPath: "\(directory)/sub", withIntermediateDirectories: true)
            #expect(await (try await collector.serve()).stop().status == .exited(0))
        }

        private func write(_ bytes: [UInt8], _ name: String) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
        }

        private func log(_ index: Int) -> [UInt8] {
            let lines = logLines(of: samples[index].gzip(), id: samples[index].report().header.id)
            return Array("up\n\(lines.map { "10:00 | \($0)\n" }.joined())down\n".utf8)
        }

        @Test("rotated and packed logs are read, in a directory, by name and from standard input")
        func rotated() async throws {
            try write(log(0), "app.log")
            try write(log(1), "app.log.1")
            // As logrotate appends to what is packed: two members.
            try write(Gzip.compress(log(2)) + Gzip.compress(log(3)), "app.log.2.gz")
            try write(Gzip.compress(log(4)), "sub/app.log-20261130.gz")
            try write(Gzip.compress(samples[5].gzip()), "twice.json.gz")
            #expect(
                symlink("../\(URL(fileURLWithPath: directory).lastPathComponent)/app.log", "\(directory)/link.log") == 0
            )
            let outcome = try await collector.run("import", directory)
            #expect(outcome.output == "5 imported, 1 there already\n", "\(outcome.errors)")
            #expect(outcome.status == .exited(0) && outcome.errors == "")

            try write(Gzip.compress(log(6)), "old.log.gz")
            let named = try await collector.run("import", "\(directory)/old.log.gz")
            #expect(named.output == "1 imported\n" && named.errors == "")
            // A report is one by what it is.
            try write(samples[7].gzip(), "a packed thing")
            let piped = try await ChildProcess.run(
                "/bin/sh",
                ["-c", "\"$1\" import --data \"$2\" - < \"$3\"", "sh", Collector.mayday, collector.data]
                    + ["\(directory)/a packed thing"]
            )
            #expect(piped.output == "1 imported\n" && piped.errors == "")
        }

        @Test("a device, which has no end, is no file, when it is named, too")
        func device() async throws {
            let outcome = try await collector.run("import", "/dev/zero")
            #expect(outcome.status == .exited(1))
            #expect(outcome.errors.contains("mayday: /dev/zero: a device, which may have no end"), "\(outcome.errors)")
            let shown = try await collector.run("show", "/dev/zero")
            #expect(shown.status == .exited(1))
            #expect(shown.errors.contains("/dev/zero is not a report: larger than "), "\(shown.errors)")
        }

        @Test("what is not read is named, with the reason, and never as a terminal would take it")
        func leftOut() async throws {
            try write(log(0), "app.log")
            try write(Array("no gzip\n".utf8), "a.jsonl.gz")
            try write([], "b.jsonl.gz")
            try write(Array(Gzip.compress(log(1)).dropLast(9)), "c.log.gz")
            // The checksum of the second member.
            var flipped = Gzip.compress(log(2)) + Gzip.compress(log(2))
            flipped[flipped.count - 5] ^= 0xff
            try write(flipped, "d.log.1.gz")
            try write([], "e\n\u{1b}[31m.log.xz")
            try write([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 1], "f.log")
            #expect(mkfifo("\(directory)/g.log", 0o600) == 0)
            #expect(symlink("h.log", "\(directory)/h.log") == 0)
            #expect(symlink(".", "\(directory)/i.log") == 0)
            #expect(symlink("/dev/zero", "\(directory)/j.log") == 0)
            try write([], "k.jsonl.gz.part")
            for number in 0..<20 { try write([], "sub/n\(number)") }
            let outcome = try await collector.run("import", directory)
            #expect(outcome.status == .exited(1))
            // The report of the log that is cut is there still, and so is that of the damaged one.
            #expect(outcome.output == "3 imported, 4 damaged, 3 not readable, 24 left out\n")
            let notes = Set(outcome.errors.split(separator: "\n").map(String.init))
            let xz = "packed by something else than gzip: `xzcat FILE | mayday import -`"
            for (name, says) in [
                ("e\\n\\u{1b}[31m.log.xz", xz), ("f.log", xz), ("h.log", "Too many levels of symbolic links"),
                ("a.jsonl.gz", "not gzip data"), ("b.jsonl.gz", "line 1: the file is empty"),
            ] {
                #expect(notes.contains { $0.hasPrefix("mayday: \(directory)/\(name): \(says)") }, "\(name): \(notes)")
            }
            #expect(notes.contains { $0.contains("c.log.gz: its gzip data end in the middle, after ") }, "\(notes)")
            #expect(notes.contains { $0.contains("d.log.1.gz: the gzip data are damaged after ") }, "\(notes)")
            let pipe = "no file, but a pipe, a socket or a device"
            for (name, says) in [
                ("g.log", pipe), ("i.log", "a link to a directory: name that to have it searched"), ("j.log", pipe),
                ("k.jsonl.gz.part", "a report that is not finished: the next start of its service does that"),
                ("sub/n0", "not named as a report or a log is: name the file itself to have it read"),
            ] {
                #expect(notes.contains("mayday: left out: \(directory)/\(name): \(says)"), "\(name): \(notes)")
            }
            #expect(notes.contains("mayday: left out: 4 more, see --json") && !outcome.errors.contains("\u{1b}"))
            let json = try await collector.run("import", directory, "--json").output
            #expect(json.components(separatedBy: ": not named as").count == 21, "\(json)")
        }

        @Test("no end of zeros, of text without a line's end, or of what looks like a report takes it down")
        func hostile() async throws {
            // 128 MiB in 128 KiB.
            let zeros = Gzip.compress([UInt8](repeating: 0, count: 8 << 20))
            try write(Gzip.compress(log(0)) + Array(repeating: zeros, count: 16).flatMap(\.self), "a.log.gz")
            try write([UInt8](repeating: 0, count: 9 << 20) + log(1), "b.log")
            let one = "mayday-report \(SampleReport.old(9).report().header.id.dropLast(4))"
            let many = (1000..<1500).map { "\(one)\($0) begin lines=1 bytes=9 crc32=1 " }.joined()
            try write(Array(many.utf8), "c.log")
            let outcome = try await collector.run("import", directory)
            #expect(outcome.status == .exited(1))
            #expect(outcome.output == "2 imported, 22 damaged\n")
            #expect(
                outcome.errors.contains("a.log.gz: it expands to more than 200 times its size, and the rest was left")
            )
            #expect(outcome.errors.contains("c.log: 480 more like these"), "\(outcome.errors)")
        }

        @Test("a name that is no text is a name; a directory that may not be searched is said")
        func names() async throws {
            let bytes = Array("\(directory)/".utf8) + [0xff, 0xfe] + Array(".log".utf8) + [0]
            let path = bytes.map { CChar(bitPattern: $0) }
            let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            try #require(descriptor >= 0)
            let text = log(0)
            #expect(Foundation.write(descriptor, text, text.count) == text.count)
            close(descriptor)
            let outcome = try await collector.run("import", directory)
            #expect(outcome.output == "1 imported\n", "\(outcome.errors)")
            guard geteuid() != 0 else { return print("root may search every directory: that part was left out") }
            #expect(chmod("\(directory)/sub", 0) == 0)
            let closed = try await collector.run("import", directory)
            #expect(closed.output == "1 there already, 1 not readable\n")
            #expect(closed.errors == "mayday: \(directory)/sub: Permission denied\n")
        }
    }
#endif
