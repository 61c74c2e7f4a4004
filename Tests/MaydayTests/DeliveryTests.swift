import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Mayday

/// Delivery of left-over reports, by real processes to a real server.
@Suite(.patience) struct DeliveryTests {
    @Test func `the oldest report goes first, and each leaves the spool after the answer`() async throws {
        let spool = try TestSpool()
        let ids = try [3, 1, 2].map { try spool.add(seed: $0) }.sorted()
        let server = try ScriptedServer { .created($0) }
        let outcome = try await spool.run("flush", port: server.port)
        #expect(outcome.status == .exited(0))
        #expect(outcome.output == "flushed: true\n")
        #expect(
            outcome.errors == "mayday: 3 reports from the spool delivered to collector at 127.0.0.1:\(server.port)\n"
        )
        #expect(server.requests.map(\.reportID) == ids)
        #expect(spool.files() == [])
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.path == "/api/1/reports")
        #expect(request.headers["authorization"] == "Bearer KEY")
        #expect(request.headers["content-encoding"] == "gzip")
        #expect(request.headers["content-type"] == "application/x-ndjson")
        #expect(request.headers["user-agent"] == "mayday-swift/0.1.0")
        #expect(request.headers["expect"] == nil)
    }

    @Test func `a report that the collector refuses is set aside and does not hold up the next`() async throws {
        let spool = try TestSpool()
        let poison = try spool.add(seed: 1)
        let next = try spool.add(seed: 2)
        let server = try ScriptedServer { request in
            request.reportID == poison
                ? .status(400, body: #"{"error":"line 3: \u001b[31mframes must be an array"}"#) : .created(request)
        }
        let outcome = try await spool.run("flush", port: server.port)
        #expect(outcome.output == "flushed: true\n")
        let reason = #"collector at 127.0.0.1:\#(server.port): line 3: \u{1b}[31mframes must be an array (400)"#
        #expect(outcome.errors.contains("report rejected, set aside: \(poison): \(reason)\n"))
        #expect(server.requests.map(\.reportID) == [poison, next])
        #expect(spool.files() == ["rejected"])
        #expect(spool.files("rejected") == ["\(poison).jsonl.gz", "\(poison).txt"])
        #expect(spool.text("rejected/\(poison).txt") == reason + "\n")
    }

    @Test func `the round ends at the first report that must wait`() async throws {
        let spool = try TestSpool()
        for seed in 1...3 { try spool.add(seed: UInt64(seed)) }
        let server = try ScriptedServer { $0.index == 0 ? .created($0) : .status(503, headers: ["Retry-After": "30"]) }
        let child = try spool.child("stay", port: server.port)
        _ = await server.requests(atLeast: 2)
        child.kill(SIGTERM)
        _ = await child.outcome()
        #expect(server.requests.count == 2)
        #expect(spool.reports().count == 2)
    }

    @Test func `processes that share a spool deliver each report once`() async throws {
        let spool = try TestSpool()
        let ids = try (1...40).map { try spool.add(seed: UInt64($0)) }
        let server = try ScriptedServer { .created($0) }
        let children = try (1...6).map { _ in try spool.child("flush", port: server.port) }
        for child in children { #expect(await child.outcome().status == .exited(0)) }
        #expect(server.requests.compactMap(\.reportID).sorted() == ids)
        #expect(spool.files() == [])
    }

    @Test func `two services on one spool each deliver their own`() async throws {
        let cart = try TestSpool(service: "cart")
        let order = try TestSpool(service: "or/der", sharing: cart)
        let ids = [try cart.add(seed: 1), try order.add(seed: 2)]
        let cartCollector = try ScriptedServer { .created($0) }
        let orderCollector = try ScriptedServer { .created($0) }
        let children = [
            try cart.child("flush", port: cartCollector.port), try order.child("flush", port: orderCollector.port),
        ]
        for child in children { #expect(await child.outcome().output == "flushed: true\n") }
        #expect(cartCollector.requests.map(\.reportID) == [ids[0]])
        #expect(orderCollector.requests.map(\.reportID) == [ids[1]])
    }

    /// A sender is killed before the answer, while the answer is under way, or never; in turn, until all is delivered.
    @Test func `nothing is lost when the sender is killed at any point`() async throws {
        let spool = try TestSpool()
        let ids = Set(try (1...5).map { try spool.add(seed: UInt64($0)) })
        let accepted = Mutex<Set<String>>([])
        let sender = Mutex<ChildProcess?>(nil)
        let server = try ScriptedServer { request in
            if request.index % 2 == 0 {
                sender.withLock { $0?.kill(SIGKILL) }
                return .close
            }
            if let id = request.reportID { accepted.withLock { _ = $0.insert(id) } }
            if request.index % 4 == 3 { sender.withLock { $0?.kill(SIGKILL) } }
            return .created(request)
        }
        var rounds = 0
        while !spool.reports().isEmpty {
            rounds += 1
            try #require(rounds < 50, "no progress")
            let child = try sender.withLock { sender in
                let child = try spool.child("flush", port: server.port)
                sender = child
                return child
            }
            _ = await child.outcome()
            let waiting = Set(spool.reports())
            #expect(accepted.withLock { $0 }.union(waiting) == ids, "accepted or still in the spool")
        }
        #expect(accepted.withLock { $0 } == ids)
        #expect(rounds > 5, "senders were really killed")
    }

    @Test func `flush says when it did not manage`() async throws {
        let spool = try TestSpool()
        let id = try spool.add(seed: 1)
        let server = try ScriptedServer { _ in .status(500) }
        let outcome = try await spool.run("flush", port: server.port)
        #expect(outcome.status == .exited(0))
        #expect(outcome.output == "flushed: false\n")
        #expect(
            outcome.errors.contains("stay in the spool: collector at 127.0.0.1:\(server.port): it answered 500 without")
        )
        #expect(spool.reports() == [id])
    }

    @Test func `without libcurl the report stays, and a line says what to install`() async throws {
        let spool = try TestSpool()
        let id = try spool.add(seed: 1)
        let libraries = try TemporaryDirectory()
        try Data("not a library".utf8).write(to: URL(fileURLWithPath: "\(libraries.path)/libcurl.so.4"))
        let outcome = try await spool.run("flush", port: 1, environment: ["LD_LIBRARY_PATH": libraries.path])
        #expect(outcome.status == .exited(0))
        #expect(outcome.errors.contains("libcurl cannot be used, install libcurl4: "))
        #expect(spool.reports() == [id])
    }

    @Test func `the way to this machine leads through no proxy`() async throws {
        let spool = try TestSpool()
        try spool.add(seed: 1)
        let server = try ScriptedServer { .created($0) }
        let proxy = try ScriptedServer { _ in .status(502) }
        let variables = ["http_proxy", "HTTPS_PROXY", "ALL_PROXY"].map { ($0, "http://127.0.0.1:\(proxy.port)") }
        let environment = Dictionary(uniqueKeysWithValues: variables)
        let outcome = try await spool.run("flush", port: server.port, environment: environment)
        #expect(outcome.output == "flushed: true\n")
        #expect(proxy.requests.isEmpty)
    }

    @Test func `a service of a group ends when it is cancelled, after what waits was delivered`() async throws {
        let spool = try TestSpool()
        try spool.add(seed: 1)
        let server = try ScriptedServer { .created($0) }
        let outcome = try await spool.run("serve", port: server.port)
        #expect(outcome.status == .exited(0))
        #expect(outcome.output == "ended\n")
        #expect(spool.files() == [])
    }
}

/// Services that end while something is sent.
@Suite(.patience) struct EndingTests {
    @Test func `nothing is being sent any more when libraries are taken down`() async throws {
        let server = try ScriptedServer { _ in .hang }
        let spool = try TestSpool()
        try spool.add(seed: 1)
        let outcome = try await spool.run("leave-sending", port: server.port)
        #expect(outcome.status == .exited(0) && outcome.output == "sockets at exit: 0\n", "\(outcome)")
        #expect(spool.reports().count == 1)
    }

    @Test(arguments: ["closed", "hanging", "answering"])
    func `a service that ends in the middle of a delivery ends as it would have`(_ collector: String) async throws {
        let server = try ScriptedServer { collector == "hanging" ? .hang : .created($0) }
        let port = collector == "closed" ? 1 : server.port
        await withTaskGroup { group in
            for seed in 0..<24 as Range<UInt64> {
                group.addTask {
                    do {
                        let spool = try TestSpool()
                        try spool.add(seed: seed)
                        let outcome = try await spool.run("leave", "\(seed * 700)", port: port)
                        #expect(outcome.status == .exited(0), "\(seed): \(outcome.errors)")
                    } catch {
                        Issue.record("\(error)")
                    }
                }
            }
        }
    }
}
