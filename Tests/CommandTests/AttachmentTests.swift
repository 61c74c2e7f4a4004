#if os(Linux)
    import CrashReport
    import Foundation
    import TestSupport
    import Testing

    @Suite("Attachments at the collector")
    struct AttachmentTests {
        @Test("attachments are stored, listed with their sizes, and written out")
        func attachments() async throws {
            let collector = try Collector()
            let serving = try await collector.serve()
            var report = SampleReport.old(1).report()
            let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            report.attachments = [
                AttachedFile(name: "app.log", contentType: "text/plain", path: "/l", data: bytes, wholeSize: 1_000_000),
                AttachedFile(name: "gone", path: "/gone", problem: "No such file or directory"),
            ]
            let key = try await serving.key()
            #expect(try serving.post(report.encode(), key: key).status == 201)
            #expect(await serving.stop().status == .exited(0))
            let show = try await collector.run("show", "1")
            #expect(
                show.output.contains("\nAttachments\n  app.log text/plain 100,000 bytes, the end of 1,000,000\n"),
                "\(show.output)"
            )
            #expect(show.output.contains("\n  gone not attached: No such file or directory\n"))
            let json = try await collector.run("show", "1", "--json")
            #expect(json.output.contains(#""size":100000"#) && !json.output.contains(#""data":"#))
            let file = "\(collector.temporary.path)/out"
            let command = "\(Collector.mayday) show 1 --data \(collector.data) --attachment app.log > \(file)"
            let written = try await ChildProcess.run("/bin/sh", ["-c", command])
            #expect(written.status == .exited(0))
            #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: file))) == bytes)
            let missing = try await collector.run("show", "1", "--attachment", "other")
            #expect(missing.status == .exited(1))
            #expect(missing.errors == "mayday: no attachment other: the report has app.log, gone\n")
            let unread = try await collector.run("show", "1", "--attachment", "gone")
            #expect(unread.status == .exited(1))
            #expect(unread.errors.contains("was not attached: No such file or directory"))
        }
    }
#endif
