import CrashReport
import Dispatch
import Foundation
import Store
import Synchronization
import Testing
import TestSupport

@Suite("Reports in the store")
struct ReportStoreTests {
    @Test("what was added comes back as it was, also after the store was opened anew", arguments: Backend.allCases)
    func roundTrip(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let report = fixture.report(1)
        #expect(try fixture.store.add(report) == .stored)
        let again = try fixture.location.open()
        for store in [fixture.store, again] {
            let listed = try #require(try store.reports(ReportSelection(limit: 10)).first)
            #expect(listed.key == report.key)
            #expect(listed.facts == report.facts)
            #expect(listed.received == report.received)
            #expect(listed.state == .pending)
            #expect(try store.body(of: report.key) == ReportBody(received: report.gzip, digested: nil))
        }
    }

    @Test("an id that the project has is a duplicate; another project may have the same", arguments: Backend.allCases)
    func duplicates(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        var report = fixture.report(1)
        #expect(try fixture.store.add(report) == .stored)
        report.gzip = [0]
        #expect(try fixture.store.add(report) == .duplicate)
        #expect(try fixture.store.body(of: report.key)?.received != [0])
        let other = try #require(try fixture.store.addProject(name: "other", key: Secret("k").hash, at: .now()))
        report.key.project = other.id
        #expect(try fixture.store.add(report) == .stored)
        #expect(try fixture.store.reports(ReportSelection(limit: 10)).count == 2)
        #expect(try fixture.store.reports(ReportSelection(project: other.id, limit: 10)).map(\.key) == [report.key])
    }

    @Test("a whole report takes the place of one that was cut, once", arguments: Backend.allCases, [0, 1, 2])
    func completed(_ backend: Backend, state: Int) throws {
        let fixture = try Fixture(backend)
        let store = fixture.store
        let whole = fixture.report(1, release: "a@1", minutes: 3)
        var sample = try Report.decode(gzip: whole.gzip).report
        sample.end = nil
        sample.threads = []
        sample.header.release = "a@0"
        let cut = NewReport(project: 1, received: whole.received, report: sample, gzip: sample.encode())
        #expect(cut.facts.isCutShort)
        #expect(try store.add(cut) == .stored)
        #expect(try store.add(cut) == .duplicate)
        let claimed = try store.claimPending(limit: 1, after: 0)
        var digestion = fixture.digestion(cut, fingerprint: "cut")
        digestion.receivedBytes = claimed.first?.gzip.count
        if state == 1 { _ = try store.finish(digestion) }
        if state == 2 { try store.fail(cut.key, reason: "no") }

        #expect(try store.add(whole) == .stored)
        #expect(try store.add(whole) == .duplicate)
        #expect(try store.add(cut) == .duplicate, "not the other way")
        // What came of the one that was cut is not of this one.
        #expect(try store.finish(digestion) == nil)
        let listed = try #require(try store.reports(ReportSelection(limit: 10)).first)
        #expect(listed.facts == whole.facts)
        #expect(listed.state == .pending)
        #expect(try store.body(of: whole.key) == ReportBody(received: whole.gzip, digested: nil))
        // It counts where it was, as what it is now, until it is digested.
        #expect(try store.issues(IssueSelection(limit: 10)).map(\.fingerprint) == (state == 1 ? ["cut"] : []))
        if state == 1 {
            #expect(try store.releases(of: IssueKey(project: 1, number: 1)).map(\.release) == ["a@1"])
        }
        #expect(try store.check() == [])
        #expect(try store.claimPending(limit: 10, after: 0).map(\.gzip) == [whole.gzip])
        var good = fixture.digestion(whole, fingerprint: "whole")
        good.receivedBytes = whole.gzip.count
        let finished = try #require(try store.finish(good))
        #expect(finished.issue.count == 1 && finished.issue.key.number == 1)
        #expect(finished.event == (state == 1 ? nil : .new), "it was told when it was cut")
        #expect(try store.issues(IssueSelection(limit: 10)).map(\.fingerprint) == ["whole"])
        #expect(try store.check() == [])
        #expect(try store.reports(ReportSelection(limit: 10)).count == 1)
    }

    @Test(
        "a report of a project that is not there is refused, and what waited beside it is kept",
        arguments: Backend.allCases
    )
    func unknownProject(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        var stray = fixture.report(1)
        stray.key.project = 99
        #expect(throws: StoreError.self) { try fixture.store.add(stray) }
        #expect(try fixture.store.add(fixture.report(2)) == .stored)
        #expect(try fixture.store.reports(ReportSelection(limit: 10)).count == 1)
    }

    @Test("a key that was replaced keeps nothing from that moment on", arguments: Backend.allCases)
    func replacedKey(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let (old, new) = (Secret("old").hash, Secret("new").hash)
        #expect(try fixture.store.replaceKey(ofProject: fixture.project.id, with: old))
        var first = fixture.report(1)
        first.credential = old
        #expect(try fixture.store.add(first) == .stored)
        #expect(try fixture.store.replaceKey(ofProject: fixture.project.id, with: new))
        // Not even what is there already is answered for.
        #expect(try fixture.store.add(first) == .unauthorized)
        var second = fixture.report(2)
        second.credential = old
        #expect(try fixture.store.add(second) == .unauthorized)
        #expect(try fixture.store.reports(ReportSelection(limit: 10)).map(\.key) == [first.key])
        second.credential = new
        #expect(try fixture.store.add(second) == .stored)
        second.key.project = fixture.project.id + 1
        #expect(try fixture.store.add(second) == .unauthorized, "no project has no key")
    }

    @Test("writes that wait together are each answered for themselves", arguments: Backend.allCases)
    func concurrentAdds(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let reports = (0..<200).map { fixture.report(UInt64($0 % 150)) }
        let outcomes = Mutex<[Addition?]>([])
        DispatchQueue.concurrentPerform(iterations: reports.count) { index in
            var report = reports[index]
            // Every tenth fails, in the midst of the others.
            if index % 10 == 9 { report.key.project = 99 }
            let outcome = try? fixture.store.add(report)
            outcomes.withLock { $0.append(outcome) }
        }
        let all = outcomes.withLock { $0 }
        let kept = Set(reports.indices.filter { $0 % 10 != 9 }.map { reports[$0].key.id })
        #expect(all.count { $0 == nil } == 20)
        #expect(all.count { $0 == .stored } == kept.count)
        #expect(all.count { $0 == .duplicate } == 180 - kept.count)
        #expect(Set(try fixture.store.reports(ReportSelection(limit: 1_000)).map(\.key.id)) == kept)
    }

    @Test("reports are listed newest first, and found by the beginning of their id", arguments: Backend.allCases)
    func selection(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let reports = [(1, 5), (2, 9), (3, 1)].map { fixture.report(UInt64($0.0), minutes: $0.1) }
        for report in reports { _ = try fixture.store.add(report) }
        let listed = try fixture.store.reports(ReportSelection(limit: 2)).map(\.key.id)
        #expect(listed == [reports[1].key.id, reports[0].key.id])
        let prefix = String(reports[2].key.id.prefix(15))
        #expect(try fixture.store.reports(ReportSelection(idPrefix: prefix, limit: 9)).map(\.key) == [reports[2].key])
        for hostile in ["%", "_", "'", "~", "019' OR 1=1 --"] {
            #expect(try fixture.store.reports(ReportSelection(idPrefix: hostile, limit: 9)).isEmpty)
        }
    }

    @Test("a full store refuses, keeps what it had, and takes reports again once there is room")
    func full() throws {
        let fixture = try Fixture(maximumPages: 60)
        var refused: StoreError?
        var kept: [ReportKey] = []
        for seed in 0..<500 {
            do throws(StoreError) {
                let report = fixture.report(UInt64(seed))
                _ = try fixture.store.add(report)
                kept.append(report.key)
            } catch {
                refused = error
                break
            }
        }
        guard case .full? = refused else {
            Issue.record("expected the store to be full, got \(String(describing: refused))")
            return
        }
        #expect(!kept.isEmpty)
        #expect(Set(try fixture.store.reports(ReportSelection(limit: 1_000)).map(\.key)) == Set(kept))
        // Another process has no such limit: to it the disk has room again.
        let roomy = try fixture.location.open()
        #expect(try roomy.add(fixture.report(1_000)) == .stored)
    }

    @Test("a database that was removed or moved takes nothing: it would be lost; put back, it goes on")
    func removed() throws {
        let fixture = try Fixture()
        let (first, second) = (fixture.report(1), fixture.report(2))
        _ = try fixture.store.add(first)
        let elsewhere = "\(fixture.temporary.path)/elsewhere"
        try FileManager.default.moveItem(atPath: fixture.directory.path, toPath: elsewhere)
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try fixture.store.add(second) }
            #expect("\(try #require(error))".contains("removed or moved while in use; put it back"))
            #expect(throws: StoreError.self) { try fixture.store.digestCounts(ofProject: nil) }
        }
        try FileManager.default.moveItem(atPath: elsewhere, toPath: fixture.directory.path)
        #expect(try fixture.store.add(second) == .stored)
        #expect(try fixture.store.reports(ReportSelection(limit: 9)).count == 2)
        try FileManager.default.removeItem(atPath: fixture.directory.path)
        #expect(throws: StoreError.self) { try fixture.store.add(fixture.report(3)) }
    }

    @Test("lists hold no text of a megabyte, and the report holds it whole", arguments: Backend.allCases)
    func hugeTexts(_ backend: Backend) throws {
        let fixture = try Fixture(backend)
        let huge = String(repeating: "e\u{301}", count: 20_000)
        var report = SampleReport().report()
        report.header.kind = ReportKind(huge)
        report.header.service = huge
        report.header.release = huge
        report.header.environment = huge
        report.header.host?.name = huge
        report.crash?.signal.name = huge
        let new = NewReport(project: fixture.project.id, received: .now(), report: report, gzip: report.encode())
        _ = try fixture.store.add(new)
        var digestion = fixture.digestion(new, title: huge)
        digestion = Digestion(key: new.key, fingerprint: "f", title: huge, culprit: huge, gzip: digestion.gzip)
        let issue = try #require(try fixture.store.finish(digestion)).issue
        let facts = try #require(try fixture.store.reports(ReportSelection(limit: 1)).first).facts
        let release = try #require(try fixture.store.releases(of: issue.key).first).release
        for text in [
            facts.kind, facts.service, facts.release, facts.environment, facts.host, facts.signal, issue.kind,
            issue.title, issue.culprit, release,
        ] {
            #expect(text?.unicodeScalars.count == 500)
            #expect(text?.hasSuffix("…") == true)
        }
        let body = try #require(try fixture.store.body(of: new.key))
        #expect(try Report.decode(gzip: body.received).report.header.release == huge)
    }

    @Test("a clock that is ahead does not make a report newer than its arrival")
    func clockAhead() throws {
        let fixture = try Fixture()
        var report = SampleReport().report()
        report.header.time = "2990-01-01T00:00:00Z"
        let received = Timestamp.now()
        let new = NewReport(project: fixture.project.id, received: received, report: report, gzip: [])
        #expect(new.facts.time == received)
    }
}
