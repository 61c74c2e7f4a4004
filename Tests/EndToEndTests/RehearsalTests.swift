import Foundation
import TestSupport
import Testing

/// A rehearsal of a real service, in every build, and what the collector makes of it.
@Suite struct RehearsalTests {
    @Test func rehearsalsArriveAndAreAnIssueOfTheirOwn() async throws {
        let collector = try Collector()
        // One turn for all, as in CheckoutServiceTests.
        let ended = try await Children.turnstile.pass {
            let serving = try await collector.serve()
            let dsn = try await serving.secret("MAYDAY_DSN")
            for build in Build.tested { try await rehearseAndCrash(build, dsn: dsn) }
            return await serving.stop()
        }
        #expect(ended.status == .exited(0), "\(ended)")
        let list = try await collector.run("list", "--json")
        let issues = try JSONDecoder().decode(IssueList.self, from: Data(list.output.utf8)).issues
        let rehearsals = issues.filter { $0.title == "Rehearsal" }
        #expect(rehearsals.map(\.count) == [Build.tested.count], "\(list.output)")
        let others = issues.filter { $0.title != "Rehearsal" }
        #expect(others.map(\.count).reduce(0, +) == Build.tested.count, "\(list.output)")
        let shown = try await collector.run("show", "\(try #require(rehearsals.first).id)")
        #expect(shown.output.contains("Rehearsal: a crash made on purpose by Mayday.rehearse()"), "\(shown.output)")
    }

    private func rehearseAndCrash(_ build: Build, dsn: String) async throws {
        let bug = Bug.allCases[0]
        let home = try TemporaryDirectory()
        let variables = ["MAYDAY_DSN": dsn, "MAYDAY_SELF_CHECK": "rehearse"]
        let service = try await Checkout(build, home: home, variables)
        let line = await service.child.line(containing: "rehearsal: ", in: .errors)
        #expect(line?.contains(" delivered to collector at ") == true, "\(build): \(line ?? "")")
        // It serves as before, and crashes as before.
        #expect(try service.ask("GET", "/healthz").body == "ok\n")
        let crashed = try await service.crash(bug)
        #expect(crashed.status == .signalled(bug.signal), "\(build)")
        #expect(crashed.errors.contains("mayday: Would I get a report? Yes"), "\(build): \(crashed.errors)")
        #expect(Children.reports(in: home.path) == [])
    }
}
