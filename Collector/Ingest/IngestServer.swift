import CrashReport
public import Store

/// The collector's HTTP side: takes reports, answers for its health, and hands out what was stored.
public final class IngestServer: Sendable {
    /// Where it listens, with the port that it got.
    public let address: ListenAddress
    private let daemon: HTTPDaemon
    private let limits: HTTPLimits

    /// What the server is made of besides the store.
    public struct Parts: Sendable {
        /// Bounds on what clients can make it hold.
        public var limits = HTTPLimits()
        /// What it shows of itself over HTTPS; nil serves plain HTTP.
        public var tls: TLSIdentity?
        /// Where its lines go.
        public var log = ServerLog.standardError()
        /// Called after a report was kept, on the thread of its connection.
        public var onStored: @Sendable () -> Void = {}
        /// Counts the reports that are being taken.
        public var load = IngestLoad()
        /// Further numbers for `GET /metrics`.
        public var metrics: @Sendable () -> [Metric] = { [] }
        /// Answers a holder of the admin token.
        public var read: @Sendable (ReadRequest) throws(StoreError) -> ReadAnswer = { _ in .missing("nothing here") }
        /// Takes debug files; nil when none are taken.
        public var symbols: SymbolUploads?

        /// The usual parts; nothing can be read.
        public init() {}
    }

    /// Listens and serves until `stop`.
    public init(_ address: ListenAddress, store: any Store, parts: Parts = Parts()) throws(ListenError) {
        let routes = Routes(store: store, parts: parts)
        daemon = try HTTPDaemon(address, limits: parts.limits, tls: parts.tls, handler: routes)
        limits = parts.limits
        self.address = daemon.address
    }

    /// Refuses new connections, and returns once requests that were begun are answered, or their time is over.
    public func stop() { daemon.stop(within: limits.stop) }
}

/// Finds who answers a request.
private struct Routes: HTTPHandler {
    private let store: any Store
    private let parts: IngestServer.Parts
    private let reports: ReportEndpoint
    private let symbols: SymbolEndpoint?
    private let metrics = IngestMetrics()

    init(store: any Store, parts: IngestServer.Parts) {
        self.store = store
        self.parts = parts
        reports = ReportEndpoint(
            store: store,
            metrics: metrics,
            log: parts.log,
            limits: parts.limits,
            onStored: parts.onStored
        )
        symbols = parts.symbols.map { SymbolEndpoint(store: store, uploads: $0, log: parts.log) }
    }

    func begin(_ request: HTTPRequest) -> Reception {
        guard let route = Route(path: request.path) else {
            return .answer(.error(404, "nothing here: reports go to POST /api/PROJECT/reports, PROJECT being a number"))
        }
        guard route.methods.contains(request.method) else {
            let allowed = route.methods.joined(separator: ", ")
            return .answer(.error(405, "this path takes \(allowed) only", headers: [("Allow", allowed)]))
        }
        switch route {
        case .health: return .answer(health())
        case .metrics: return .answer(.text(200, Metric.text(numbers()), type: "text/plain; version=0.0.4"))
        case .reports(let project): return reports.begin(request, project: project)
        case .read(let wanted): return .answer(read(wanted, for: request))
        case .symbols(let project, let buildID):
            return symbols?.begin(request, project: project, buildID: buildID)
                ?? .answer(.error(404, "this collector takes no debug files"))
        }
    }

    func answer(_ request: HTTPRequest, body: [UInt8]) -> HTTPAnswer {
        // Only reports have a body that is received.
        guard case .reports(let project)? = Route(path: request.path) else { return .error(404, "nothing here") }
        return parts.load.counting { reports.answer(request, project: project, body: body) }
    }

    func refusal(_ cause: RefusedBody) -> HTTPAnswer {
        switch cause {
        case .tooLarge: ReportEndpoint.tooLarge
        case .tooManyConnections:
            ReportEndpoint.unavailable(
                "too many connections at once, here or from your address: keep the report and send it again later"
            )
        case .noMemory: ReportEndpoint.unavailable("too many uploads at once: keep the report and send it again later")
        }
    }

    func isOpenToAll(_ request: HTTPRequest) -> Bool {
        switch Route(path: request.path) {
        case .health, .metrics: true
        default: false
        }
    }

    func refused(_ connection: ConnectionRefusal) {
        guard let count = metrics.refused(connection) else { return }
        parts.log.line(
            "too many connections: \(count) were ended or refused since the last such line, most recently "
                + "\(connection.meaning)"
        )
    }

    func completed(_ request: HTTPRequest, status: Int, bytes: Int, duration: Duration) {
        metrics.answered(status)
        if case .reports? = Route(path: request.path) {
            if (400..<500).contains(status), status != 429 { metrics.refused(status) }
            if status >= 500 { metrics.unavailable.add() }
            // A duplicate was counted when it came first.
            if status == 201 { metrics.clientDiscarded(request.headers["mayday-discarded"]) }
        }
        parts.log.request(request, status: status, bytes: bytes, duration: duration)
    }

    private func health() -> HTTPAnswer {
        do throws(StoreError) {
            _ = try store.digestCounts(ofProject: nil)
            // Only reports meet a full disk, and a balancer sends none to a node that says so: it finds out itself.
            if metrics.mayTestStore() { try testStore() }
            if let fault = metrics.storeFault { throw fault }
            return .json(200, .object(["status": .string("ok")]))
        } catch {
            if metrics.mayLogFault() { parts.log.line("healthz: \(error)") }
            return .json(503, .object(["status": .string("failing"), "error": .string(error.publicText)]))
        }
    }

    private func testStore() throws(StoreError) {
        do throws(StoreError) {
            try store.testWrite()
            metrics.storeAnswered()
        } catch {
            metrics.storeFailed(error)
            throw error
        }
    }

    private func numbers() -> [Metric] {
        var all = metrics.all + parts.metrics()
        if let counts = try? store.digestCounts(ofProject: nil) {
            let help = "Reports that are stored and not grouped: they wait, or could not be digested."
            for (state, value) in [("pending", counts.pending), ("failed", counts.failed)] {
                let label = "state=\"\(state)\""
                all.append(
                    Metric("mayday_undigested_reports", label: label, help: help, isCounter: false, value: value)
                )
            }
        }
        return all
    }

    private func read(_ wanted: ReadRequest, for request: HTTPRequest) -> HTTPAnswer {
        do throws(StoreError) {
            let kind = try request.bearer.flatMap { token throws(StoreError) in
                try store.tokens().kind(of: Secret(token))
            }
            var wanted = wanted
            wanted.query = request.query
            switch kind {
            case .admin: break
            case .reader(let project):
                if wanted.isChange {
                    return .error(403, "this token only reads: what is decided about an issue needs the admin token")
                }
                if let project, let refused = wanted.confine(to: project) { return .error(403, refused) }
            case .symbols:
                return .error(
                    403,
                    "this token only adds debug files: `mayday projects rotate reader` makes one that reads"
                )
            case nil:
                return ReportEndpoint.unauthorized(
                    "reading needs a token as the header `Authorization: Bearer TOKEN`: `mayday projects rotate reader` makes "
                        + "one; the admin token, which the first start of `mayday serve` printed, serves too"
                )
            }
            switch try parts.read(wanted) {
            case .json(let value): return .json(200, value)
            case .file(let bytes):
                return HTTPAnswer(status: 200, headers: [("Content-Type", "application/gzip")], body: bytes)
            case .missing(let text): return .error(404, text)
            case .wrong(let text): return .error(400, text)
            }
        } catch {
            metrics.storeFailures.add()
            parts.log.line("\(error)")
            return ReportEndpoint.unavailable("\(error.publicText); ask again later")
        }
    }
}
