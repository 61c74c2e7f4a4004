import CrashReport
import Store

/// `POST /api/PROJECT/reports`: a report is checked, kept, and only then acknowledged.
struct ReportEndpoint: Sendable {
    let store: any Store
    private let projects: KnownProjects
    let metrics: IngestMetrics
    let log: ServerLog
    /// Called after a report was kept.
    let onStored: @Sendable () -> Void
    private let limiter = RateLimiter()
    private let checks: ReportChecks

    /// Largest body; one that expands to more than the format's 64 MiB is refused by the reader.
    static let maximumBody = 8 << 20
    private static let types: Set<String> = ["application/x-ndjson", "application/gzip", "application/octet-stream"]

    init(
        store: any Store,
        metrics: IngestMetrics,
        log: ServerLog,
        limits: HTTPLimits,
        onStored: @escaping @Sendable () -> Void
    ) {
        checks = ReportChecks(limits: limits.report, large: limits.largeReport, largeWait: limits.largeReportWait)
        self.store = store
        projects = KnownProjects(store: store)
        self.metrics = metrics
        self.log = log
        self.onStored = onStored
    }

    /// Decides by the header whether the body is wanted.
    func begin(_ request: HTTPRequest, project id: Int) -> Reception {
        do throws(StoreError) {
            if let refusal = try admit(request, project: id) { return .answer(refusal) }
        } catch {
            return .answer(storeAnswer(error))
        }
        if let type = request.contentType, !Self.types.contains(type) {
            let text = "content type \(type) is not taken: send the report file as application/x-ndjson (gzip)"
            return .answer(.error(415, text))
        }
        let encoding = request.headers["content-encoding"]?.lowercased() ?? "identity"
        guard ["gzip", "x-gzip", "identity"].contains(encoding) else {
            return .answer(
                .error(415, "content encoding \(encoding) is not taken: send the report file as it is, which is gzip")
            )
        }
        guard (request.contentLength ?? 0) <= Self.maximumBody else { return .answer(Self.tooLarge) }
        return .receive(limit: Self.maximumBody)
    }

    /// Lets in who has the key and is within the limits; else says why not. What is remembered of a project lets in only:
    /// nobody is refused by it.
    private func admit(_ request: HTTPRequest, project id: Int) throws(StoreError) -> HTTPAnswer? {
        let key = request.bearer.map(Secret.init)
        if let known = projects.known(id), let key, known.key.matches(key), limiter.take(id, known.limits) == nil {
            return nil
        }
        guard let project = try projects.read(id) else {
            let remedy = "see `mayday projects list`, and the number at the end of the DSN"
            return .error(404, "no project \(id) here: \(remedy)")
        }
        guard let key else {
            return Self.unauthorized("no key: send the DSN's key as the header `Authorization: Bearer KEY`")
        }
        guard project.key.matches(key) else {
            switch try store.tokens().kind(of: key) {
            // Who imports is not the service, and does not use up what it may send.
            case .admin: return nil
            case .reader, .symbols:
                return .error(403, "this token keeps no reports: send the project's key, or the admin token")
            case nil: return Self.wrongKey(id)
            }
        }
        guard let wait = limiter.take(id, project.limits) else { return nil }
        metrics.limited.add()
        return Self.limited(id, project.limits, wait)
    }

    /// Checks and keeps the report.
    func answer(_ request: HTTPRequest, project: Int, body: [UInt8]) -> HTTPAnswer {
        let checked: CheckedReport
        do throws(ReportRefusal) {
            checked = try checks.read(ReportUpload(project: project, body: body))
        } catch {
            switch error {
            case .unreadable(let error): return .error(error.kind == .limit ? 413 : 400, error.description)
            case .busy:
                return Self.unavailable("too many large reports at once: keep the report and send it again later")
            }
        }
        var received = checked.new
        let id = received.key.id
        do throws(StoreError) {
            received.credential = try credential(request, project: project)
            if received.credential != nil, let wait = limiter.takeShare(project, alike: checked.alike) {
                metrics.limited.add()
                return Self.shared(project, wait)
            }
            let addition = try store.add(received)
            metrics.storeAnswered()
            switch addition {
            // It was replaced since the header came.
            case .unauthorized: return Self.wrongKey(project)
            case .duplicate:
                metrics.duplicates.add()
                return .json(200, .object(["id": .string(id), "duplicate": .bool(true)]))
            case .stored:
                metrics.stored.add()
                metrics.storedBytes.add(body.count)
                onStored()
                let place = "/api/\(project)/reports/\(id)"
                return .json(201, .object(["id": .string(id)]), headers: [("Location", place)])
            }
        } catch {
            return storeAnswer(error)
        }
    }

    /// The key that the report is kept by, which the transaction asks for again; nil for the admin token.
    private func credential(_ request: HTTPRequest, project: Int) throws(StoreError) -> SecretHash? {
        let secret = Secret(request.bearer ?? "")
        if let known = projects.known(project), known.key.matches(secret) { return secret.hash }
        return try store.tokens().kind(of: secret) == .admin ? nil : secret.hash
    }

    static let tooLarge = HTTPAnswer.error(
        413,
        "the body is larger than \(maximumBody) bytes: a report holds stacks and facts, not memory; cut it at its source"
    )

    private func storeAnswer(_ error: StoreError) -> HTTPAnswer {
        metrics.storeFailed(error)
        log.line("\(error)")
        return Self.unavailable(error)
    }

    /// As below, without what only the log may say: who asks may be anybody, and the reason names paths, hosts and users.
    static func unavailable(_ error: StoreError) -> HTTPAnswer {
        unavailable("\(error.publicText); keep the report and send it again later")
    }

    /// The client is to keep the report and come back.
    static func unavailable(_ text: String) -> HTTPAnswer { .error(503, text, headers: [("Retry-After", "30")]) }

    /// The project has sent what it may.
    private static func limited(_ project: Int, _ limits: IngestLimits, _ wait: Duration) -> HTTPAnswer {
        let allowed = [
            limits.perMinute.map { "\($0) reports a minute" }, limits.perDay.map { "\($0) reports a day" },
        ].compactMap { $0 }.joined(separator: " and ")
        let seconds = wait.components.seconds + 1
        return .error(
            429,
            "project \(project) may send \(allowed): keep the report and send it again in \(seconds) s, or see "
                + "`mayday projects limit`",
            headers: [("Retry-After", "\(seconds)")]
        )
    }

    /// Reports that are alike have had their share.
    private static func shared(_ project: Int, _ wait: Duration) -> HTTPAnswer {
        let seconds = wait.components.seconds + 1
        return .error(
            429,
            "reports like this one are half of what project \(project) may send: keep the report and send it again in "
                + "\(seconds) s, or see `mayday projects limit`",
            headers: [("Retry-After", "\(seconds)")]
        )
    }

    private static func wrongKey(_ project: Int) -> HTTPAnswer {
        unauthorized("wrong key for project \(project): use the DSN of `mayday projects add` or `rotate`")
    }

    static func unauthorized(_ text: String) -> HTTPAnswer {
        .error(401, text, headers: [("WWW-Authenticate", "Bearer")])
    }
}
