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

    func deliver(_ notice: any Notice, before deadline: () -> ContinuousClock.Instant) throws(NoticeFailure) {
        let began = ContinuousClock.now
        let timeout = began.duration(to: deadline())
        // Sockets: unlike a pipe, one can be written to without a signal when nobody reads.
        var input: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &input) == 0 else {
            throw NoticeFailure(reason: Self.error())
        }
        guard let errors = ErrorOutput() else {
            for end in input { close(end) }
            throw NoticeFailure(reason: Self.error())
        }
        let pid = start(notice, input: input[1], errors: errors.writeEnd)
        close(input[1])
        errors.closeWriteEnd()
        let text = Array((notice.json.text + "\n").utf8)
        _ = send(input[0], text, text.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        close(input[0])
        guard let pid else { throw NoticeFailure(reason: Self.error()) }
        let hasEnded = watch(pid, errors, until: deadline)
        // It and what it started. The number is the group's own for as long as nobody has waited for its leader.
        kill(-pid, SIGKILL)
        errors.read()
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        guard hasEnded else {
            let isShortened = began.duration(to: .now) < timeout
            throw NoticeFailure(reason: isShortened ? "was ended with the collector" : "took longer than \(timeout)")
        }
        guard status != 0 else { return }
        let ended = status & 0x7f == 0 ? "exited with \(status >> 8 & 0xff)" : "was ended by signal \(status & 0x7f)"
        throw NoticeFailure(reason: errors.lastLine.map { "\(ended): \($0)" } ?? ended)
    }

    private func start(_ notice: any Notice, input: Int32, errors: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { posix_spawn_file_actions_destroy(&actions) }
        guard posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        // Where a command is likely to repeat the notice, which is not for the log.
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
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

    private func variables(of notice: any Notice) -> [String: String] {
        var all = environment.filter { !Self.secrets.contains($0.key) }
        all.merge(notice.variables) { $1 }
        return all
    }

    /// Reads what it says until it has ended, which leaves it to be waited for; false when it has not in time.
    ///
    /// The end of its output says nothing: what it started may have that open for much longer.
    private func watch(_ pid: pid_t, _ errors: ErrorOutput, until deadline: () -> ContinuousClock.Instant) -> Bool {
        while true {
            var ended = siginfo_t()
            let code = waitid(P_PID, id_t(pid), &ended, WEXITED | WNOHANG | WNOWAIT)
            guard code == 0 || errno == EINTR else { return false }
            if code == 0, ended.si_signo == SIGCHLD { return true }
            // In short steps: the time may become shorter.
            guard ContinuousClock.now < deadline() else { return false }
            errors.read(waiting: 5)
        }
    }

    private static func error() -> String { "cannot be started: \(String(cString: strerror(errno)))" }
}

/// What a command writes to its standard error: a pipe, and the end of what came.
private final class ErrorOutput {
    private var ends: [Int32] = [-1, -1]
    private var said: [UInt8] = []
    private static let largest = 512

    /// Nil when there are no descriptors left.
    init?() {
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    }

    deinit { for end in ends where end >= 0 { close(end) } }

    var writeEnd: Int32 { ends[1] }

    func closeWriteEnd() {
        close(ends[1])
        ends[1] = -1
    }

    /// Where a program usually says why it failed.
    var lastLine: String? {
        String(decoding: said, as: UTF8.self).split(whereSeparator: \.isNewline).last.map(String.init)
    }

    /// Reads what is there, after a wait of at most so many milliseconds for it; no more than a pipe holds, as it may have no end.
    func read(waiting milliseconds: Int32 = 0) {
        // Without a descriptor, after its end, that is a wait.
        var waited = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        guard poll(&waited, 1, milliseconds) > 0 else { return }
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        let count = Foundation.read(ends[0], &piece, piece.count)
        if count > 0 {
            said = (said + piece.prefix(count)).suffix(Self.largest)
        } else if count == 0 {
            close(ends[0])
            ends[0] = -1
        }
    }
}
