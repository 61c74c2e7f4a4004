import Foundation

/// The connections that are open.
///
/// Ends those that take too long over a request or its answer: the library's own timeout is for silence only, and a client that sends
/// a byte now and then would hold its thread for ever. Where there are too many, room is made by ending one that has not said
/// yet what it wants, or has been refused: who has no key or token never keeps others out.
final class Connections: @unchecked Sendable {
    // Unchecked: everything below is touched only with `condition` locked.
    private let condition = NSCondition()
    private var open: [Int32: Connection] = [:]
    private var isStopped = false
    /// When the thread looks again; nil while it waits to be told.
    private var nextLook: ContinuousClock.Instant?
    private let limits: HTTPLimits
    /// Told of a connection that is ended or refused.
    private let refused: @Sendable (ConnectionRefusal) -> Void

    private struct Connection {
        /// 0 is this machine, which may be a proxy: it may have any number.
        var client: UInt64
        /// True while nothing would be lost by its end: no request is there, or one that was refused.
        var isIdle = true
        /// Since when it is.
        var since = ContinuousClock.now
        var deadline: ContinuousClock.Instant?
        /// True for one that is above the limit.
        var isSpare = false
        /// True once it was ended here, and its thread has yet to see that.
        var isEnded = false
    }

    /// What a new connection may do.
    enum Admission {
        /// Whatever it likes.
        case regular
        /// Be told that there are too many, or see how the server is.
        case spare
    }

    init(limits: HTTPLimits, refused: @escaping @Sendable (ConnectionRefusal) -> Void) {
        self.limits = limits
        self.refused = refused
        Thread.detachNewThread { self.run() }
    }

    /// A connection begins.
    func add(_ socket: Int32, of client: UInt64) -> Admission {
        var refusals: [ConnectionRefusal] = []
        defer { for refusal in refusals { refused(refusal) } }
        return condition.withLock {
            var new = Connection(client: client)
            guard open.count >= limits.connections || client != 0 && open.count >= limits.perClient else {
                new.deadline = .now + limits.head
                open[socket] = new
                look(at: new.deadline)
                return .regular
            }
            let others = open.values.filter { !$0.isEnded && !$0.isSpare }
            let isOverClient = client != 0 && others.count { $0.client == client } >= limits.perClient
            if isOverClient || others.count >= limits.connections {
                if let idle = longestIdle(isOverClient ? client : nil) {
                    end(idle)
                    refusals.append(.idle)
                } else {
                    new.isSpare = true
                    refusals.append(isOverClient ? .client : .room)
                }
            }
            let isTooMany = new.isSpare && open.values.count { $0.isSpare } >= limits.spareConnections
            new.deadline = .now + limits.head
            open[socket] = new
            if isTooMany { end(socket) } else { look(at: new.deadline) }
            return new.isSpare ? .spare : .regular
        }
    }

    /// It is the client's turn, which receives an answer or sends a body.
    ///
    /// - Parameter isIdle: true when nobody but the client wants that.
    func restart(_ socket: Int32, isIdle: Bool) { change(socket, for: limits.request, isIdle: isIdle) }

    /// The server is at work: it is not the client that takes long.
    func suspend(_ socket: Int32) { change(socket, for: nil, isIdle: false) }

    /// The request is over, and the next may begin.
    func finish(_ socket: Int32) { change(socket, for: limits.idle, isIdle: true) }

    /// The connection ends; its socket is still open.
    func remove(_ socket: Int32) { condition.withLock { open[socket] = nil } }

    func stop() {
        condition.withLock {
            isStopped = true
            condition.signal()
        }
    }

    private func change(_ socket: Int32, for allowance: Duration?, isIdle: Bool) {
        condition.withLock {
            guard var connection = open[socket], !connection.isEnded else { return }
            let now = ContinuousClock.now
            if isIdle, !connection.isIdle { connection.since = now }
            connection.isIdle = isIdle
            connection.deadline = allowance.map { now + $0 }
            open[socket] = connection
            look(at: connection.deadline)
        }
    }

    /// Has the thread look at that time, unless it looks before.
    private func look(at time: ContinuousClock.Instant?) {
        guard let time, nextLook.map({ time < $0 }) ?? true else { return }
        nextLook = time
        condition.signal()
    }

    /// The one that has been idle for longest, of the client that has most of them: others need not go for its sake.
    private func longestIdle(_ client: UInt64?) -> Int32? {
        let idle = open.filter { $1.isIdle && !$1.isEnded && !$1.isSpare }
        let counts = Dictionary(idle.values.map { ($0.client, 1) }, uniquingKeysWith: +)
        let chosen = client ?? counts.max { $0.value < $1.value }?.key
        return idle.filter { $1.client == chosen }.min { $0.value.since < $1.value.since }?.key
    }

    private func end(_ socket: Int32) {
        // Its thread sees the end of the connection. The socket cannot be another's by now: it is removed
        // from here before it is closed, and that waits for this lock.
        shutdown(socket, Int32(SHUT_RDWR))
        open[socket]?.isEnded = true
        open[socket]?.deadline = nil
    }

    private func run() {
        condition.lock()
        defer { condition.unlock() }
        while !isStopped {
            let now = ContinuousClock.now
            for (socket, connection) in open {
                if let deadline = connection.deadline, deadline <= now { end(socket) }
            }
            nextLook = open.values.compactMap(\.deadline).min()
            guard let next = nextLook else {
                condition.wait()
                continue
            }
            _ = condition.wait(until: Date(timeIntervalSinceNow: now.duration(to: next) / .seconds(1)))
        }
    }
}

/// Why a connection is ended, or told to come back.
enum ConnectionRefusal: String, Sendable, CaseIterable {
    /// There was no room for another, and it had asked for nothing that it may have.
    case idle
    /// There is no room for another.
    case room
    /// Its client's address has as many as one may have.
    case client

    /// For the log.
    var meaning: String {
        switch self {
        case .idle: "one that had asked for nothing, or been refused, to make room"
        case .room: "a new one, as all others are at work"
        case .client: "a new one of an address that has as many as one may have (--connections-per-client)"
        }
    }
}
