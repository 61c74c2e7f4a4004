import CrashReport
import Foundation
import MaydayTestKit
import TestSupport
import Testing

@testable import Mayday

@Suite struct SpoolLimitsTests {
    /// Files of one kilobyte, one a second, as `TestSpool.report(seed:)` dates them.
    private func files(_ seeds: ClosedRange<UInt64>) -> [StoredFile] {
        seeds.map {
            StoredFile(entry: SpoolEntry(id: TestSpool.report(seed: $0).header.id, isPart: false), size: 1_024)
        }
    }

    private func time(seed: UInt64) -> Timestamp {
        ReportID.time(of: TestSpool.report(seed: seed).header.id) ?? Timestamp(microseconds: 0)
    }

    @Test func `the oldest go first, by count, by bytes and by age`() {
        let files = files(1...9)
        let now = time(seed: 10)
        #expect(SpoolLimits().excess(files, now: now) == [])
        #expect(SpoolLimits(reports: 7).excess(files, now: now) == Array(files[..<2]))
        #expect(SpoolLimits(bytes: 4_096).excess(files, now: now) == Array(files[..<5]))
        #expect(SpoolLimits(bytes: 4_095).excess(files, now: now) == Array(files[..<6]))
        #expect(SpoolLimits(age: .milliseconds(4_500)).excess(files, now: now) == Array(files[..<5]))
        #expect(SpoolLimits(reports: 0).excess(files, now: now) == files)
        #expect(SpoolLimits(reports: -1).excess(files, now: now) == files)
        #expect(SpoolLimits().excess([], now: now) == [])
    }

    @Test func `a report of the future is not old`() {
        #expect(SpoolLimits(age: .zero).excess(files(5...6), now: time(seed: 1)) == [])
    }

    @Test func `a service keeps the limits before it delivers, in what was set aside too`() async throws {
        let spool = try TestSpool()
        let ids = try (1...5).map { try spool.add(seed: $0) }
        // The ids are of the year 2026; no limit by age here.
        let limits = SpoolLimits(reports: 3, age: .seconds(1_000_000_000))
        let uploader = InMemoryUploader { _ in .rejected(reason: "no") }
        #expect(
            await Delivery(uploaders: [uploader], path: spool.path, limits: limits).deliverAllNow(limit: .seconds(20))
        )
        #expect(uploader.attempts.map(\.id) == Array(ids[2...]))
        let one = SpoolLimits(reports: 1, age: .seconds(1_000_000_000))
        #expect(await Delivery(uploaders: [uploader], path: spool.path, limits: one).deliverAllNow(limit: .seconds(20)))
        #expect(spool.files("rejected") == ["\(ids[4]).jsonl.gz", "\(ids[4]).txt"])
    }
}
