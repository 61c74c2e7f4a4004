import CrashReport
import Foundation
import MaydayTestKit
import TestSupport
import Testing

@testable import Mayday

@Suite struct SpoolLimitsTests {
    /// Files of one kilobyte, one a second, as `TestSpool.report(seed:)` dates them.
    private func files(_ seeds: ClosedRange<UInt64>) -> [WaitingReport] {
        seeds.map { WaitingReport(id: TestSpool.report(seed: $0).header.id, size: 1_024) }
    }

    private func stored(_ files: [WaitingReport]) -> StoredFiles {
        var stored = StoredFiles()
        for file in files { stored.add(file) }
        return stored
    }

    private func time(seed: UInt64) -> Timestamp {
        ReportID.time(of: TestSpool.report(seed: seed).header.id) ?? Timestamp(microseconds: 0)
    }

    @Test func `the oldest go first, by count, by bytes and by age`() {
        let files = files(1...9)
        let now = time(seed: 10)
        #expect(SpoolLimits().excess(stored(files.reversed()), now: now) == [])
        #expect(SpoolLimits(reports: 7).excess(stored(files.reversed()), now: now) == Array(files[..<2]))
        #expect(SpoolLimits(bytes: 4_096).excess(stored(files), now: now) == Array(files[..<5]))
        #expect(SpoolLimits(bytes: 4_095).excess(stored(files), now: now) == Array(files[..<6]))
        #expect(SpoolLimits(age: .milliseconds(4_500)).excess(stored(files), now: now) == Array(files[..<5]))
        #expect(SpoolLimits(reports: 0).excess(stored(files), now: now) == files)
        #expect(SpoolLimits(reports: -1).excess(stored(files), now: now) == files)
        #expect(SpoolLimits().excess(stored([]), now: now) == [])
    }

    @Test func `a report of the future is not old`() {
        #expect(SpoolLimits(age: .zero).excess(stored(files(5...6)), now: time(seed: 1)) == [])
    }

    @Test func `what is above the limits goes, however much it is`() throws {
        let test = try TestSpool()
        let ids = (0..<UInt64(2 * Spool.window + 100)).map { TestSpool.report(seed: $0).header.id }
        for id in ids { try test.write([1], to: "\(id).jsonl.gz") }
        var summary = DeliverySummary()
        tidy(test.path, limits: SpoolLimits(reports: 3, age: .seconds(1e9)), uploaders: [], summary: &summary)
        #expect(summary.removed == ids.count - 3)
        #expect(test.reports() == Array(ids.suffix(3)))
    }

    @Test func `a file that is no report's pushes out no reports`() throws {
        let test = try TestSpool()
        let ids = try (1...3).map { try test.add(seed: $0) }
        try test.write([1], to: "\(ids[2]).jsonl.gz")
        // A terabyte of nothing; a directory and a link that are older than all.
        #expect(truncate("\(test.path)/\(ids[2]).jsonl.gz", 1 << 40) == 0)
        #expect(mkdir("\(test.path)/01000000-0000-7000-8000-000000000000.jsonl.gz", 0o700) == 0)
        #expect(symlink("nowhere", "\(test.path)/01000000-0000-7000-8000-000000000001.jsonl.gz") == 0)
        var summary = DeliverySummary()
        tidy(test.path, limits: SpoolLimits(reports: 2, age: .seconds(1e9)), uploaders: [], summary: &summary)
        #expect(summary.removed == 1)
        #expect(test.reports().suffix(2) == ids.suffix(2) && test.reports().count == 4)
    }

    @Test func `a service keeps the limits before it delivers, in what was set aside too`() async throws {
        let spool = try TestSpool()
        let ids = try (1...5).map { try spool.add(seed: $0) }
        let limits = SpoolLimits(reports: 3, age: .seconds(1_000_000_000))
        let uploader = InMemoryUploader { _ in .rejected(reason: "no") }
        #expect(
            await Delivery(uploaders: [uploader], path: spool.path, limits: limits).deliverAllNow(limit: Patience.wait)
        )
        #expect(uploader.attempts.map(\.id) == Array(ids[2...]))
        let one = SpoolLimits(reports: 1, age: .seconds(1_000_000_000))
        #expect(
            await Delivery(uploaders: [uploader], path: spool.path, limits: one).deliverAllNow(limit: Patience.wait)
        )
        #expect(spool.files("rejected") == ["\(ids[4]).jsonl.gz", "\(ids[4]).txt"])
    }
}
