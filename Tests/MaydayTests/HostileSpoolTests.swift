import CrashReport
import Foundation
import MaydayTestKit
import TestSupport
import Testing

@testable import Mayday

/// A spool in which somebody, or a broken disk, left what does not belong there: it holds up nothing.
@Suite(.patience) struct HostileSpoolTests {
    /// What may have the name of one of our files.
    private static let things = ["fifo", "link", "dangling link", "directory", "full directory", "terabyte"]

    private func make(_ thing: String, _ path: String) throws {
        switch thing {
        case "fifo": try #require(mkfifo(path, 0o600) == 0)
        case "link": try #require(symlink("/etc/passwd", path) == 0)
        case "dangling link": try #require(symlink("nowhere", path) == 0)
        case "directory": try #require(mkdir(path, 0o700) == 0)
        case "full directory":
            try #require(mkdir(path, 0o700) == 0)
            try Data().write(to: URL(fileURLWithPath: "\(path)/file"))
        default:
            try Data("begun\n".utf8).write(to: URL(fileURLWithPath: path))
            try #require(truncate(path, 1 << 40) == 0)
        }
    }

    private func deliver(_ spool: TestSpool, to uploaders: any ReportUploader...) async -> Bool {
        await Delivery(uploaders: uploaders, path: spool.path).deliverAllNow(limit: Patience.wait)
    }

    @Test(arguments: things) func `something in the place of a report is left alone, the others go`(
        thing: String
    ) async throws {
        let spool = try TestSpool()
        let ids = try (1...3).map { try spool.add(seed: $0) }
        try make(thing, "\(spool.path)/\(TestSpool.report(seed: 0).header.id).jsonl.gz")
        try make(thing, "\(spool.path)/\(TestSpool.report(seed: 9).header.id).jsonl.gz.part")
        for name in ["\(ids[0]).jsonl.gz\n", "a\nb.jsonl.gz", "\(ids[0]).\n.delivery", "\u{1b}[31m.part"] {
            try spool.write([1], to: name)
        }
        let uploader = InMemoryUploader()
        _ = await deliver(spool, to: uploader)
        #expect(uploader.delivered.map(\.id) == ids)
        #expect(try Data(contentsOf: URL(fileURLWithPath: "/etc/passwd")).isEmpty == false)
    }

    @Test(arguments: things.filter { $0 != "full directory" })
    func `something in the place of what an uploader wrote down is replaced`(thing: String) async throws {
        let spool = try TestSpool()
        let ids = try (1...3).map { try spool.add(seed: $0) }
        let first = InMemoryUploader(name: "first")
        let second = InMemoryUploader(name: "second") { $0.id == ids[1] ? .rejected(reason: "no") : nil }
        for name in ["\(ids[0]).first.delivery", "\(ids[1]).second.delivery", "first.pause", "second.discarded"] {
            try make(thing, "\(spool.path)/\(name)")
        }
        try FileManager.default.createDirectory(atPath: "\(spool.path)/rejected", withIntermediateDirectories: false)
        try make(thing, "\(spool.path)/rejected/\(ids[1]).txt")
        #expect(await deliver(spool, to: first, second))
        #expect(first.delivered.map(\.id).sorted() == ids)
        #expect(second.delivered.map(\.id).sorted() == [ids[0], ids[2]])
        #expect(spool.reports() == [])
        #expect(spool.text("rejected/\(ids[1]).txt") == "second: no\n")
        let busy = InMemoryUploader(name: "first") { _ in .retry(after: .seconds(7_200), reason: "busy") }
        try spool.add(seed: 4)
        #expect(await !deliver(spool, to: busy))
        let until = try #require(Timestamp(String(spool.text("first.pause").prefix { $0 != "\n" })))
        #expect(until - .now() > .seconds(3_600))
    }

    @Test(arguments: things) func `where nothing can be set aside, the others go`(thing: String) async throws {
        let spool = try TestSpool()
        let ids = try (1...3).map { try spool.add(seed: $0) }
        try spool.write([], to: "\(ids[0]).jsonl.gz")
        if !thing.hasSuffix("directory") { try make(thing, "\(spool.path)/rejected") }
        let uploader = InMemoryUploader()
        for _ in 1...2 { _ = await deliver(spool, to: uploader) }
        #expect(uploader.delivered.map(\.id) == Array(ids.dropFirst()))
    }
}
