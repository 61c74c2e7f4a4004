import Foundation

/// The program that shows what is longer than the terminal: `PAGER`, or `less`.
struct Pager {
    private let command: String
    private let environment: [String: String]

    /// Nil when there is none, or `PAGER` is empty or `cat`.
    init?(_ environment: [String: String]) {
        let command = environment["PAGER"] ?? "less"
        guard !command.isEmpty, command != "cat" else { return nil }
        self.command = command
        // Colours pass through, what fits ends at once, and the text stays on the screen.
        self.environment = environment.merging(["LESS": "FRX", "LESSCHARSET": "utf-8"]) { own, _ in own }
    }

    /// Shows the lines and waits for the person; false when the pager cannot be started, and nothing was shown.
    func show(_ lines: [String]) -> Bool {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return false }
        // The pager would wait for the end of its input for as long as it has the other end of it.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let pid = start(input: ends[0])
        close(ends[0])
        guard let pid else {
            close(ends[1])
            return false
        }
        // Ctrl-C is the pager's, as it has the terminal.
        signal(SIGINT, SIG_IGN)
        let input = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        // A pager that is left early closes its end, which is no failure.
        try? input.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
        try? input.close()
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        signal(SIGINT, SIG_DFL)
        // What the shell says of a program that is not there or cannot be run.
        let code = status & 0x7f == 0 ? status >> 8 & 0xff : 0
        return code != 126 && code != 127
    }

    private func start(input: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        let arguments = Self.strings(["sh", "-c", command])
        let variables = Self.strings(environment.map { "\($0.key)=\($0.value)" })
        defer { for text in arguments + variables { free(text) } }
        var pid: pid_t = 0
        return posix_spawn(&pid, "/bin/sh", &actions, nil, arguments, variables) == 0 ? pid : nil
    }

    /// Copies for C, and the nil that ends them.
    private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }
}
