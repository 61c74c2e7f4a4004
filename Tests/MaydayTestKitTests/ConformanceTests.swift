import CrashReport
import Mayday
import MaydayOTLP
import MaydaySentry
import MaydayTestKit
import MaydayWebhook
import Synchronization
import TestSupport
import Testing

/// Our own adapters pass what we ask of others'.
@Suite(.patience) struct AdapterConformanceTests {
    @Test func collector() async throws {
        // Another server's report is none: a collector reads the file, and refuses what is no report.
        try await UploaderConformance.check(
            patience: Patience.wait,
            accepted: { request in
                guard let id = try? Report.decode(gzip: request.body).report.header.id else {
                    return .status(400, body: "{}")
                }
                return .status(201, body: #"{"id":"\#(id)"}"#)
            }
        ) { try CollectorUploader(dsn: "http://KEY@\($0)/1", name: "test") }
    }

    @Test func sentry() async throws {
        try await UploaderConformance.check(patience: Patience.wait) {
            try SentryUploader(dsn: "http://KEY@\($0)/1", name: "test")
        }
    }

    @Test func otlp() async throws {
        try await UploaderConformance.check(patience: Patience.wait) {
            try OTLPUploader(endpoint: "http://\($0)", name: "test")
        }
    }

    @Test func webhook() async throws {
        try await UploaderConformance.check(patience: Patience.wait) {
            try WebhookUploader(url: "http://\($0)/hook", name: "test")
        }
    }

    @Test func directory() async throws {
        let directory = try TemporaryDirectory()
        try await UploaderConformance.check(DirectoryUploader(path: directory.path), patience: Patience.wait)
    }

    @Test func inMemory() async throws {
        try await UploaderConformance.check(InMemoryUploader(), patience: Patience.wait)
    }
}

/// The suite finds what is wrong.
@Suite(.patience) struct ConformanceTests {
    private func problems(_ check: () async throws -> Void) async throws -> [String] {
        do {
            try await check()
            return []
        } catch let failure as UploaderConformanceFailure {
            return failure.problems
        }
    }

    @Test func `an uploader that takes everything for delivered`() async throws {
        let problems = try await problems {
            try await UploaderConformance.check(patience: Patience.wait) { _ in InMemoryUploader() }
        }
        #expect(problems.contains("success: nothing was sent to the server"))
        #expect(problems.contains("refused: wanted UploadError.rejected, and upload returned"))
        #expect(problems.contains("429 with Retry-After: wanted UploadError.retry, and upload returned"))
        #expect(problems.contains("cancellation: wanted UploadError.retry, and upload returned"))
    }

    @Test func `an uploader that tries everything again, without the pause that was asked for`() async throws {
        let problems = try await problems {
            try await UploaderConformance.check(patience: Patience.wait) { _ in
                InMemoryUploader(name: "") { _ in .retry(after: nil, reason: "down") }
            }
        }
        #expect(problems.contains("name: it is empty, and it must be stable and say what this is"))
        #expect(
            problems.contains(
                "success: wanted the report to be delivered, and upload threw not delivered, kept in the spool: down"
            )
        )
        #expect(
            problems.contains(
                "429 with Retry-After: a pause of at least 7.0 seconds was asked for, and the error's is none"
            )
        )
    }

    @Test func `an uploader whose probe never looks, and which is of no use after a shutdown`() async throws {
        final class Blind: ReportUploader {
            let name = "blind"
            let largestReport: Int? = 0
            private let memory = InMemoryUploader(name: "memory")
            private let isDown = Atomic(false)

            func shutdown() async { isDown.store(true, ordering: .relaxed) }
            func probe(deadline: ContinuousClock.Instant) async throws(UploadError) -> Bool { true }
            func upload(_ report: SpooledReport) async throws(UploadError) {
                if isDown.load(ordering: .relaxed) { throw .retry(after: nil, reason: "it was shut down") }
                try await memory.upload(report)
            }
        }
        let problems = try await problems {
            try await UploaderConformance.check(patience: Patience.wait) { _ in Blind() }
        }
        #expect(problems.contains("largestReport: it is not positive, and nothing would be sent"))
        #expect(problems.contains("nobody listens: probe said that the backend is there, or did not return"))
        #expect(problems.contains { $0.hasPrefix("success after shutdown: wanted the report to be delivered, and") })
    }

    @Test func `an uploader that forgets the reports that it has seen`() async throws {
        let seen = InMemoryUploader(name: "seen")
        let picky = InMemoryUploader { report in
            if seen.delivered.contains(where: { $0.id == report.id }) { return .rejected(reason: "again") }
            try? await seen.upload(report)
            return nil
        }
        let problems = try await problems { try await UploaderConformance.check(picky, patience: Patience.wait) }
        #expect(
            problems == ["duplicate: wanted the report to be delivered, and upload threw rejected, set aside: again"]
        )
    }
}
