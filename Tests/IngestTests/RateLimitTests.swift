import CrashReport
import Foundation
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
        #expect(wait == .seconds(3_600), "the next may come in a third of a day, the limit be raised before")
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
        #expect(metrics.contains("mayday_reports_total{result=\"refused\",reason=\"key\"} 1\n"))
        #expect(try server.store.setLimits(IngestLimits(), ofProject: 1))
        #expect(try server.post(SampleReport(seed: 3).gzip()).status == 201)
    }

    @Test("what is alike has half of a limit, and what is refused by that takes nothing of the whole")
    func share() {
        let limiter = RateLimiter()
        let limits = IngestLimits(perMinute: 10)
        func send(_ alike: Int, at now: ContinuousClock.Instant) -> (whole: Duration?, share: Duration?) {
            if let wait = limiter.take(1, limits, at: now) { return (wait, nil) }
            return (nil, limiter.takeShare(1, alike: alike, at: now))
        }
        for _ in 0..<5 { #expect(send(7, at: start) == (nil, nil)) }
        for _ in 0..<20 { #expect(send(7, at: start) == (nil, .seconds(12))) }
        for other in 10..<15 { #expect(send(other, at: start) == (nil, nil)) }
        #expect(send(16, at: start) == (.seconds(6), nil))
        #expect(send(7, at: start + .seconds(12)) == (nil, nil))
        // More kinds than are remembered, each once: none of them is a loop.
        let many = RateLimiter()
        for alike in 0..<3_000 {
            #expect(many.take(1, IngestLimits(perMinute: 100_000), at: start) == nil)
            #expect(many.takeShare(1, alike: alike, at: start) == nil)
        }
        // A limit of few is not shared, and without a limit there are no shares.
        for _ in 0..<9 {
            #expect(limiter.take(2, IngestLimits(perDay: 9), at: start) == nil)
            #expect(limiter.takeShare(2, alike: 7, at: start) == nil)
        }
        #expect(limiter.takeShare(3, alike: 7, at: start) == nil)
    }

    @Test("one error in a loop leaves half of what a project may send to the others, and loses nothing")
    func loop() throws {
        let server = try TestServer()
        #expect(try server.store.setLimits(IngestLimits(perMinute: 10), ofProject: 1))
        func post(_ number: Int, fingerprint: String? = nil) throws -> HTTPClient.Answer {
            // Equal but for the id, the time and where the libraries lie.
            var report = SampleReport().report()
            report.header.id = "0193a7f2-6e1c-7000-8000-\(String(format: "%012x", number))"
            report.header.fingerprint = fingerprint
            for index in report.images.indices { report.images[index].base += UInt64(number) << 24 }
            return try server.post(report.encode())
        }
        for number in 0..<5 { #expect(try post(number).status == 201) }
        let refused = try post(5)
        #expect(refused.status == 429)
        #expect(refused.headers["retry-after"].flatMap { Int($0) }.map { (1...13).contains($0) } == true)
        #expect(refused.body.contains("reports like this one are half of what project 1 may send: keep the report"))
        for number in 10..<15 { #expect(try post(number, fingerprint: "f\(number)").status == 201) }
        #expect(try post(16, fingerprint: "f16").body.contains("project 1 may send 10 reports a minute"))
        #expect(try server.count == 10)
        #expect(
            try server.connect().request("GET", "/metrics").body.contains(
                "mayday_reports_total{result=\"limited\"} 2\n"
            )
        )
        // Nothing of it was kept, so that it can come again.
        #expect(try server.store.setLimits(IngestLimits(), ofProject: 1))
        #expect(try post(5).status == 201)
    }
}
