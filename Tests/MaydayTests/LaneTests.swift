import CrashReport
import Foundation
import MaydayTestKit
import Synchronization
import TestSupport
import Testing

@testable import Mayday

/// Several uploaders on one spool.
@Suite(.patience) struct LaneTests {
    private func ids(_ reports: [SpooledReport]) -> [String] { reports.map(\.id) }

    /// Tries everything once, as a service that was just started does.
    @discardableResult
    private func deliver(_ spool: TestSpool, to uploaders: any ReportUploader...) async -> Bool {
        await Delivery(uploaders: uploaders, path: spool.path).deliverAllNow(limit: Patience.wait)
    }

    private let broken: @Sendable (SpooledReport) async -> UploadError? = { _ in .retry(after: nil, reason: "down") }

    @Test func `a broken backend neither holds up another nor doubles its reports`() async throws {
        let spool = try TestSpool()
        let ids = try (1...3).map { try spool.add(seed: $0) }
        let isDown = Mutex(true)
        let first = InMemoryUploader(name: "first") { _ in
            isDown.withLock { $0 } ? .retry(after: nil, reason: "down") : nil
        }
        let second = InMemoryUploader(name: "second")
        for _ in 1...3 { #expect(await !deliver(spool, to: first, second)) }
        #expect(self.ids(second.delivered) == ids)
        #expect(first.delivered.isEmpty && spool.reports() == ids)
        isDown.withLock { $0 = false }
        #expect(await deliver(spool, to: first, second))
        #expect(self.ids(first.delivered).sorted() == ids)
        #expect(self.ids(second.delivered) == ids)
        #expect(spool.files() == [])
    }

    @Test func `a pause between attempts keeps no one alive`() async throws {
        let spool = try TestSpool()
        try spool.add(seed: 1)
        let (attempted, attempts) = AsyncStream<Void>.makeStream()
        let uploader = InMemoryUploader { _ in
            attempts.yield()
            return .retry(after: .seconds(3_600), reason: "later")
        }
        var delivery: Delivery? = Delivery(uploaders: [uploader], path: spool.path)
        weak let watched = delivery
        await delivery?.deliverInBackground()
        for await _ in attempted { break }
        delivery = nil
        // The round comes to its end; nothing else holds it.
        while watched != nil { await Task.yield() }
        #expect(spool.reports().count == 1)
    }

    @Test func `a backend that hangs holds up no other`() async throws {
        let spool = try TestSpool()
        let ids = try (1...3).map { try spool.add(seed: $0) }
        let (release, releaser) = AsyncStream<Void>.makeStream()
        let hanging = InMemoryUploader(name: "hanging") { _ in
            for await _ in release {}
            return .retry(after: nil, reason: "released")
        }
        let (arrived, arrivals) = AsyncStream<String>.makeStream()
        let healthy = InMemoryUploader(name: "healthy") { report in
            arrivals.yield(report.id)
            return nil
        }
        async let result = deliver(spool, to: hanging, healthy)
        var seen: [String] = []
        for await id in arrived {
            seen.append(id)
            if seen.count == 3 { break }
        }
        #expect(seen == ids)
        releaser.finish()
        #expect(await !result)
    }

    @Test func `a report that one backend always fails on does not hold up the others`() async throws {
        let spool = try TestSpool()
        let ids = try (1...4).map { try spool.add(seed: $0) }
        let uploader = InMemoryUploader { $0.id == ids[0] ? .retry(after: nil, reason: "500") : nil }
        #expect(await !deliver(spool, to: uploader))
        #expect(uploader.delivered.isEmpty)
        #expect(await !deliver(spool, to: uploader))
        #expect(self.ids(uploader.delivered) == Array(ids[1...]))
        #expect(spool.reports() == [ids[0]])
    }

    /// The longest that a file's name can hold with the report's id, longer ones that begin alike, and what is longer when it is escaped.
    @Test func `an uploader may have a name of any length`() async throws {
        let long = String(repeating: "n", count: 200)
        for name in [
            long, long + "a", long + String(repeating: "b", count: 10_000), String(repeating: "ü/", count: 100),
        ] {
            let spool = try TestSpool()
            let id = try spool.add(seed: 1)
            let other = InMemoryUploader(name: "\(name)c", answer: broken)
            #expect(await !deliver(spool, to: InMemoryUploader(name: name), other))
            #expect(spool.files().count == 3 && spool.files().allSatisfy { $0.utf8.count <= 255 })
            let again = InMemoryUploader(name: name)
            let healed = InMemoryUploader(name: "\(name)c")
            #expect(await deliver(spool, to: again, healed))
            #expect(again.attempts.isEmpty && ids(healed.delivered) == [id])
            #expect(spool.files() == [])
        }
    }

    @Test func `what an uploader that was removed waited for is not waited for any more`() async throws {
        let spool = try TestSpool()
        try spool.add(seed: 1)
        let kept = InMemoryUploader(name: "kept")
        await deliver(spool, to: kept, InMemoryUploader(name: "removed", answer: broken))
        #expect(spool.reports().count == 1)
        #expect(await deliver(spool, to: kept))
        #expect(kept.attempts.count == 1)
        // The record of the removed one went with the next round.
        await deliver(spool, to: kept)
        #expect(spool.files() == [])
    }

    @Test func `an uploader that was added gets what still waits`() async throws {
        let spool = try TestSpool()
        let id = try spool.add(seed: 1)
        await deliver(spool, to: InMemoryUploader(name: "old", answer: broken))
        let old = InMemoryUploader(name: "old")
        let added = InMemoryUploader(name: "added")
        #expect(await deliver(spool, to: old, added))
        #expect(ids(old.delivered) == [id] && ids(added.delivered) == [id])
        #expect(spool.files() == [])
    }

    @Test func `a report that one rejects is set aside when the other has it`() async throws {
        let spool = try TestSpool()
        let id = try spool.add(seed: 1)
        let isDown = Mutex(true)
        let strict = InMemoryUploader(name: "strict") { _ in .rejected(reason: "line 3\nis wrong") }
        let other = InMemoryUploader(name: "other") { _ in
            isDown.withLock { $0 } ? .retry(after: nil, reason: "down") : nil
        }
        #expect(await !deliver(spool, to: strict, other))
        #expect(spool.reports() == [id])
        isDown.withLock { $0 = false }
        #expect(await deliver(spool, to: strict, other))
        #expect(strict.attempts.count == 1)
        #expect(ids(other.delivered) == [id])
        #expect(spool.files() == ["rejected", "strict.discarded"])
        #expect(spool.files("rejected") == ["\(id).jsonl.gz", "\(id).txt"])
        #expect(spool.text("rejected/\(id).txt") == #"strict: line 3\nis wrong"# + "\n")
    }

    @Test func `a pause that a backend asked for outlives the process, and is its own`() async throws {
        let spool = try TestSpool()
        let ids = try (1...2).map { try spool.add(seed: $0) }
        let limited = InMemoryUploader(name: "limited") { _ in .retry(after: .seconds(7_200), reason: "slow down") }
        let other = InMemoryUploader(name: "other")
        for _ in 1...3 { #expect(await !deliver(spool, to: limited, other)) }
        #expect(limited.attempts.count == 1)
        #expect(self.ids(other.delivered) == ids)
        let lines = spool.text("limited.pause").split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.dropFirst() == ["limited", ""])
        let until = try #require(Timestamp(String(lines[0])))
        #expect((.seconds(3_600)...Duration.seconds(7_200)).contains(until - .now()))
    }

    @Test func `a pause from a clock that was set back is none`() async throws {
        let spool = try TestSpool()
        try spool.add(seed: 1)
        for text in ["2199-01-01T00:00:00Z", "soon", "", "2020-01-01T00:00:00Z"] {
            try spool.write(Array("\(text)\nmemory\n".utf8), to: "memory.pause")
            let uploader = InMemoryUploader(answer: broken)
            await deliver(spool, to: uploader)
            #expect(uploader.attempts.count == 1, "\(text)")
        }
    }

    @Test func `a pause is that of a backend and a project, and one that names none is over`() async throws {
        let spool = try TestSpool()
        let soon = Timestamp.now().advanced(by: .seconds(600))
        for text in ["\(soon)", "\(soon)\n", "\(soon)\n\n", "\(soon)\nmemory2\n"] {
            try spool.add(seed: 1)
            try spool.write(Array(text.utf8), to: "memory.pause")
            #expect(await deliver(spool, to: InMemoryUploader()), "\(text)")
        }
        let id = try spool.add(seed: 2)
        try spool.write(Array("\(soon)\nmemory\n".utf8), to: "memory.pause")
        #expect(await !deliver(spool, to: InMemoryUploader()))

        let server = try ScriptedServer { request in
            request.path.hasPrefix("/api/1/") ? .status(429, headers: ["Retry-After": "7200"]) : .created(request)
        }
        func uploader(_ project: Int) throws -> CollectorUploader {
            try CollectorUploader(dsn: "http://KEY@127.0.0.1:\(server.port)/\(project)", name: "second")
        }
        for _ in 1...2 { #expect(await !deliver(spool, to: try uploader(1))) }
        #expect(server.requests.map(\.path) == ["/api/1/reports"])
        #expect(await deliver(spool, to: try uploader(2)))
        #expect(server.requests.map(\.path) == ["/api/1/reports", "/api/2/reports"])
        #expect(server.requests.last?.reportID == id)
    }

    @Test func `a service delivers in the background until nothing is left, and again when more comes`() async throws {
        let spool = try TestSpool()
        try spool.add(seed: 1)
        let failures = Mutex(2)
        let (emptied, emptying) = AsyncStream<String>.makeStream()
        let uploader = InMemoryUploader { report in
            let fails = failures.withLock { left in
                left -= 1
                return left >= 0
            }
            if fails { return .retry(after: nil, reason: "down") }
            emptying.yield(report.id)
            return nil
        }
        let delivery = Delivery(uploaders: [uploader], path: spool.path)
        await delivery.deliverInBackground()
        var arrivals = emptied.makeAsyncIterator()
        #expect(await arrivals.next() != nil)
        #expect(uploader.attempts.count == 3)
        #expect(await delivery.deliverAllNow(limit: Patience.wait))
        #expect(spool.files() == [])
    }

    // MARK: Reports that kill

    @Test func `a report whose delivery ends every process is set aside in the end`() async throws {
        let spool = try TestSpool()
        let id = try spool.add(seed: 1)
        let server = try ScriptedServer { .created($0) }
        for attempt in 1...DeliveryRecord.unfinishedLimit {
            let variables = [
                "MAYDAY_REPORTER": "20000", "MAYDAY_REPORT": "\(spool.path)/\(id).jsonl.gz", "SDK_TRAP": "1",
                "SWIFT_BACKTRACE": "enable=no",
            ]
            let outcome = try await spool.run(port: server.port, environment: variables)
            try #require(outcome.status == .signalled(SIGILL) || outcome.status == .signalled(SIGTRAP))
            #expect(spool.text("\(id).trap.delivery") == String(repeating: "begun\n", count: attempt))
        }
        let outcome = try await spool.run("flush", port: server.port, environment: ["SDK_TRAP": "1"])
        #expect(outcome.output == "flushed: true\n")
        #expect(spool.files() == ["rejected", "trap.discarded"])
        #expect(spool.text("rejected/\(id).txt") == "trap: 10 attempts to deliver it ended their process\n")
    }

    @Test func `an uploader that ends its processes is left alone for longer and longer`() async throws {
        let spool = try TestSpool()
        let ids = try (1...20).map { try spool.add(seed: $0) }
        let uploader = InMemoryUploader(name: "u", answer: broken)
        let lane = try #require(Lane.lanes(of: [uploader]).first)
        func round(urgent: Bool = false) async -> DeliverySummary {
            await lane.round(in: spool.path, limit: Patience.wait, urgent: urgent)
        }
        func interrupt(_ ids: ArraySlice<String>, times: Int = 1) throws {
            let text = Array(String(repeating: "begun\n", count: times).utf8)
            for id in ids { try spool.write(text, to: "\(id).u.delivery") }
        }
        // One that ends its processes holds up no other.
        try interrupt(ids[..<1], times: 9)
        #expect(await round().kept?.hasSuffix(": down") == true)
        #expect(uploader.attempts.map(\.id) == [ids[1]])
        try interrupt(ids[..<19])
        let waiting = await round()
        #expect(waiting.kept?.hasSuffix("attempts to deliver 19 reports ended their process") == true)
        let pause = try #require(waiting.asked)
        #expect(pause > .seconds(1_800) && pause <= .seconds(3_600) && uploader.attempts.count == 1)
        // At the end of a service it is tried all the same, and after the pause.
        _ = await round(urgent: true)
        #expect(uploader.attempts.map(\.id).last == ids[19])
        let before = Date(timeIntervalSinceNow: -4_000)
        for id in ids {
            let file = "\(spool.path)/\(id).u.delivery"
            try FileManager.default.setAttributes([.modificationDate: before], ofItemAtPath: file)
        }
        #expect(await round().kept?.hasSuffix(": down") == true)
        #expect(uploader.attempts.count == 3)
    }

    @Test func `an attempt that is under way is no interrupted one`() async throws {
        let spool = try TestSpool()
        let ids = try (1...2).map { try spool.add(seed: $0) }
        let name = UploaderName("u")
        let opened = try Spool(opening: spool.path)
        do {
            let claim = try opened.claim(ids[0], for: name)
            let taken = [opened.isTaken(ids[0], by: name), opened.isTaken(ids[1], by: name)]
            #expect(taken == [true, false])
            switch consume claim {
            case .claimed: break
            case .taken: Issue.record("taken")
            case .gone: Issue.record("gone")
            }
        }
        let isStillTaken = opened.isTaken(ids[0], by: name)
        #expect(!isStillTaken)
    }

    // MARK: Real processes

    @Test func `a crash goes to both collectors, and each line says how it went`() async throws {
        let spool = try TestSpool()
        let first = try ScriptedServer { _ in .status(503) }
        let second = try ScriptedServer { .created($0) }
        let environment = [
            "SDK_SECOND_DSN": "http://KEY@127.0.0.1:\(second.port)/2", "SWIFT_BACKTRACE": "enable=no",
        ]
        let outcome = try await spool.run("crash", port: first.port, environment: environment)
        let id = try #require(second.requests.first?.reportID)
        #expect(outcome.errors.contains("mayday: report \(id) delivered to collector at 127.0.0.1:\(second.port)\n"))
        #expect(outcome.errors.contains("mayday: report \(id) not delivered, kept in "))
        #expect(spool.reports() == [id])
        let healed = try ScriptedServer { .created($0) }
        let next = try await spool.run("flush", port: healed.port, environment: environment)
        #expect(next.output == "flushed: true\n")
        #expect(second.requests.count == 1)
        #expect(spool.files() == [])
    }

    @Test func `what one collector asked for does not stop a crash's way to another`() async throws {
        let spool = try TestSpool()
        let full = try ScriptedServer { _ in .status(429, headers: ["Retry-After": "86400"]) }
        let other = try ScriptedServer { .created($0) }
        let environment = ["SWIFT_BACKTRACE": "enable=no"]
        _ = try await spool.run("crash", port: full.port, environment: environment)
        let again = try await spool.run("crash", port: full.port, environment: environment)
        #expect(again.errors.contains(": collector at 127.0.0.1:\(full.port) asked not to be sent to before "))
        #expect(full.requests.count == 1)
        let moved = try await spool.run("crash", port: other.port, environment: environment)
        #expect(!moved.errors.contains("asked not to be sent to"), "\(moved.errors)")
        #expect(moved.errors.contains(" delivered to collector at 127.0.0.1:\(other.port)\n"), "\(moved.errors)")
        // What the first did not take goes there, too.
        #expect(try await spool.run("flush", port: other.port, environment: environment).output == "flushed: true\n")
        #expect(Set(other.requests.compactMap(\.reportID)).count == 3 && full.requests.count == 1)
        #expect(spool.reports() == [])
    }

    @Test(arguments: [
        ([], "there is no uploader"), ([""], "name is empty"), (["a", "b", "a"], #"have the name "a""#),
    ])
    func `uploaders that cannot be told apart are an error`(names: [String], text: String) {
        let uploaders = names.map { InMemoryUploader(name: $0) }
        let error = #expect(throws: StartError.self) { try Mayday.start(.init(), uploader: uploaders) }
        #expect(error?.description.contains(text) == true)
    }
}
