import CrashReport
import Dispatch
import Foundation
import Ingest
import SymbolStore
import Symbolication
import Synchronization

/// Asks debuginfod servers for debug files that reports lack, one at a time, on a thread of its own.
///
/// Digestion never waits for it: a report is digested again when its file has come. Which servers do not have a build is
/// remembered on the disk for a while, so that neither a crash loop nor a restart asks them over and over.
final class Debuginfod: Sendable {
    private let servers: [String]
    private let symbols: SymbolStore
    private let log: ServerLog
    private let queue = Mutex<[String]>([])
    private let waiting = DispatchSemaphore(value: 0)

    /// Builds that wait to be asked for; more are asked for when another report lacks them.
    private static let maximumQueue = 1_000
    /// Bytes of a file that is taken.
    private static let maximumSize = 2 << 30
    /// Seconds for which a build that no server has is not asked for again, and one that could not be asked for.
    private static let lifetimes = (missing: 86_400, failed: 600)

    /// Nil when the variable names no server.
    init?(_ urls: String?, _ symbols: SymbolStore, _ log: ServerLog) {
        servers = Self.servers(in: urls)
        (self.symbols, self.log) = (symbols, log)
        if servers.isEmpty { return nil }
    }

    /// True when the variable names a server.
    static func isNamed(in urls: String?) -> Bool { !servers(in: urls).isEmpty }

    private static func servers(in urls: String?) -> [String] {
        (urls ?? "").split(whereSeparator: \.isWhitespace).map(String.init).filter {
            $0.hasPrefix("http://") || $0.hasPrefix("https://")
        }.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    }

    /// Says that reports lack a build. Cheap; from any thread.
    func want(_ buildID: String) {
        let isNew = queue.withLock { queue in
            guard queue.count < Self.maximumQueue, !queue.contains(buildID) else { return false }
            queue.append(buildID)
            return true
        }
        if isNew { waiting.signal() }
    }

    /// Starts the thread, first for what reports lack from earlier.
    func start(_ reception: SymbolReception) {
        log.line("debuginfod: asking \(servers.joined(separator: ", "))")
        for build in WaitingReports(symbols).builds { want(build.buildID) }
        let thread = Thread {
            while true {
                self.waiting.wait()
                guard let buildID = self.queue.withLock({ $0.first }) else { continue }
                self.fetch(buildID, reception)
                self.queue.withLock { _ = $0.removeFirst() }
            }
        }
        thread.name = "debuginfod"
        thread.start()
    }

    private func fetch(_ buildID: String, _ reception: SymbolReception) {
        guard symbols.entry(of: buildID)?.content != .debugInformation, !isRemembered(buildID) else { return }
        var hasFailed = false
        for server in servers {
            switch ask(server, buildID, reception) {
            case .kept: return
            case .missing: continue
            case .failed(let reason):
                log.line("debuginfod: \(server): build \(buildID): \(reason)")
                hasFailed = true
            }
        }
        remember(buildID, hasFailed: hasFailed)
    }

    private enum Outcome {
        case kept
        case missing
        case failed(String)
    }

    private func ask(_ server: String, _ buildID: String, _ reception: SymbolReception) -> Outcome {
        let directory = "\(symbols.path)/incoming"
        mkdir(symbols.path, 0o700)
        mkdir(directory, 0o700)
        let path = "\(directory)/\(buildID).debuginfod.\(getpid())"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return .failed("\(path): \(String(cString: strerror(errno)))") }
        defer {
            close(descriptor)
            unlink(path)
        }
        var transfer = FileTransfer(url: "\(server)/buildid/\(buildID)/debuginfo")
        transfer.deadline = .seconds(600)
        let answer: FileTransfer.Answer
        do throws(FileTransfer.Failure) {
            answer = try transfer.get(into: descriptor, limit: Self.maximumSize)
        } catch {
            return .failed(error.reason)
        }
        switch answer.status {
        case 200: break
        case 404: return .missing
        default: return .failed("answered \(answer.status)")
        }
        switch reception.take(path, buildID, "from \(server)") {
        case .stored, .duplicate: return .kept
        case .mismatch(let found): return .failed("sent build \(found)")
        case .refused(let reason), .failed(let reason): return .failed(reason)
        }
    }

    // MARK: What is not there

    private func record(_ buildID: String) -> String { "\(symbols.path)/debuginfod/\(buildID)" }

    private func isRemembered(_ buildID: String) -> Bool {
        var facts = stat()
        guard lstat(record(buildID), &facts) == 0 else { return false }
        let lifetime = facts.st_size > 0 ? Self.lifetimes.failed : Self.lifetimes.missing
        return (0..<lifetime).contains(time(nil) - facts.st_mtim.tv_sec)
    }

    /// A file for each build, empty when all servers answered that they do not have it.
    private func remember(_ buildID: String, hasFailed: Bool) {
        let directory = "\(symbols.path)/debuginfod"
        mkdir(directory, 0o700)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] where !isRemembered(name) {
            unlink(record(name))
        }
        _ = FileManager.default.createFile(atPath: record(buildID), contents: Data((hasFailed ? "failed\n" : "").utf8))
    }
}
