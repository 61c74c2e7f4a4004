import CrashReport
import Testing
import TestSupport

@testable import Store

/// A store with one project, in a directory of its own.
struct Fixture {
    let temporary: TemporaryDirectory
    let directory: DataDirectory
    let store: any Store
    let project: Project
    let key = Secret.random()

    init(maximumPages: Int? = nil) throws {
        temporary = try TemporaryDirectory()
        directory = DataDirectory("\(temporary.path)/data")
        store = try directory.createStore(maximumPages: maximumPages)
        project = try #require(
            try store.setUp(project: "default", key: key.hash, adminToken: Secret("admin").hash, at: .now())
        )
    }

    /// A report that differs by its seed.
    func report(_ seed: UInt64, release: String? = "checkout@1.4.2", minutes: Int64 = 0) -> NewReport {
        var sample = SampleReport(seed: seed, release: release)
        sample.time.microseconds += minutes * 60_000_000
        let received = Timestamp(microseconds: sample.time.microseconds + 1_000_000)
        let report = sample.report()
        return NewReport(project: project.id, received: received, report: report, gzip: report.encode())
    }

    /// What a digest makes of a report.
    func digestion(_ report: NewReport, fingerprint: String = "f", title: String = "title") -> Digestion {
        Digestion(key: report.key, fingerprint: fingerprint, title: title, culprit: "culprit", gzip: [1, 2, 3])
    }
}
