import Foundation
import TestSupport
import Testing

@testable import CrashGallery

/// One crash of the gallery, in one place, in one build.
struct MatrixCase: Sendable, CustomTestStringConvertible {
    let kind: CrashKind
    let stage: Stage
    let build: Build

    var testDescription: String { "\(kind.name) on \(stage.rawValue), \(build.rawValue)" }

    static let all = Build.tested.flatMap { build in
        gallery.filter { $0.inRelease || !build.isOptimised }.flatMap { kind in
            kind.stages.map { MatrixCase(kind: kind, stage: $0, build: build) }
        }
    }
}

/// The whole road of every case, once: a child that crashes, its report delivered by its own reporter to a running
/// `mayday serve`, stored, digested, and read back over HTTP. There is a collector for each build.
actor Matrix {
    /// What became of one case.
    struct Sighting: Sendable {
        /// The same crash without Mayday.
        let bare: ChildProcess.Outcome
        let crash: ChildProcess.Outcome
        /// What either of them left in its spool.
        let spooled: [String]
        /// Id of the report by the status line of the dying process.
        let id: String
        let shown: ShownReport
    }

    /// Set by `Trait`.
    @TaskLocal static var current: Matrix?

    private struct Road {
        let collector: Collector
        let serving: Serving
        let dsn: String
        let token: String
    }

    private let roads: [Build: Road]
    private var sightings: [String: Task<Sighting, any Error>] = [:]

    init() async throws {
        var roads: [Build: Road] = [:]
        for build in Build.tested {
            let collector = try Collector()
            let serving = try await collector.serve()
            roads[build] = Road(
                collector: collector,
                serving: serving,
                dsn: try await serving.secret("MAYDAY_DSN"),
                token: try await serving.secret("MAYDAY_ADMIN_TOKEN")
            )
        }
        self.roads = roads
    }

    /// Crashes it at the first call.
    func sighting(of test: MatrixCase) async throws -> Sighting {
        let road = try #require(roads[test.build])
        if let known = sightings[test.testDescription] { return try await known.value }
        let task = Task { try await Children.turnstile.pass { try await Self.crash(test, road) } }
        sightings[test.testDescription] = task
        return try await task.value
    }

    /// What `mayday show` prints of one, in a pipe.
    func text(of test: MatrixCase) async throws -> String {
        let seen = try await sighting(of: test)
        let outcome = try await #require(roads[test.build]).collector.run("show", seen.id)
        try #require(outcome.status == .exited(0), "\(outcome.errors)")
        return outcome.output
    }

    private static func crash(_ test: MatrixCase, _ road: Road) async throws -> Sighting {
        let home = try TemporaryDirectory()
        var environment = Children.environment(home: home)
        environment["MAYDAY_SPOOL"] = "\(home.path)/spool"
        environment["MAYDAY_DSN"] = road.dsn
        let arguments = [test.kind.name, "--thread", test.stage.rawValue]
        let bare = try await ChildProcess.run(
            test.build.gallery,
            arguments,
            environment: environment.merging(["GALLERY_WITHOUT_MAYDAY": "1"]) { $1 },
            turnstile: nil
        )
        let crash = try await ChildProcess.run(
            test.build.gallery,
            arguments,
            environment: environment,
            turnstile: nil
        )
        let id = try #require(crash.errors.firstMatch(of: #/; report ([0-9a-f-]{36}) /#), "\(crash.errors)").1
        // Without it, nothing would be waited for in vain.
        try #require(crash.errors.contains("report \(id) delivered to collector at 127.0.0.1:"), "\(crash.errors)")
        _ = await road.serving.child.line(containing: "digest: report \(id) ", in: .errors)
        let answer = try HTTPClient(port: road.serving.port).request(
            "GET",
            "/api/1/reports/\(id)",
            headers: ["Authorization": "Bearer \(road.token)"]
        )
        try #require(answer.status == 200, "\(answer.body)")
        return Sighting(
            bare: bare,
            crash: crash,
            spooled: Children.reports(in: home.path),
            id: String(id),
            shown: try JSONDecoder().decode(ShownReport.self, from: Data(answer.body.utf8))
        )
    }

    /// Stops the collectors: each has counted every case of its build, in its list of issues.
    private func finish() async throws {
        for (build, road) in roads {
            #expect(await road.serving.stop().status == .exited(0))
            let list = try await road.collector.run("list", "--json", "--limit", "1000")
            let issues = try JSONDecoder().decode(IssueList.self, from: Data(list.output.utf8)).issues
            let crashed = sightings.keys.count { $0.hasSuffix(", \(build.rawValue)") }
            #expect(issues.map(\.count).reduce(0, +) == crashed, "\(build)")
        }
    }

    /// Gives the tests of a suite one matrix, and ends it after the last of them.
    struct Trait: SuiteTrait, TestScoping {
        func provideScope(
            for test: Test,
            testCase: Test.Case?,
            performing function: @Sendable () async throws -> Void
        ) async throws {
            let matrix = try await Matrix()
            try await Matrix.$current.withValue(matrix) { try await function() }
            try await matrix.finish()
        }
    }
}
