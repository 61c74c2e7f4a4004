import CrashReport
@testable import Digest
import Grouping
import Dispatch
import Store
@testable import Symbolication
import Synchronization
import Testing
import TestSupport

@Suite("The digest worker")
struct DigestWorkerTests {
    /// A store with reports that wait.
    private struct Fixture {
        let temporary: TemporaryDirectory
        let store: any Store
        let reports: [Report]

        init(_ count: Int) throws {
            temporary = try TemporaryDirectory()
            store = try DataDirectory("\(temporary.path)/data").createStore()
            _ = try store.setUp(project: "p", key: Secret("k").hash, adminToken: Secret("a").hash, at: .now())
            reports = (0..<count).map { SampleReport(seed: UInt64($0)).report() }
            for report in reports { try add(report) }
        }

        func add(_ report: Report, gzip: [UInt8]? = nil) throws {
            let new = NewReport(project: 1, received: .now(), report: report, gzip: gzip ?? report.encode())
            #expect(try store.add(new) == .stored)
        }

        var states: [DigestState] {
            get throws { try store.reports(ReportSelection(limit: 1_000)).map(\.state) }
        }
    }

    /// What was logged, and what was digested.
    private final class Record: Sendable {
        let lines = Mutex<[String]>([])
        let digested = Mutex<[String]>([])

        func digest(_ pending: PendingReport, _: PendingReport? = nil) throws -> DigestOutcome {
            let decoded = try Report.decode(gzip: pending.gzip)
            digested.withLock { $0.append(decoded.report.header.id) }
            return DigestOutcome(Self.digested(decoded.report), of: decoded)
        }

        private static func digested(_ original: Report) -> DigestedReport {
            var report = original
            report.crash?.message = "digested"
            return DigestedReport(
                report: report,
                fingerprint: "f",
                explanation: ["kind: x"],
                title: "t",
                culprit: nil,
                notes: [ImageNote(image: 0, path: "/srv/x", buildID: "ab", reason: .stripped)]
            )
        }
    }

    private struct Refused: Error {}

    @Test("what waited from earlier is digested in order; what comes later wakes it")
    func drains() throws {
        let fixture = try Fixture(40)
        let record = Record()
        let worker = DigestWorker(store: fixture.store, log: { _ in }) { record.digest }
        worker.start()
        let late = SampleReport(seed: 1_000).report()
        try fixture.add(late)
        worker.wake()
        worker.stop(within: Patience.wait)
        #expect(record.digested.withLock { $0 } == (fixture.reports + [late]).map(\.header.id))
        #expect(worker.done == 41)
        #expect(try fixture.store.issues(IssueSelection(limit: 2)).map(\.count) == [41])
        let body = try #require(try fixture.store.body(of: ReportKey(project: 1, id: late.header.id)))
        #expect(try body.open().report.crash?.message == "digested")
    }

    @Test("what the reading and the digestion say is kept with the digest")
    func remarks() throws {
        let fixture = try Fixture(0)
        var cut = SampleReport().report()
        cut.end = nil
        try fixture.add(cut, gzip: cut.encode().dropLast(9))
        let worker = DigestWorker(store: fixture.store, log: { _ in }) { Record().digest }
        worker.start()
        worker.stop(within: Patience.wait)
        let body = try #require(try fixture.store.body(of: ReportKey(project: 1, id: cut.header.id)))
        #expect(body.remarks.warnings.first == "The file was cut short.")
        #expect(body.remarks.grouping == ["kind: x"])
        let text = "/srv/x: stripped; give its debug file, build id ab, to `mayday symbols add`"
        #expect(body.remarks.images == [.init(index: 0, text: text)])
    }

    @Test("a report that fails, and one whose bytes are damaged, hold nobody up; both are tried at the next starts")
    func failures() throws {
        let fixture = try Fixture(3)
        try fixture.add(SampleReport(seed: 50).report(), gzip: [1, 2, 3])
        let bad = fixture.reports[1].header.id
        let starts = DigestWorker.maximumAttempts
        for start in 1...(starts + 1) {
            let record = Record()
            let worker = DigestWorker(store: fixture.store, log: { line in record.lines.withLock { $0.append(line) } })
            {
                { report, _ throws in
                    if report.key.id == bad { throw Refused() }
                    return try record.digest(report)
                }
            }
            worker.start()
            worker.stop(within: Patience.wait)
            #expect(worker.done == (start == 1 ? 2 : 0))
            #expect(worker.failed == (start <= starts ? 2 : 0))
            let lines = record.lines.withLock { $0 }
            #expect(lines.count { $0.contains(" is in issue ") } == worker.done)
            #expect(lines.count == worker.done + worker.failed)
        }
        #expect(try fixture.store.digestCounts() == DigestCounts(pending: 0, failed: 2))
        #expect(try fixture.states.contains(.failed(reason: "\(Refused())")))
    }

    @Test("a stop in the midst leaves the rest as if it had not been claimed")
    func stops() throws {
        let fixture = try Fixture(10)
        let record = Record()
        let (began, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let worker = DigestWorker(store: fixture.store, log: { _ in }) {
            { report, _ in
                began.signal()
                go.wait()
                return try record.digest(report)
            }
        }
        worker.start()
        began.wait()
        // The time of the stop is over before the first digestion is.
        worker.stop(within: .zero)
        go.signal()
        // It was told to stop before; this only waits for its end.
        worker.stop(within: Patience.wait)
        #expect(record.digested.withLock { $0 } == [fixture.reports[0].header.id])
        let rest = try fixture.store.claimPending(limit: 100, after: 0)
        #expect(rest.map(\.key.id) == fixture.reports.dropFirst().map(\.header.id))
        #expect(rest.allSatisfy { $0.attempts == 1 })
    }
}
