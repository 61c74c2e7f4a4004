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
        let events = Mutex<[IssueEvent?]>([])

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

    @Test("what is more urgent all the time holds up each report, and none for ever")
    func givesWay() throws {
        let fixture = try Fixture(5)
        let record = Record()
        let asked = Mutex(0)
        let worker = DigestWorker(
            store: fixture.store,
            log: { _ in },
            mustWait: {
                asked.withLock { $0 += 1 }
                return true
            },
            makeDigest: { record.digest }
        )
        worker.start()
        worker.stop(within: Patience.wait)
        #expect(record.digested.withLock { $0 } == fixture.reports.map(\.header.id))
        #expect(asked.withLock { $0 } == 5 * 4)
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
        #expect(try fixture.store.digestCounts(ofProject: nil) == DigestCounts(pending: 0, failed: 2))
        #expect(try fixture.states.contains(.failed(reason: "\(Refused())")))
    }

    @Test("issues of older rules go on as what their newest reports are, before anything new is grouped")
    func rules() throws {
        let fixture = try Fixture(2)
        // As an older version wrote them: whole reports, two issues.
        for (number, report) in fixture.reports.enumerated() {
            let key = ReportKey(project: 1, id: report.header.id)
            let fingerprint = "old \(number)"
            _ = try fixture.store.finish([
                Digestion(key: key, fingerprint: fingerprint, title: "t", culprit: nil, gzip: report.encode())
            ])
        }
        let issue = IssueKey(project: 1, number: 1)
        _ = try fixture.store.decide(.mute(until: nil, more: nil), on: issue, at: .now())
        try fixture.add(SampleReport(seed: 9).report())
        let record = Record()
        let second = fixture.reports[1]
        func start(_ group: @escaping @Sendable (Report) throws -> DigestOutcome) {
            let worker = DigestWorker(
                store: fixture.store,
                log: { line in record.lines.withLock { $0.append(line) } },
                onEvent: { written, _ in record.events.withLock { $0.append(written.event) } },
                makeGroup: { group },
                makeDigest: { record.digest }
            )
            worker.start()
            worker.stop(within: .seconds(60))
        }
        start { report in
            if report == second { throw Refused() }
            return DigestOutcome(
                DigestedReport(report: report, fingerprint: "f", title: "t"),
                of: DecodedReport(report: report, isComplete: true)
            )
        }
        // The first has the key of the new report, which makes no other issue; the second is left for the next start.
        func issues() throws -> [String] {
            try fixture.store.issues(IssueSelection(limit: 9)).sorted { $0.key.number < $1.key.number }.map {
                "\($0.key.number) \($0.fingerprint) \($0.count) \($0.status == .open ? "open" : "muted")"
            }
        }
        #expect(try issues() == ["1 f 2 muted", "2 old 1 1 open"])
        #expect(record.events.withLock { $0 }.isEmpty)
        start { report in
            DigestOutcome(
                DigestedReport(report: report, fingerprint: "f", title: "t"),
                of: DecodedReport(report: report, isComplete: true)
            )
        }
        #expect(try issues() == ["1 f 3 open"])
        let lines = record.lines.withLock { $0.filter { $0.hasPrefix("grouping: ") } }
        #expect(lines.count == 4 && lines[0].hasSuffix("project 1: \(Refused())"))
        #expect(lines[2] == "grouping: issue 2 of project 1 is part of issue 1 now")
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
