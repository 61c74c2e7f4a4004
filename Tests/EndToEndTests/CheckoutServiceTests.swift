import Foundation
import TestSupport
import Testing

/// The whole road: a service crashed over HTTP, delivered by its reporter, stored, digested, listed and shown.
@Suite struct CheckoutServiceTests {
    @Test(arguments: Build.tested)
    func answersCustomers(_ build: Build) async throws {
        let home = try TemporaryDirectory()
        let service = try await Checkout(build, home: home, ["MAYDAY_DELIVERY_DEADLINE": "0"])
        #expect(try service.ask("GET", "/healthz").body == "ok\n")
        let cart = #"{"items": [{"sku": "tea", "quantity": 2}], "coupon": "TEA-10-2099"}"#
        #expect(try service.ask("POST", "/checkout", cart).body == "total 10.62\n")
        #expect(try service.ask("POST", "/checkout", "{").status == 400)
        #expect(try service.ask("GET", "/suggestions/tea?count=2").body == "Tea pot, Heather honey\n")
        #expect(try service.ask("GET", "/bundles/breakfast").body == "22.20\n")
        #expect(try service.ask("GET", "/bundles/lunch").status == 404)
        service.child.kill(SIGTERM)
        #expect(await service.child.outcome().status == .signalled(SIGTERM))
    }

    @Test func `a DSN that is none is an error of one line, and no crash`() async throws {
        let outcome = try await ChildProcess.run(
            BuiltProduct.path("CheckoutService"),
            [],
            environment: ["MAYDAY_DSN": "nowhere"]
        )
        #expect(outcome.status == .exited(2))
        #expect(outcome.errors.hasPrefix("CheckoutService: the DSN in MAYDAY_DSN: "), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    }

    /// One bug is one issue, at most two: an optimised build may have a function inlined into its async caller, which is
    /// no part of the stack otherwise.
    @Test func everyBugIsListedWithItsPlace() async throws {
        let collector = try Collector()
        // One turn for all: between two of them the whole matrix may have its own, and the collector comes to its time limit.
        let ended = try await Children.turnstile.pass {
            let serving = try await collector.serve()
            let dsn = try await serving.secret("MAYDAY_DSN")
            for build in Build.tested {
                for bug in Bug.allCases { try await crash(bug, in: build, dsn: dsn) }
            }
            // It digests what waits before it ends.
            return await serving.stop()
        }
        #expect(ended.status == .exited(0), "\(ended)")

        let list = try await collector.run("list", "--json")
        let issues = try JSONDecoder().decode(IssueList.self, from: Data(list.output.utf8)).issues
        #expect(issues.map(\.count).reduce(0, +) == Bug.allCases.count * Build.tested.count, "nothing is lost")
        for bug in Bug.allCases {
            let found = issues.filter { $0.title.contains(bug.title) }
            #expect((1...2).contains(found.count), "\(bug.title) in \(list.output)")
            #expect(found.map(\.count).reduce(0, +) == Build.tested.count)
            for issue in found {
                #expect(issue.releases.map(\.release) == ["checkout@1.4.2"])
                #expect(try culprits(of: bug).contains(issue.culprit ?? "missing"))
                try await check(shown: collector.run("show", "\(issue.id)"), bug)
            }
        }
    }

    private func culprits(of bug: Bug) throws -> [String] {
        try bug.places().flatMap { place in ["", "specialized "].map { "\($0)\(bug.function) (\(place))" } }
    }

    private func crash(_ bug: Bug, in build: Build, dsn: String) async throws {
        let home = try TemporaryDirectory()
        let outcome = try await Checkout(build, home: home, ["MAYDAY_DSN": dsn]).crash(bug)
        #expect(outcome.status == .signalled(bug.signal), "\(build) \(bug.path)")
        #expect(outcome.errors.contains("delivered"), "\(outcome.errors)")
        #expect(Children.reports(in: home.path) == [], "the collector has it, the spool has not")
    }

    /// What a person reads names the place and where it was called from.
    private func check(shown: ChildProcess.Outcome, _ bug: Bug) throws {
        #expect(shown.status == .exited(0))
        #expect(shown.output.contains(bug.title))
        #expect(try bug.places().contains(where: shown.output.contains))
    }
}

/// What `mayday list --json` says.
struct IssueList: Decodable {
    struct Issue: Decodable {
        struct Release: Decodable {
            var release: String?
            var count: Int
        }

        var id: Int
        var title: String
        var culprit: String?
        var count: Int
        var releases: [Release]
    }

    var issues: [Issue]
}
