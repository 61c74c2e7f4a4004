import CrashReport
import Store
import Testing
import TestSupport

@testable import Ingest

@Suite("Limits of projects")
struct RateLimitTests {
    private let start = ContinuousClock.now

    @Test("so many at once, then one after the other; no more than that gather")
    func bucket() {
        var bucket = TokenBucket(3, each: .seconds(60), at: start)
        for _ in 0..<3 {
            #expect(bucket.wait(at: start) == nil)
            bucket.take()
        }
        #expect(bucket.wait(at: start) == .seconds(20))
        #expect(bucket.wait(at: start + .seconds(15)) == .seconds(5))
        #expect(bucket.wait(at: start + .seconds(20)) == nil)
        bucket.take()
        #expect(bucket.wait(at: start + .seconds(3_600)) == nil)
        for _ in 0..<3 { bucket.take() }
        #expect(bucket.wait(at: start + .seconds(3_600)) == .seconds(20))
        // A clock that stands still, or is asked late, gives nothing twice.
        #expect(bucket.wait(at: start) == .seconds(20))
    }

    @Test("the stricter limit holds, what was refused does not count, and projects do not share")
    func limiter() {
        let limiter = RateLimiter()
        let limits = IngestLimits(perMinute: 2, perDay: 3)
        #expect(limiter.take(1, limits, at: start) == nil)
        #expect(limiter.take(1, limits, at: start) == nil)
        #expect(limiter.take(1, limits, at: start) == .seconds(30))
        #expect(limiter.take(2, limits, at: start) == nil)
        #expect(limiter.take(3, IngestLimits(), at: start) == nil)
        #expect(limiter.take(1, limits, at: start + .seconds(60)) == nil)
        let wait = limiter.take(1, limits, at: start + .seconds(120))
        #expect(
            wait.map { $0 > .seconds(20_000) && $0 < .seconds(28_800) } == true,
            "a third of a day, from the first on"
        )
        #expect(limiter.take(1, IngestLimits(perMinute: 5), at: start + .seconds(121)) == nil)
    }

    @Test("above its limit a project is told 429 and when to come back; others and what was kept are untouched")
    func answers() throws {
        let server = try TestServer()
        let key = Secret.random()
        let other = try #require(try server.store.addProject(name: "other", key: key.hash, at: .now()))
        #expect(try server.store.setLimits(IngestLimits(perMinute: 2), ofProject: 1))
        #expect(try !server.store.setLimits(IngestLimits(), ofProject: 9))
        for seed in 1...2 as ClosedRange<UInt64> {
            #expect(try server.post(SampleReport(seed: seed).gzip()).status == 201)
        }
        let refused = try server.post(SampleReport(seed: 3).gzip())
        #expect(refused.status == 429)
        #expect(refused.headers["retry-after"].flatMap { Int($0) }.map { (1...31).contains($0) } == true)
        #expect(refused.body.contains("project 1 may send 2 reports a minute: keep the report and send it again in"))
        let wrongKey = try server.post(SampleReport(seed: 3).gzip(), ["Authorization": "Bearer x"])
        #expect(wrongKey.status == 401, "who has no key cannot use up what others may send")
        let free = try server.post(
            SampleReport(seed: 4).gzip(),
            ["Authorization": "Bearer \(key.text)"],
            path: "/api/\(other.id)/reports"
        )
        #expect(free.status == 201)
        #expect(try server.count == 3)
        let metrics = try server.connect().request("GET", "/metrics").body
        #expect(metrics.contains("mayday_reports_total{result=\"limited\"} 1\n"))
        #expect(metrics.contains("mayday_reports_total{result=\"refused\"} 1\n"))
        #expect(try server.store.setLimits(IngestLimits(), ofProject: 1))
        #expect(try server.post(SampleReport(seed: 3).gzip()).status == 201)
    }
}
