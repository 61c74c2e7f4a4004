import Client
import Foundation
import Query
import Remote
import Store

/// The collector: its store, or its server from outside.
enum CollectorCheckup {
    // MARK: Store

    /// - Returns: what was found, and false when the store cannot be opened.
    static func run(_ location: StoreLocation) -> (Checkup, isOpen: Bool) {
        var checkup = Checkup("collector, data in \(location)")
        let store: any Store
        do throws(StoreError) {
            store = try location.open()
        } catch {
            checkup.problem("store", "\(error)")
            return (checkup, false)
        }
        defer { store.close() }
        checkup.ok("store", "can be opened")
        if case .directory(let directory) = location {
            access(directory, &checkup)
            room(directory, &checkup)
        }
        BinaryCheckup.library(
            "libdw.so.1",
            package: "libdw1",
            without: "reports have no functions and lines",
            &checkup
        )
        do throws(StoreError) {
            let url = try store.publicURL()
            try server(location, store, url, &checkup)
            try projects(store, &checkup)
            try digestion(store, &checkup)
            try symbols(store, &checkup)
        } catch {
            checkup.problem("store", "\(error)")
        }
        return (checkup, true)
    }

    private static func access(_ directory: DataDirectory, _ checkup: inout Checkup) {
        var status = stat()
        guard stat(directory.path, &status) == 0 else { return }
        let mode = String(status.st_mode & 0o7777, radix: 8)
        if status.st_mode & 0o077 != 0 {
            checkup.warning(
                "access",
                "others may read it (mode 0\(mode)): reports hold private data",
                "chmod 700 \(directory.path)"
            )
        } else if status.st_uid != geteuid() {
            checkup.ok("access", "for user \(status.st_uid) alone; this is user \(geteuid())")
        } else {
            checkup.ok("access", "for this user alone")
        }
    }

    private static func room(_ directory: DataDirectory, _ checkup: inout Checkup) {
        var system = statvfs()
        guard statvfs(directory.path, &system) == 0 else { return }
        let free = (UInt64(system.f_bavail) * UInt64(system.f_frsize)) >> 20
        let files = system.f_files == 0 ? UInt64.max : UInt64(system.f_favail)
        if free < 16 || files < 16 {
            checkup.problem("disk", "full (\(free) MiB left): reports are refused with 503", "make room")
        } else if free < 256 {
            checkup.warning("disk", "\(free) MiB left", "make room before reports are refused")
        } else {
            checkup.ok("disk", "\(free) MiB left")
        }
    }

    private static func server(
        _ location: StoreLocation,
        _ store: any Store,
        _ url: String?,
        _ checkup: inout Checkup
    ) throws(StoreError) {
        guard try store.isServed() else {
            checkup.problem(
                "server",
                "not running: services keep their reports in the spool meanwhile",
                "mayday serve \(location.flag)"
            )
            return
        }
        guard let url else { return checkup.ok("server", "running") }
        checkup.ok("server", "running, told to services as \(url)")
        checkup.add(health(url).0)
    }

    private static func projects(_ store: any Store, _ checkup: inout Checkup) throws(StoreError) {
        let projects = try store.projects()
        if projects.isEmpty {
            checkup.problem("projects", "none: no report is accepted", "mayday projects add NAME")
        } else {
            checkup.ok("projects", projects.map { "\($0.id) \($0.name)" }.joined(separator: ", "))
        }
    }

    private static func digestion(_ store: any Store, _ checkup: inout Checkup) throws(StoreError) {
        let counts = try store.digestCounts(ofProject: nil)
        if counts.failed > 0 {
            checkup.warning(
                "digestion",
                "\(counts.failed) reports could not be digested and are in no issue",
                "`mayday reports` lists them, `mayday show` says why; the next start of `mayday serve` tries again"
            )
        } else if counts.pending > 0 {
            checkup.ok("digestion", "\(counts.pending) reports wait")
        } else {
            checkup.ok("digestion", "nothing waits")
        }
    }

    /// Reports looked at for missing symbols.
    private static let recent = 20

    private static func symbols(_ store: any Store, _ checkup: inout Checkup) throws(StoreError) {
        let reports = try store.reports(ReportSelection(limit: recent))
        var missing: [String] = []
        for report in reports {
            for image in try store.body(of: report.key)?.remarks.images ?? [] where !missing.contains(image.text) {
                missing.append(image.text)
            }
        }
        if reports.isEmpty {
            checkup.ok("symbols", "no report yet")
        } else if missing.isEmpty {
            checkup.ok("symbols", "known for the newest \(reports.count == 1 ? "report" : "\(reports.count) reports")")
        } else {
            let more = missing.count > 3 ? " (and \(missing.count - 3) more)" : ""
            checkup.warning(
                "symbols",
                "not all known for the newest reports: " + missing.prefix(3).joined(separator: "; ") + more,
                "`mayday doctor BINARY` says where the debug information of a binary would be found"
            )
        }
    }

    // MARK: Server

    /// - Returns: what was found, and false when nobody answered.
    static func server(_ url: String, _ arguments: Arguments) throws(CommandError) -> (Checkup, isReached: Bool) {
        guard let parts = URLComponents(string: url), ["http", "https"].contains(parts.scheme),
            parts.host?.isEmpty == false
        else {
            throw arguments.usage("--server \(url): expected http://HOST:PORT or https://HOST")
        }
        var checkup = Checkup("collector at \(url)")
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        let (found, isReached) = health(base)
        checkup.add(found)
        if isReached { token(base, &checkup) }
        return (checkup, isReached)
    }

    /// Whether the token that commands would send is taken.
    private static func token(_ url: String, _ checkup: inout Checkup) {
        guard let (name, token) = Arguments.tokenVariable(ProcessInfo.processInfo.environment) else { return }
        do throws(QueryError) {
            let projects = try RemoteReader(url: url, token: token, tokenName: name).projects()
            checkup.ok("token", "\(name) is taken")
            checkup.ok("projects", projects.map { "\($0.id) \($0.name)" }.joined(separator: ", "))
        } catch {
            checkup.problem("token", "\(error)")
        }
    }

    /// Asks `/healthz`.
    private static func health(_ url: String) -> (Checkup, isReached: Bool) {
        var checkup = Checkup(url)
        var call = HTTPCall("\(url)/healthz", timeout: .seconds(5))
        call.largestAnswer = 64 << 10
        do throws(HTTPCall.Failure) {
            let answer = try call.send()
            if answer.status == 200 {
                checkup.ok("health", "\(url)/healthz answers 200")
            } else {
                let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
                checkup.problem("health", "\(url)/healthz answers \(answer.status): \(text)")
            }
        } catch {
            checkup.problem(
                "health",
                "\(url) cannot be reached from here: \(error.reason)",
                error.remedy ?? "see that it runs (`mayday serve`), and that a firewall or proxy lets it through"
            )
            return (checkup, false)
        }
        return (checkup, true)
    }
}
