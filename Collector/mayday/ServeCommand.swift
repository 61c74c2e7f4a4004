import CrashReport
import Digest
import Foundation
import Grouping
import Ingest
import Notify
import Query
import Store
import SymbolStore

/// `mayday serve`.
enum ServeCommand: Command {
    static let spec = CommandSpec(
        name: "serve",
        summary: "Take reports over HTTP, store and digest them, until SIGTERM",
        options: [
            CommandSpec.Option(
                name: "--listen",
                value: "HOST:PORT",
                help: "where to listen (default 127.0.0.1:7171; port 0 takes a free one)"
            ),
            .url,
            CommandSpec.Option(
                name: "--webhook",
                value: "URL",
                help:
                    "POST JSON there when an issue is new, regresses or comes out of its mute (or MAYDAY_ISSUE_WEBHOOK)"
            ),
            CommandSpec.Option(
                name: "--on-issue",
                value: "COMMAND",
                help: "run this in a shell then, with the JSON on its standard input"
            ),
            CommandSpec.Option(
                name: "--debuginfod",
                value: nil,
                help: "ask the servers of DEBUGINFOD_URLS for debug files that reports lack; they learn the build ids"
            ),
            CommandSpec.Option(
                name: "--tls-certificate",
                value: "FILE",
                help: "serve HTTPS with this certificate, in PEM, those above it behind it"
            ),
            CommandSpec.Option(name: "--tls-key", value: "FILE", help: "its private key, in PEM, without a password"),
            CommandSpec.Option(
                name: "--connections-per-client",
                value: "N",
                help: "connections at once of one address, but for this machine's (default 128, of 256 in all)"
            ),
            .choice("--log", "FORMAT", ServerLog.Format.allCases.map(\.rawValue), "lines of the log: # (default text)"),
            .json("what the first start shows"),
        ],
        notes: [
            "The first start makes the data directory and the project 1, \"default\", and prints its DSN and the admin "
                + "token once. Requests are logged on standard error.",
            "Several may serve one PostgreSQL database, behind a balancer: each takes reports and a share of the digestion, "
                + "and what one that ends leaves is taken by the others. Not through a pooler that pools transactions.",
            "What --webhook and --on-issue are told has a `text` that chat services show. The command finds it in MAYDAY_TEXT, with "
                + "MAYDAY_EVENT (new, regressed, unmuted, left_out), MAYDAY_COMMAND (shows more), MAYDAY_PROJECT, "
                + "MAYDAY_PROJECT_NAME, MAYDAY_ISSUE, MAYDAY_REPORT and, where the report has them, MAYDAY_REPORT_RELEASE, "
                + "MAYDAY_REPORT_ENVIRONMENT and MAYDAY_REPORT_HOST. Each attempt may take 10 s, and one that failed is made up "
                + "to 5 times. Of more than 30 a minute the rest is told by one notice afterwards: left_out, with MAYDAY_COUNT.",
            "Without --tls-certificate and --tls-key nothing is encrypted: keep an address other than this machine's own "
                + "in a trusted network, or behind a proxy that speaks HTTPS.",
        ],
        examples: [
            "mayday serve",
            "mayday serve --listen 0.0.0.0:7171 --url https://mayday.example.com",
            "mayday serve --tls-certificate chain.pem --tls-key key.pem",
            "mayday serve --on-issue 'echo \"$MAYDAY_TEXT\" | mail -s mayday ops'",
            "mayday serve --store postgres://mayday@db.example.com/mayday",
        ]
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let text = arguments.value("--listen") ?? "127.0.0.1:7171"
        guard let address = ListenAddress(text) else {
            throw arguments.usage("--listen \(text): expected HOST:PORT, such as 127.0.0.1:7171")
        }
        let url = try arguments.value("--url").map { text throws(CommandError) in try BaseURL(text, arguments) }
        let webhook = try webhook(arguments)
        let urls = ProcessInfo.processInfo.environment["DEBUGINFOD_URLS"]
        guard !arguments.has("--debuginfod") || Debuginfod.isNamed(in: urls) else {
            throw arguments.usage("--debuginfod needs servers: DEBUGINFOD_URLS=https://debuginfod.example.com")
        }
        let tls = try tls(arguments)
        let perClient = try arguments.number("--connections-per-client")
        let signals = StopSignals()
        let format = try arguments.choice("--log").flatMap(ServerLog.Format.init(rawValue:)) ?? .text
        let (location, log) = (try arguments.location(), ServerLog.standardError(format))
        let (lock, store) = try CommandError.wrapping { () throws(StoreError) in
            (try location.lock(), try location.create())
        }
        let notifier = Notifier(
            webhook: webhook,
            command: arguments.value("--on-issue"),
            memory: memory(store, log),
            log: log.line
        )
        let symbols = try arguments.symbols()
        let debuginfod = arguments.has("--debuginfod") ? Debuginfod(urls, symbols, log) : nil
        let load = IngestLoad()
        let worker = LocalDigest.worker(store, symbols, log: log.line, mustWait: { load.isHigh }) { written, key in
            tell(notifier, written, key, store)
        } lacks: { buildID in
            debuginfod?.want(buildID)
        }
        let reception = SymbolReception(symbols: symbols, store: store, worker: worker, log: log)
        let server: IngestServer
        do throws(ListenError) {
            var parts = parts(store, worker, notifier, reception, log, tls)
            if let perClient { parts.limits.perClient = perClient }
            parts.load = load
            server = try IngestServer(address, store: store, parts: parts)
        } catch {
            throw CommandError(code: .unreachable, text: "\(error)")
        }
        try CommandError.wrapping { () throws(StoreError) in
            let base = url ?? BaseURL(server.address, isSecure: tls != nil)
            let listening = "\(tls == nil ? "http" : "https")://\(server.address)"
            try announce(listening, base, store, location, arguments, console)
        }
        if !address.isLoopback, tls == nil {
            log.line("\(server.address) is open to the network and speaks no TLS: keep a proxy or a firewall before it")
        }
        worker.start()
        debuginfod?.start(reception)
        let retention = RetentionWorker(store: store, log: log.line)
        log.line("stopping, signal \(signals.wait())")
        server.stop()
        retention.stop()
        worker.stop(within: .seconds(5))
        notifier.stop(within: .seconds(5))
        store.close()
        lock?.release()
        return .done
    }

    /// A URL for `serve`, which nothing else takes.
    private static func webhook(_ arguments: Arguments) throws(CommandError) -> String? {
        let variable = ProcessInfo.processInfo.environment["MAYDAY_ISSUE_WEBHOOK"].flatMap { $0.isEmpty ? nil : $0 }
        guard let text = arguments.value("--webhook") ?? variable else { return nil }
        // It is not repeated: it may hold a secret.
        let name = arguments.has("--webhook") ? "--webhook" : "MAYDAY_ISSUE_WEBHOOK"
        // Foundation takes these, and libcurl refuses them, with every notice.
        if let place = text.utf8.enumerated().first(where: { $1 <= 0x20 || $1 == 0x7f })?.offset {
            throw arguments.usage("\(name): byte \(place + 1) is a space, line end or control character: take it out")
        }
        guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme),
            parts.host?.isEmpty == false
        else {
            throw arguments.usage("\(name): expected http://HOST/PATH or https://HOST/PATH")
        }
        return text
    }

    private static func tls(_ arguments: Arguments) throws(CommandError) -> TLSIdentity? {
        switch (arguments.value("--tls-certificate"), arguments.value("--tls-key")) {
        case (nil, nil): return nil
        case (let certificate?, let key?):
            do throws(TLSError) {
                return try TLSIdentity(certificateFile: certificate, keyFile: key)
            } catch {
                throw CommandError(code: .usage, text: "\(error)")
            }
        case (_?, nil): throw arguments.usage("--tls-certificate needs --tls-key FILE, its private key")
        case (nil, _?): throw arguments.usage("--tls-key needs --tls-certificate FILE")
        }
    }

    /// As `Headline` names the one issue of all rehearsals of a project.
    private static func isOfRehearsals(_ issue: Issue) -> Bool {
        issue.title == "Rehearsal" && issue.culprit == "Mayday.rehearse()"
    }

    private static func tell(
        _ notifier: Notifier,
        _ written: DigestedIn,
        _ report: ReportKey,
        _ store: any Store
    ) {
        // A rehearsal is a crash that somebody made and waits for: nobody is to be woken.
        guard notifier.isWanted, let event = written.event, !isOfRehearsals(written.issue) else { return }
        // Without its releases it is worth telling still.
        let releases = (try? store.releases(of: written.issue.key)) ?? []
        let wanted = ReportSelection(project: report.project, idPrefix: report.id, limit: 1)
        let facts = (try? store.reports(wanted))?.first?.facts
        var issue = written.issue
        issue.environment = facts?.environment
        var notice = IssueNotice(
            event: event,
            entry: IssueList.Entry(issue: issue, releases: releases),
            report: report,
            project: (try? store.project(report.project))?.name ?? "\(report.project)",
            release: written.release
        )
        (notice.environment, notice.host) = (facts?.environment, facts?.host)
        notifier.send(notice)
    }

    /// What is left out is told by the next process, even where this one is killed.
    private static func memory(_ store: any Store, _ log: ServerLog) -> NoticeMemory {
        NoticeMemory { note, channel in
            do throws(StoreError) { try store.keepNote(note, about: channel) } catch { log.line("notify: \(error)") }
        } take: { channel in
            do throws(StoreError) { return try store.takeNotes(about: channel) } catch {
                log.line("notify: \(error)")
                return []
            }
        }
    }

    private static func parts(
        _ store: any Store,
        _ worker: DigestWorker,
        _ notifier: Notifier,
        _ reception: SymbolReception,
        _ log: ServerLog,
        _ tls: TLSIdentity?
    ) -> IngestServer.Parts {
        var parts = IngestServer.Parts()
        parts.symbols = reception.uploads
        parts.tls = tls
        parts.log = log
        parts.onStored = worker.wake
        parts.metrics = {
            let help = "Reports digested since the start."
            return [
                Metric("mayday_digests_total", label: "result=\"done\"", help: help, value: worker.done),
                Metric("mayday_digests_total", label: "result=\"failed\"", help: help, value: worker.failed),
            ] + notices(notifier)
        }
        let api = ReadAPI(store)
        parts.read = { request throws(StoreError) in
            switch try api.answer(request.path, request.query, isChange: request.isChange) {
            case .json(let value): .json(value)
            case .file(let bytes): .file(bytes)
            case .missing(let text): .missing(text)
            case .wrong(let text): .wrong(text)
            }
        }
        return parts
    }

    private static func notices(_ notifier: Notifier) -> [Metric] {
        let counts = notifier.counts
        let help = "Notices of new and regressed issues, to the webhook and the command."
        return [("delivered", counts.delivered), ("failed", counts.failed), ("suppressed", counts.suppressed)].map {
            Metric("mayday_notices_total", label: "result=\"\($0.0)\"", help: help, value: $0.1)
        }
    }

    /// Says where it listens and, at the first start, the secrets, for a person and for a script.
    private static func announce(
        _ address: String,
        _ url: BaseURL,
        _ store: any Store,
        _ location: StoreLocation,
        _ arguments: Arguments,
        _ console: Console
    ) throws(StoreError) {
        do throws(StoreError) {
            if try store.publicURL() != url.text { try store.setPublicURL(url.text) }
        } catch {
            // A full disk is no reason not to be there: what is stored can be read, and services hear that they are to wait.
            console.note("the URL for DSNs stays as it was: \(error)")
        }
        let (key, token) = (Secret.random(), Secret.random())
        let project = try store.setUp(project: "default", key: key.hash, adminToken: token.hash, at: .now())
        let dsn = project.map { url.dsn(key: key, project: $0.id) }
        if arguments.has("--json") {
            var members: [String: JSONValue] = ["listening": .string(address)]
            if let dsn {
                members["dsn"] = .string(dsn)
                members["admin_token"] = .string(token.text)
            }
            return console.print(.object(members))
        }
        if let dsn {
            console.print([
                "# First start: project 1, \"default\". Shown once; lost ones are replaced by `mayday projects rotate`.",
                "MAYDAY_DSN=\(dsn)", "MAYDAY_ADMIN_TOKEN=\(token.text)",
            ])
        }
        console.print("listening on \(address), data in \(location)")
    }
}

/// SIGTERM and SIGINT, kept back from every thread that starts later until they are waited for.
private struct StopSignals {
    private var set = sigset_t()

    init() {
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // Where whoever started it ignores that, nobody could wait for a child and learn how it ended.
        signal(SIGCHLD, SIG_DFL)
    }

    /// Waits for one, and from then on lets a second one end the process at once.
    func wait() -> Int32 {
        var set = set
        var signal: Int32 = 0
        while sigwait(&set, &signal) != 0 {}
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        return signal
    }
}
