#if os(Linux)
    import CrashReport
    import Foundation
    import Symbolication
    import SymbolStore
    import TestSupport
    import Testing

    @Suite("mayday symbols")
    struct SymbolsTests {
        private let collector: Collector
        /// A program that is not where reports say, so that only the symbol store has it.
        private let program: String
        private let buildID: String

        init() throws {
            collector = try Collector()
            let built = URL(fileURLWithPath: Collector.mayday).deletingLastPathComponent()
                .appendingPathComponent("CaptureChild").path
            program = "\(collector.temporary.path)/build/CaptureChild"
            try FileManager.default.createDirectory(
                atPath: "\(collector.temporary.path)/build",
                withIntermediateDirectories: true
            )
            try FileManager.default.copyItem(atPath: built, toPath: program)
            buildID = try #require(try BinaryFile(path: program).buildID)
        }

        private func report() -> Report {
            var report = SampleReport.symbolless()
            report.header.process.path = "/srv/gone/CaptureChild"
            report.images[0] = Image(
                path: "/srv/gone/CaptureChild",
                base: 0x5500_0000_0000,
                size: 0x40_0000,
                buildID: buildID
            )
            var random = SeededGenerator(seed: 3)
            report.threads[0].frames = (0..<60).map { index in
                let offset = random.next() % 0x8_0000
                let trust: FrameTrust = index == 0 ? .context : .cfi
                return Frame(address: 0x5500_0000_0000 + offset, image: 0, offset: offset, trust: trust)
            }
            return report
        }

        private func file(_ report: Report) throws -> String {
            let path = "\(collector.temporary.path)/report.jsonl.gz"
            try Data(report.encode()).write(to: URL(fileURLWithPath: path))
            return path
        }

        @Test("what an `add` that was killed had begun is done by the next, also when the file is there already")
        func arrivalThatWasCutShort() async throws {
            let first = try await collector.serve()
            _ = try await first.key()
            #expect(await first.stop().status == .exited(0))
            #expect(try await collector.run("symbols", "add", program).status == .exited(0))
            let waiting = "\(collector.data)/symbols/waiting"
            try FileManager.default.createDirectory(atPath: waiting, withIntermediateDirectories: true)
            #expect(try await collector.run("import", try file(report())).status == .exited(0))
            let line = "1 \(report().header.id) /srv/gone/CaptureChild\n"
            try Data(line.utf8).write(to: URL(fileURLWithPath: "\(waiting)/\(buildID).taken"))
            let added = try await collector.run("symbols", "add", program)
            #expect(added.output == "1 there already\n1 report is digested again\n", "\(added.errors)")
            let again = try await collector.run("symbols", "add", program)
            #expect(again.output == "1 there already\n")
        }

        @Test(
            "a report that came before its file is digested again when the file comes, into the issue that is now its own"
        )
        func arrival() async throws {
            let first = try await collector.serve()
            _ = try await first.key()
            #expect(await first.stop().status == .exited(0))
            let imported = try await collector.run("import", try file(report()))
            #expect(imported.status == .exited(0), "\(imported.errors)")
            let waiting = try await collector.run("symbols", "list")
            #expect(waiting.output.hasPrefix("Reports wait for\n"))
            #expect(waiting.output.contains("\n  \(buildID)  1 report, /srv/gone/CaptureChild\n"), "\(waiting.output)")

            let added = try await collector.run("symbols", "add", program)
            #expect(added.status == .exited(0), "\(added.errors)")
            #expect(added.output.contains("added \(buildID)  CaptureChild, debug information, "))
            #expect(added.output.hasSuffix("1 report is digested again\n"))
            let shown = try await collector.run("show", report().header.id)
            #expect(shown.output.contains(".c:") || shown.output.contains(".swift:"), "\(shown.output)")
            let list = try await collector.run("list", "--json")
            let issues =
                try #require(
                    try JSONSerialization.jsonObject(with: Data(list.output.utf8)) as? [String: Any]
                )["issues"] as? [[String: Any]]
            #expect(issues?.count == 1 && issues?.first?["count"] as? Int == 1)
            #expect((issues?.first?["culprit"] as? String)?.contains("+0x") == false)

            let again = try await collector.run("symbols", "add", "\(collector.temporary.path)/build")
            #expect(again.output == "1 there already\n" && again.status == .exited(0))
            let kept = try await collector.run("symbols", "list")
            #expect(kept.output.hasPrefix("\(buildID)  CaptureChild, debug information, "))
            #expect(!kept.output.contains("/srv/gone/CaptureChild"), "\(kept.output)")
        }

        @Test("the number of an issue whose reports went into another leads to that; `delete` does not follow it")
        func joined() async throws {
            let serving = try await collector.serve()
            _ = try await serving.key()
            let admin = try await serving.secret("MAYDAY_ADMIN_TOKEN")
            let waiting = "\(collector.data)/symbols/waiting"
            var other = report()
            other.header.id = "018d0cdf-a580-7f0b-9eb3-000000000002"
            #expect(try await collector.run("import", try file(report())).status == .exited(0))
            _ = await serving.child.line(containing: "is in issue 1, which is new", in: .errors)
            // Another that has its functions already, so that the first is of the same issue once it has them.
            let lines = try String(contentsOfFile: "\(waiting)/\(buildID)", encoding: .utf8)
            try FileManager.default.removeItem(atPath: "\(waiting)/\(buildID)")
            #expect(try await collector.run("symbols", "add", program).status == .exited(0))
            #expect(try await collector.run("import", try file(other)).status == .exited(0))
            _ = await serving.child.line(containing: "is in issue 2, which is new", in: .errors)
            try Data(lines.utf8).write(to: URL(fileURLWithPath: "\(waiting)/\(buildID)"))
            #expect(try await collector.run("symbols", "add", program).status == .exited(0))
            let line = await serving.child.line(containing: "\(report().header.id) of", number: 2, in: .errors)
            #expect(line?.hasSuffix("is in issue 2") == true, "\(line ?? "")")

            #expect(try await collector.run("show", "1").output == collector.run("show", "2").output)
            let listed = try await collector.run("reports", "1")
            #expect(listed.status == .exited(0) && listed.output.split(separator: "\n").count >= 2)
            #expect(try await collector.run("reports", "2").output == listed.output)
            let resolved = try await collector.run("resolve", "1/1", "--json")
            #expect(
                resolved.output.contains("\"id\":2") && resolved.output.contains("resolved"),
                "\(resolved.output)"
            )
            for path in ["/api/1/issues/1", "/api/reports?project=1&issue=1"] {
                let answer = try HTTPClient(port: serving.port).request(
                    "GET",
                    path,
                    headers: ["Authorization": "Bearer \(admin)"]
                )
                #expect(answer.status == 200 && answer.body.contains(other.header.id), "\(path) \(answer.body)")
            }
            let deleted = try await collector.run("delete", "1")
            #expect(
                deleted.status == .exited(2) && deleted.errors.contains("issue 1 is part of issue 2"),
                "\(deleted.errors)"
            )
            #expect(await serving.stop().status == .exited(0))
        }

        @Test("a running serve digests again what lacked the file")
        func arrivalAtServe() async throws {
            let serving = try await collector.serve()
            let key = try await serving.key()
            let report = report()
            #expect(try serving.post(report.encode(), key: key).status == 201)
            _ = await serving.child.line(containing: "digest: report \(report.header.id) ", in: .errors)
            let added = try await collector.run("symbols", "add", program)
            #expect(added.output.hasSuffix("1 report is digested again\n"), "\(added.output)\(added.errors)")
            // Grouped by functions it is the issue that it was by offsets, and nothing is told as new.
            let line = await serving.child.line(containing: " is in issue ", number: 2, in: .errors)
            #expect(line?.hasSuffix("report \(report.header.id) of project 1 is in issue 1") == true, "\(line ?? "")")
            let shown = try await collector.run("show", report.header.id)
            #expect(shown.output.contains(".c:") || shown.output.contains(".swift:"), "\(shown.output)")
            #expect(await serving.stop().status == .exited(0))
        }

        @Test("a lesser file does not take the place of a better one, a better one does")
        func better() throws {
            let store = SymbolStore("\(collector.temporary.path)/symbols")
            var names = try #require(DebugFileFacts(path: program))
            names.content = .names
            let whole = try #require(DebugFileFacts(path: program))
            guard case .stored = try store.add(names, from: program, named: "a", at: "t") else {
                Issue.record("not stored")
                return
            }
            guard case .stored(let entry) = try store.add(whole, from: program, named: "b", at: "t") else {
                Issue.record("not replaced")
                return
            }
            #expect(store.entries == [entry] && entry.name == "b" && entry.stored < entry.size)
            #expect(try store.add(names, from: program, named: "c", at: "t") == .duplicate(entry))
            #expect(
                try store.add(whole, from: program, named: "d", wanted: "abcdabcd", at: "t")
                    == .refused("its build id is \(buildID), not abcdabcd")
            )
            var cut = whole
            cut.isCut = true
            #expect(
                try store.add(cut, from: program, named: "e", at: "t") == .refused("it is cut short: copy it again")
            )
        }

        @Test("what is no file with symbols is refused with what to do, the others are kept")
        func refusals() async throws {
            let serving = try await collector.serve()
            _ = try await serving.key()
            _ = await serving.stop()
            let text = "\(collector.temporary.path)/text"
            try Data("no program".utf8).write(to: URL(fileURLWithPath: text))
            let outcome = try await collector.run("symbols", "add", text, "/nonexistent", program)
            #expect(outcome.status == .exited(1))
            #expect(outcome.errors.contains("\(text): no program or library (ELF)"))
            #expect(outcome.errors.contains("/nonexistent: No such file or directory"))
            #expect(outcome.output.contains("added \(buildID)"))
            #expect(try await collector.run("symbols", "remove", "x").status == .exited(2))
        }

        @Test("check fails for a program whose reports would lack lines")
        func check() async throws {
            let good = try await collector.run("symbols", "check", program)
            #expect(good.status == .exited(0) && good.output.contains("functions and lines of build \(buildID)"))
            let bytes = try Data(contentsOf: URL(fileURLWithPath: program))
            let cut = "\(collector.temporary.path)/cut"
            try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: cut))
            let bad = try await collector.run("symbols", "check", program, cut, "--json")
            #expect(bad.status == .exited(1))
            let values = try JSONSerialization.jsonObject(with: Data(bad.output.utf8)) as? [[String: Any]]
            #expect(values?.map { $0["ok"] as? Bool } == [true, false])
            #expect((values?.last?["text"] as? String)?.contains("cut short") == true)
        }

        @Test("what the collector keeps of a build counts for check and doctor, here and over HTTP")
        func checkKept() async throws {
            let serving = try await collector.serve()
            let token = try await serving.secret("MAYDAY_ADMIN_TOKEN")
            let stripped = "\(collector.temporary.path)/stripped"
            let outcome = try await ChildProcess.run("/usr/bin/objcopy", ["--strip-all", program, stripped])
            try #require(outcome.status == .exited(0), "\(outcome.errors)")
            func check(_ place: String...) async throws -> ChildProcess.Outcome {
                try await ChildProcess.run(
                    Collector.mayday,
                    ["symbols", "check", stripped] + place,
                    environment: ["MAYDAY_ADMIN_TOKEN": token]
                )
            }
            let server = "http://127.0.0.1:\(serving.port)"
            #expect(try await check("--data", collector.data).status == .exited(1))
            #expect(try await check("--server", server).status == .exited(1))
            #expect(try await collector.run("symbols", "add", program).status == .exited(0))
            let here = try await check("--data", collector.data)
            let says = "functions and lines of build \(buildID), kept by "
            #expect(here.output == "\(stripped): \(says)\(collector.data)/symbols\n", "\(here.errors)")
            let there = try await check("--server", server)
            #expect(there.output == "\(stripped): \(says)the collector\n", "\(there.errors)")
            let doctor = try await collector.run("doctor", stripped, environment: ["COLUMNS": "1000"])
            #expect(
                doctor.output.contains(
                    "ok       debug information  kept by the collector, in \(collector.data)/symbols"
                ),
                "\(doctor.output)"
            )
            _ = await serving.stop()
        }

        @Test("symbolicate answers each line, and again without the debug information that it read")
        func symbolicate() async throws {
            try FileManager.default.createDirectory(atPath: collector.data, withIntermediateDirectories: true)
            let script = """
                nm --defined-only "$2" | awk '$2 == "t" || $2 == "T" { print "0x" $1 }' >"$3"
                wc -l <"$3"; "$1" symbolicate "$2" <"$3"
                """
            let arguments = ["-c", script, "sh", Collector.mayday, program, "\(collector.temporary.path)/addresses"]
            let first = try await ChildProcess.run("/bin/sh", arguments, environment: ["MAYDAY_DATA": collector.data])
            let lines = first.output.split(separator: "\n", omittingEmptySubsequences: false)
            let count = try #require(lines.first.flatMap { Int($0) })
            #expect(count > 100 && lines.dropLast().count { $0.isEmpty } == count, "\(first.errors)")
            #expect(first.output.contains("main.swift:"))
            let second = try await ChildProcess.run("/bin/sh", arguments, environment: ["MAYDAY_DATA": collector.data])
            #expect(second.output == first.output)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: "\(collector.data)/symbols/answers") == [buildID]
            )
            let one = try await collector.run("symbolicate", program, "0x1")
            #expect(one.output == "??\n\n" && one.status == .exited(1))
            #expect(try await collector.run("symbolicate", program, "main").status == .exited(2))
            let none = try await collector.run("symbolicate", "/nonexistent", "0x1")
            #expect(none.status == .exited(1) && none.errors.contains("/nonexistent: No such file"), "\(none.errors)")
        }

        @Test("paths that are no build id lead nowhere")
        func paths() {
            for text in ["", "ab", "../../etc/passwd", "abcdefg1", "ABCDEF12", "abcdef123", "ab/cdef12"] {
                #expect(SymbolStorePath.file(of: text) == nil)
            }
            #expect(SymbolStorePath.file(of: "abcdef12") == "ab/cdef12.gz")
        }
    }
#endif
