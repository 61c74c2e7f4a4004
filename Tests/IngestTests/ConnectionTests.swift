import CrashReport
import Foundation
import Store
import Synchronization
import Testing
import TestSupport

@testable import Ingest

@Suite("Connections", .patience)
struct ConnectionTests {
    /// What 300 clients without a key do, and then wait.
    static let idle: [(name: String, sends: String)] = [
        ("nothing", ""),
        ("half a head", "POST /api/1/reports HTTP/1.1\r\nHost: t\r\nX: "),
        ("a body that nobody wants", "POST /api/1/reports HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\nabc"),
        ("a body of a GET", "GET /healthz HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\nabc"),
    ]

    @Test("300 connections of who has no key keep nobody out", arguments: idle)
    func silent(name: String, sends: String) throws {
        // None of them goes by itself.
        let server = try TestServer {
            ($0.limits.head, $0.limits.request, $0.limits.idle) = (Patience.wait, Patience.wait, Patience.wait)
        }
        var held: [HTTPClient] = []
        for _ in 0..<300 {
            held.append(try server.connect())
            held.last?.send(sends)
        }
        for seed in 0..<3 as Range<UInt64> {
            #expect(try server.post(SampleReport(seed: seed).gzip()).status == 201)
            #expect(try server.connect().request("GET", "/healthz").status == 200)
        }
        let metrics = try server.connect().request("GET", "/metrics").body
        let ended = metrics.firstMatch(of: /mayday_connections_refused_total\{reason="idle"} ([0-9]+)\n/)
        #expect(ended.flatMap { Int($0.1) }.map { $0 >= 44 } == true, "\(metrics)")
        let line = server.lines.all.filter { $0.contains("too many connections: 1 were ended or refused since") }
        #expect(line.count == 1, "\(server.lines.all)")
        held.removeAll()
    }

    @Test(
        "where all are at work, reports are told to come back, and the health is answered; there is room when they end"
    )
    func full() throws {
        let server = try TestServer {
            $0.limits.connections = 4
            $0.limits.spareConnections = 2
        }
        let body = SampleReport().gzip()
        let held = try (0..<4).map { _ in try server.connect() }
        for client in held {
            client.send(
                "POST /api/1/reports HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer \(server.key.text)\r\n"
                    + "Content-Length: \(body.count)\r\nExpect: 100-continue\r\n\r\n"
            )
            #expect(try client.answer().status == 100)
        }
        let spare = try server.connect()
        let answer = try spare.request("POST", "/api/1/reports", headers: server.headers, body: body)
        #expect(answer.status == 503)
        #expect(answer.headers["retry-after"] == "30")
        #expect(answer.headers["connection"] == "close")
        #expect(answer.body.contains("too many connections at once"))
        #expect(try server.count == 0)
        for _ in 0..<3 {
            // The last one's place may not be free yet.
            var health = try? server.connect().request("GET", "/healthz")
            while health == nil { health = try? server.connect().request("GET", "/healthz") }
            #expect(health?.status == 200)
        }
        for client in held { client.send(body) }
        for client in held { #expect([200, 201].contains(try client.answer().status)) }
        // They wait for a next request now: one of them goes.
        #expect(try server.post(SampleReport(seed: 2).gzip()).status == 201)
    }

    @Test("who has not sent a head in time is cut off, however much time a body has")
    func head() throws {
        let server = try TestServer { $0.limits.head = .seconds(1) }
        let client = try server.connect()
        client.send("GET /healthz HTTP/1.1\r\nHo")
        #expect(try client.rest().isEmpty)
    }

    /// Connections whose other ends are seen.
    private final class Pairs {
        var ends: [Int32: Int32] = [:]

        func make() -> Int32 {
            var pair: [Int32] = [-1, -1]
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
            ends[pair[0]] = pair[1]
            return pair[0]
        }

        func isEnded(_ socket: Int32) -> Bool {
            var byte: UInt8 = 0
            return ends[socket].map { recv($0, &byte, 1, Int32(MSG_DONTWAIT)) == 0 } ?? false
        }

        deinit { for socket in ends.flatMap({ [$0.key, $0.value] }) { close(socket) } }
    }

    @Test(
        "room is made by the client that has most connections, with the one that is idle for longest; who is at work stays"
    )
    func fairness() {
        let pairs = Pairs()
        var limits = HTTPLimits()
        (limits.connections, limits.spareConnections, limits.perClient) = (4, 1, 100)
        let refusals = Mutex<[ConnectionRefusal]>([])
        let connections = Connections(limits: limits) { refusal in refusals.withLock { $0.append(refusal) } }
        defer { connections.stop() }
        let (other, first, second, third) = (pairs.make(), pairs.make(), pairs.make(), pairs.make())
        #expect(connections.add(other, of: 5) == .regular)
        for socket in [first, second, third] { #expect(connections.add(socket, of: 6) == .regular) }
        connections.suspend(first)
        #expect(connections.add(pairs.make(), of: 7) == .regular)
        #expect([other, first, second, third].map(pairs.isEnded) == [false, false, true, false])
        connections.suspend(other)
        connections.suspend(third)
        let fifth = pairs.make()
        #expect(connections.add(fifth, of: 8) == .regular)
        connections.suspend(fifth)
        #expect(connections.add(pairs.make(), of: 9) == .spare)
        let extra = pairs.make()
        #expect(connections.add(extra, of: 9) == .spare)
        #expect(pairs.isEnded(extra))
        #expect(refusals.withLock { $0 } == [.idle, .idle, .room, .room])
    }

    @Test("a client has its own limit, within which its own connections make room; this machine has none")
    func perClient() {
        let pairs = Pairs()
        var limits = HTTPLimits()
        limits.perClient = 2
        let refusals = Mutex<[ConnectionRefusal]>([])
        let connections = Connections(limits: limits) { refusal in refusals.withLock { $0.append(refusal) } }
        defer { connections.stop() }
        for _ in 0..<10 { #expect(connections.add(pairs.make(), of: 0) == .regular) }
        let own = (0..<3).map { _ in pairs.make() }
        for socket in own { #expect(connections.add(socket, of: 5) == .regular) }
        #expect(own.map(pairs.isEnded) == [true, false, false])
        for socket in own { connections.suspend(socket) }
        #expect(connections.add(pairs.make(), of: 5) == .spare)
        #expect(connections.add(pairs.make(), of: 6) == .regular)
        connections.finish(own[2])
        #expect(connections.add(pairs.make(), of: 5) == .regular)
        #expect(own.map(pairs.isEnded) == [true, false, true])
        #expect(refusals.withLock { $0 } == [.idle, .client, .idle])
    }
}
