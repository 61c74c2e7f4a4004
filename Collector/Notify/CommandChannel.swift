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
        guard let output = Output(), let errors = Output() else {
            for end in input { close(end) }
            throw NoticeFailure(reason: Self.error())
        }
        let pid = start(notice, input: input[1], output: output.writeEnd, errors: errors.writeEnd)
        close(input[1])
        output.closeWriteEnd()
        errors.closeWriteEnd()
        let text = Array((notice.json.text + "\n").utf8)
        _ = send(input[0], text, text.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        close(input[0])
        guard let pid else { throw NoticeFailure(reason: Self.error()) }
        Output.read([output, errors], until: deadline)
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
        let said = errors.lastLine ?? output.lastLine
        throw NoticeFailure(reason: said.map { "\(ended): \($0)" } ?? ended)
    }

    private func start(_ notice: any Notice, input: Int32, output: Int32, errors: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { posix_spawn_file_actions_destroy(&actions) }
        guard posix_spawnattr_init(&attributes) == 0 else { return nil }
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
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

/// What a command writes to one of its outputs: a pipe, and the end of what came.
private final class Output {
    private var ends: [Int32] = [-1, -1]
    private var said: [UInt8] = []
    private static let largest = 512

    /// Nil when there are no descriptors left.
    init?() {
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
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

    /// Reads until all have ended or the time is over.
    static func read(_ outputs: [Output], until deadline: () -> ContinuousClock.Instant) {
        var open = outputs
        while !open.isEmpty {
            let rest = ContinuousClock.now.duration(to: deadline())
            guard rest > .zero else { return }
            var waited = open.map { pollfd(fd: $0.ends[0], events: Int16(POLLIN), revents: 0) }
            // In short steps: the time may become shorter.
            let milliseconds = Int32(clamping: Int(min(rest, .milliseconds(100)) / .milliseconds(1)) + 1)
            let ready = poll(&waited, nfds_t(waited.count), milliseconds)
            guard ready >= 0 || errno == EINTR else { return }
            if ready <= 0 { continue }
            open = zip(open, waited).filter { $0.1.revents == 0 || $0.0.readSome() }.map(\.0)
        }
    }

    /// False at its end.
    private func readSome() -> Bool {
        var piece = [UInt8](repeating: 0, count: 4_096)
        let count = Foundation.read(ends[0], &piece, piece.count)
        if count < 0 { return errno == EINTR }
        said = (said + piece.prefix(count)).suffix(Self.largest)
        return count > 0
    }
}
