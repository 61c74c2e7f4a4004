import CrashReport
import Testing
import TestSupport

@testable import Store

/// What is listed and counted when not all is meant, on each engine.
@Suite struct FilterTests {
    /// Three issues: `a` twice and `b` once of release 1.4.2, `c` once of 1.5.0, an hour apart each.
    private func filled(_ backend: Backend) throws -> (fixture: Fixture, times: [Timestamp]) {
        let fixture = try Fixture(backend)
        var times: [Timestamp] = []
        for (seed, fingerprint) in ["a", "a", "b", "c"].enumerated() {
            let release = seed == 3 ? "checkout@1.5.0" : "checkout@1.4.2"
            var report = fixture.report(UInt64(seed + 1), release: release, minutes: Int64(seed) * 60)
            report.facts.environment = seed == 2 ? "staging" : "production"
            report.facts.signal = seed == 3 ? "SIGSEGV" : "SIGILL"
            report.facts.host = "web-\(seed % 2)"
            #expect(try fixture.store.add(report) == .stored)
            var digestion = fixture.digestion(report, fingerprint: fingerprint, title: "100% of \(fingerprint)_X")
            digestion.tags = ["region": "eu-\(seed)", "x": "y=z\u{1f}"]
            _ = try fixture.store.finish(digestion)
            times.append(report.facts.time)
        }
        return (fixture, times)
    }

    private func filter(_ change: (inout ReportFilter) -> Void) -> ReportFilter {
        var filter = ReportFilter()
        change(&filter)
        return filter
    }

    @Test("issues and reports by everything that a report says of itself", arguments: Backend.allCases)
    func filters(_ backend: Backend) throws {
        let (fixture, times) = try filled(backend)
        let cases: [(ReportFilter, issues: [Int], reports: Int)] = [
            (ReportFilter(), [3, 2, 1], 4),
            (filter { $0.release = "checkout@1.4.2" }, [2, 1], 3),
            (filter { $0.release = "checkout@1.4" }, [], 0),
            (filter { $0.environment = "staging" }, [2], 1),
            (filter { $0.kind = "crash" }, [3, 2, 1], 4),
            (filter { $0.kind = "error" }, [], 0),
            (filter { $0.signal = "SIGSEGV" }, [3], 1),
            (filter { $0.host = "web-1" }, [3, 1], 2),
            (filter { $0.tag = .init(name: "region", value: "eu-1") }, [1], 1),
            (filter { $0.tag = .init(name: "region", value: "eu-") }, [], 0),
            (filter { $0.tag = .init(name: "x", value: "y=z") }, [3, 2, 1], 4),
            (filter { $0.text = "OF B" }, [2], 1),
            (filter { $0.text = "100% of" }, [3, 2, 1], 4),
            (filter { $0.text = "a_x" }, [1], 2),
            (filter { $0.text = "a%x" }, [], 0),
            (filter { $0.text = "' OR 1=1 --" }, [], 0),
            (filter { $0.since = times[1] }, [3, 2, 1], 3),
            (filter { $0.since = times[2] }, [3, 2], 2),
            (filter { $0.until = times[1] }, [1], 2),
            // One report has to meet all that is known of reports alone.
            (filter { ($0.signal, $0.environment) = ("SIGILL", "staging") }, [2], 1),
            (filter { ($0.signal, $0.environment) = ("SIGSEGV", "staging") }, [], 0),
            (filter { ($0.tag, $0.host) = (.init(name: "region", value: "eu-1"), "web-0") }, [], 0),
        ]
        for (filter, issues, reports) in cases {
            var selection = IssueSelection(project: fixture.project.id, limit: 10)
            selection.filter = filter
            #expect(try fixture.store.issues(selection).map(\.key.number) == issues, "\(filter)")
            var listed = ReportSelection(limit: 10)
            listed.filter = filter
            #expect(try fixture.store.reports(listed).count == reports, "\(filter)")
            #expect(try fixture.store.page(of: listed, after: 0).reports.count == reports, "\(filter)")
        }
    }

    @Test("issues in every order, a page at a time", arguments: Backend.allCases)
    func orders(_ backend: Backend) throws {
        let (fixture, _) = try filled(backend)
        func numbers(_ order: IssueOrder, offset: Int = 0, limit: Int = 10) throws -> [Int] {
            var selection = IssueSelection(limit: limit)
            (selection.order, selection.offset) = (order, offset)
            return try fixture.store.issues(selection).map(\.key.number)
        }
        #expect(try numbers(.last) == [3, 2, 1])
        #expect(try numbers(.first) == [3, 2, 1])
        #expect(try numbers(.count) == [1, 3, 2])
        #expect(try numbers(.hosts) == [1, 3, 2])
        #expect(try numbers(.count, offset: 1, limit: 1) == [3])
        #expect(try numbers(.count, offset: 3) == [])
    }

    @Test("all reports in pages, each once, also those that come meanwhile", arguments: Backend.allCases)
    func pages(_ backend: Backend) throws {
        let (fixture, _) = try filled(backend)
        var (seen, position) = ([String](), 0)
        while true {
            let page = try fixture.store.page(of: ReportSelection(limit: 2), after: position)
            seen += page.reports.map(\.key.id)
            if seen.count == 2 { _ = try fixture.store.add(fixture.report(9, minutes: -600)) }
            guard let next = page.next else { break }
            position = next
        }
        #expect(seen.count == 5)
        #expect(Set(seen).count == 5)
    }

    @Test("counts by time and by what reports say of themselves", arguments: Backend.allCases)
    func statistics(_ backend: Backend) throws {
        let (fixture, times) = try filled(backend)
        func ask(_ part: StatisticsQuestion.Part, _ change: (inout StatisticsQuestion) -> Void = { _ in }) throws
            -> Statistics
        {
            var question = StatisticsQuestion(filter: ReportFilter(), part: part)
            change(&question)
            return try fixture.store.statistics(question)
        }
        let day = try ask(.time(86_400_000_000 * 365))
        #expect((day.reports, day.issues, day.hosts, day.newIssues) == (4, 3, 2, 3))
        #expect(day.counts.map(\.count).reduce(0, +) == 4)
        let hours = try ask(.time(HourCount.length)) { $0.filter.since = times[1] }
        #expect((hours.reports, hours.newIssues) == (3, 2))
        #expect(hours.counts.map(\.count) == [1, 1, 1])
        #expect(hours.counts.first?.time?.microseconds == times[1].microseconds / HourCount.length * HourCount.length)
        func pairs(_ field: StatisticsQuestion.Field, _ change: (inout StatisticsQuestion) -> Void = { _ in }) throws
            -> [String]
        {
            try ask(.field(field), change).counts.map { "\($0.value ?? "–") \($0.count)" }
        }
        #expect(try pairs(.release) == ["checkout@1.4.2 3", "checkout@1.5.0 1"])
        #expect(try pairs(.release) { $0.limit = 1 } == ["checkout@1.4.2 3"])
        #expect(try pairs(.environment) == ["production 3", "staging 1"])
        #expect(try pairs(.kind) == ["crash 4"])
        #expect(try pairs(.signal) { $0.filter.host = "web-1" } == ["SIGILL 1", "SIGSEGV 1"])
        #expect(try pairs(.host) { $0.issue = IssueKey(project: 1, number: 1) } == ["web-0 1", "web-1 1"])
        #expect(try pairs(.issue).first == "1/1 100% of a_X 2")
        func tags(_ name: String, _ change: (inout StatisticsQuestion) -> Void = { _ in }) throws -> [String] {
            try ask(.tag(name), change).counts.map { "\($0.value ?? "–") \($0.count)" }
        }
        #expect(try tags("region") == ["eu-0 1", "eu-1 1", "eu-2 1", "eu-3 1"])
        #expect(try tags("region") { $0.filter.host = "web-1" } == ["eu-1 1", "eu-3 1"])
        #expect(try tags("x") == ["y=z 4"])
        #expect(try tags("region") { $0.filter.tag = ReportFilter.Tag(name: "region", value: "eu-2") } == ["eu-2 1"])
        // Part of a name, a value, what is in no report, and what SQL or a pattern would take for something else.
        for name in ["regio", "egion", "eu-1", "none", "", "%", "'", "\u{1e}"] {
            #expect(try tags(name) == ["– 4"], "\(name)")
        }
        let kept = try fixture.store.reports(ReportSelection(limit: 9))
        #expect(kept.last?.tags == ["region": "eu-0", "x": "y=z"])
        let page = try fixture.store.page(of: ReportSelection(limit: 2), after: 0)
        #expect(page.reports == kept.suffix(2).reversed() && page.next != nil)
        #expect(
            try ask(.field(.kind)) { $0.project = 7 }
                == Statistics(reports: 0, occurrences: 0, issues: 0, hosts: 0, newIssues: 0, counts: [])
        )
    }
}
