import CrashReport
import Foundation
import Query
import Store

/// A command of the shell, with the notice on its standard input and in its environment.
struct CommandChannel: NoticeChannel {
    let command: String
    let environment: [String: String]
    let name = "the command"

    /// What the collector alone should know.
    private static let secrets = ["MAYDAY_STORE", "MAYDAY_ISSUE_WEBHOOK", "PGPASSWORD"]
    private static let largestOutput = 512

    func deliver(_ notice: IssueNotice, before deadline: () -> ContinuousClock.Instant) throws(NoticeFailure) {
        let began = ContinuousClock.now
        let timeout = began.duration(to: deadline())
        // Sockets: unlike a pipe, one can be written to without a signal when nobody reads.
        var input: [Int32] = [0, 0]
        var output: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &input) == 0 else {
            throw NoticeFailure(reason: Self.error())
        }
        guard pipe(&output) == 0 else {
            for end in input { close(end) }
            throw NoticeFailure(reason: Self.error())
        }
        for end in output { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let pid = start(notice, input: input[1], output: output[1])
        close(input[1])
        close(output[1])
        defer { close(output[0]) }
        let text = Array((notice.json.text + "\n").utf8)
        _ = send(input[0], text, text.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        close(input[0])
        guard let pid else { throw NoticeFailure(reason: Self.error()) }
        let said = read(output[0], until: deadline)
        guard let status = wait(for: pid, until: deadline) else {
            // It and what it started.
            kill(-pid, SIGKILL)
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            let isShortened = began.duration(to: .now) < timeout
            throw NoticeFailure(reason: isShortened ? "was ended with the collector" : "took longer than \(timeout)")
        }
        guard status != 0 else { return }
        let ended = status & 0x7f == 0 ? "exited with \(status >> 8 & 0xff)" : "was ended by signal \(status & 0x7f)"
        throw NoticeFailure(reason: said.isEmpty ? ended : "\(ended): \(said)")
    }

    private func start(_ notice: IssueNotice, input: Int32, output: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { posix_spawn_file_actions_destroy(&actions) }
        guard posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        // `serve` keeps signals back that the command has to have, and a group of its own can be ended as one.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        let arguments = Self.strings(["sh", "-c", command])
        let variables = Self.strings(variables(of: notice).map { "\($0.key)=\($0.value)" })
        defer { for text in arguments + variables { free(text) } }
        var pid: pid_t = 0
        return posix_spawn(&pid, "/bin/sh", &actions, &attributes, arguments, variables) == 0 ? pid : nil
    }

    /// Copies for C, and the nil that ends them.
    private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    private func variables(of notice: IssueNotice) -> [String: String] {
        var all = environment.filter { !Self.secrets.contains($0.key) }
        let issue = notice.entry.issue
        all["MAYDAY_EVENT"] = notice.name
        all["MAYDAY_TEXT"] = notice.text
        all["MAYDAY_COMMAND"] = notice.command
        all["MAYDAY_PROJECT"] = "\(issue.key.project)"
        all["MAYDAY_PROJECT_NAME"] = notice.project
        all["MAYDAY_ISSUE"] = "\(issue.key.number)"
        all["MAYDAY_REPORT"] = notice.report.id
        // Not MAYDAY_RELEASE and MAYDAY_ENVIRONMENT, which would be settings of a command that is itself a service.
        all["MAYDAY_REPORT_RELEASE"] = notice.release
        all["MAYDAY_REPORT_ENVIRONMENT"] = notice.environment
        all["MAYDAY_REPORT_HOST"] = notice.host
        return all
    }

    /// The beginning of what it says, until it has ended or the time is over.
    private func read(_ descriptor: Int32, until deadline: () -> ContinuousClock.Instant) -> String {
        var said: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4_096)
        while true {
            let rest = ContinuousClock.now.duration(to: deadline())
            guard rest > .zero else { break }
            var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // In short steps: the time may become shorter.
            let ready = poll(&waited, 1, Int32(clamping: Int(min(rest, .milliseconds(100)) / .milliseconds(1)) + 1))
            if ready == 0 { continue }
            guard ready > 0 || errno == EINTR else { break }
            if ready < 0 { continue }
            let count = Foundation.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            said += piece.prefix(min(count, Self.largestOutput - said.count))
        }
        let text = String(decoding: said, as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    }

    /// Its status; nil when it has not ended in time.
    private func wait(for pid: pid_t, until deadline: () -> ContinuousClock.Instant) -> Int32? {
        var status: Int32 = 0
        while true {
            let ended = waitpid(pid, &status, WNOHANG)
            if ended == pid { return status }
            guard ended == 0 || errno == EINTR, ContinuousClock.now < deadline() else { return nil }
            usleep(2_000)
        }
    }

    private static func error() -> String { "cannot be started: \(String(cString: strerror(errno)))" }
}
