import CrashReport
import Foundation
import MaydayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Mayday

/// The optional parts of `ReportUploader`.
@Suite(.patience) struct UploaderTests {
    /// An uploader that has opinions, and writes down what is called.
    private final class Choosy: ReportUploader {
        let name = "choosy"
        let largestReport: Int?
        let kinds: Set<ReportKind>
        private let state = Mutex((calls: [String](), failures: 0))

        init(largestReport: Int? = nil, kinds: Set<ReportKind> = [.crash, .error], failures: Int = 0) {
            self.largestReport = largestReport
            self.kinds = kinds
            state.withLock { $0.failures = failures }
        }

        var calls: [String] { state.withLock { $0.calls } }

        func accepts(_ kind: ReportKind) -> Bool { kinds.contains(kind) }

        func prepare(deadline: ContinuousClock.Instant) async throws(UploadError) {
            let fails = state.withLock { state in
                state.calls.append("prepare")
                state.failures -= 1
                return state.failures >= 0
            }
            if fails { throw .retry(after: nil, reason: "not ready") }
        }

        func upload(_ report: SpooledReport) async throws(UploadError) {
            let decoded = try? Report.decode(gzip: report.gzip).report
            state.withLock { $0.calls.append("upload \(decoded?.attachments.count { $0.data != nil } ?? -1)") }
        }

        func shutdown() async { state.withLock { $0.calls.append("shutdown") } }
    }

    private func round(_ lane: Lane, _ spool: TestSpool) async -> DeliverySummary {
        await lane.round(in: spool.path, limit: Patience.wait, urgent: true)
    }

    @Test func `it is made ready once, before its first upload, and again after a shutdown`() async throws {
        let spool = try TestSpool()
        let uploader = Choosy(failures: 1)
        let lane = Lane.lanes(of: [uploader])[0]
        try spool.add(seed: 1)
        #expect(await round(lane, spool).kept == "choosy: not ready")
        try spool.add(seed: 2)
        #expect(await round(lane, spool).delivered == 2)
        await lane.shutdown(deadline: .now + Patience.wait)
        try spool.add(seed: 3)
        #expect(await round(lane, spool).delivered == 1)
        #expect(uploader.calls == ["prepare", "prepare", "upload 0", "upload 0", "shutdown", "prepare", "upload 0"])
    }

    @Test func `nothing is made ready where nothing is delivered`() async throws {
        let uploader = Choosy()
        #expect(await round(Lane.lanes(of: [uploader])[0], try TestSpool()).isDone)
        #expect(uploader.calls == [])
    }

    @Test func `a kind that it does not take is not sent, and out of the spool`() async throws {
        let spool = try TestSpool()
        try spool.add(seed: 1)
        let uploader = Choosy(kinds: [.error])
        #expect(await round(Lane.lanes(of: [uploader])[0], spool).isDone)
        #expect(uploader.calls == [] && spool.files() == [])
    }

    @Test func `a report above its limit goes without attachments, or is set aside`() async throws {
        let spool = try TestSpool()
        var random = SeededGenerator(seed: 1)
        var report = TestSpool.report(seed: 1)
        let plain = report.encode().count
        report.attachments = [
            AttachedFile(name: "log", data: (0..<9_000).map { _ in .random(in: 0...255, using: &random) })
        ]
        try spool.write(report.encode(), to: "\(report.header.id).jsonl.gz")
        let uploader = Choosy(largestReport: plain + 2_000)
        #expect(await round(Lane.lanes(of: [uploader])[0], spool).delivered == 1)
        #expect(uploader.calls.last == "upload 0")
        try spool.write(report.encode(), to: "\(report.header.id).jsonl.gz")
        let strict = Choosy(largestReport: plain / 2)
        let summary = await round(Lane.lanes(of: [strict])[0], spool)
        #expect(summary.rejected.first?.hasSuffix("bytes, and the backend takes \(plain / 2)") == true, "\(summary)")
        #expect(strict.calls == [] && spool.files().contains("rejected"))
    }

    @Test func `only name and upload have to be written`() async throws {
        struct Least: ReportUploader {
            let name = "least"
            func upload(_ report: SpooledReport) async throws(UploadError) {}
        }
        let least = Least()
        #expect(least.destination == "least" && least.largestReport == nil && least.accepts(.message))
        #expect(try await !least.probe(deadline: .now) && least.selfCheck().isEmpty)
        try await least.prepare(deadline: .now)
        await least.shutdown()
    }
}

/// What a service group asks of its services, as swift-service-lifecycle has it.
private protocol Service: Sendable {
    func run() async throws
}

extension MaydayService: Service {}

@Suite(.patience) struct MaydayServiceTests {
    /// Runs services until the first returns, and then cancels the others, as a group does at the end of one of them.
    private func run(_ services: [any Service]) async throws {
        try await withThrowingTaskGroup { group in
            for service in services { group.addTask { try await service.run() } }
            try await group.next()
            group.cancelAll()
        }
    }

    private struct Server: Service {
        func run() async throws {}
    }

    private struct Failing: Service {
        struct Failure: Error {}
        func run() async throws { throw Failure() }
    }

    @Test func `it is a service of a group, runs until the group ends, and holds up nobody`() async throws {
        try await run([MaydayService(), Server()])
        await #expect(throws: Failing.Failure.self) { try await run([MaydayService(), Failing()]) }
    }
}
