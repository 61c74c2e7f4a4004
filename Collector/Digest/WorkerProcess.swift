import Foundation

/// The collector's end of a process that reads debug files.
protocol Worker: AnyObject {
    /// Sends a message.
    func send(_ message: WorkerMessage) throws(WorkerEnd)
    /// Waits for a message.
    func receive(before deadline: ContinuousClock.Instant) throws(WorkerEnd) -> WorkerMessage
    /// Index of the image that is or was being worked on; nil for none.
    var image: Int? { get }
}

/// How a process that reads debug files ended; nothing more comes from it.
struct WorkerEnd: Error, Equatable {
    /// `ran out of memory or crashed (signal 6)`, as what its file did to it.
    var reason: String
}

/// A process that reads debug files, ended when this is let go of.
///
/// Not thread-safe.
final class WorkerProcess: Worker {
    let pid: pid_t
    private let input: Int32
    private let output: Int32
    private let progress: Int32
    private var isReaped = false

    /// Starts a program with its limits as arguments; throws when there is none to be started.
    init(_ executable: String, _ arguments: [String]) throws(WorkerEnd) {
        let ends = try Self.pipes()
        progress = try Self.progressFile()
        defer {
            close(ends[0])
            close(ends[3])
        }
        (input, output) = (ends[1], ends[2])
        guard let pid = Self.start(executable, arguments, descriptors: [ends[0], ends[3], progress]) else {
            for descriptor in [input, output, progress] { close(descriptor) }
            throw WorkerEnd(reason: "could not be started: \(String(cString: strerror(errno)))")
        }
        self.pid = pid
    }

    deinit {
        if !isReaped { kill(pid, SIGKILL) }
        for descriptor in [input, output, progress] { close(descriptor) }
        if !isReaped { _ = reap() }
    }

    var image: Int? {
        var number = Int32(-1)
        guard pread(progress, &number, MemoryLayout.size(ofValue: number), 0) == MemoryLayout.size(ofValue: number),
            number >= 0
        else { return nil }
        return Int(number)
    }

    func send(_ message: WorkerMessage) throws(WorkerEnd) {
        var rest = message.bytes[...]
        while !rest.isEmpty {
            // A worker that is gone is an error here, and no signal.
            let count = rest.withUnsafeBytes {
                Foundation.send(input, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw ended() }
            rest = rest.dropFirst(count)
        }
    }

    func receive(before deadline: ContinuousClock.Instant) throws(WorkerEnd) -> WorkerMessage {
        let header = try read(WorkerMessage.headerLength, before: deadline)
        guard let length = WorkerMessage.length(header) else { throw end("answered in a way that is not understood") }
        let payload = try read(length, before: deadline)
        guard let message = WorkerMessage(header: header, payload: payload) else {
            throw end("answered in a way that is not understood")
        }
        return message
    }

    private func read(_ count: Int, before deadline: ContinuousClock.Instant) throws(WorkerEnd) -> [UInt8] {
        var bytes: [UInt8] = []
        // Not all at once: how much is to come is what the other side says.
        var buffer = [UInt8](repeating: 0, count: min(count, 1 << 20))
        while bytes.count < count {
            let left = deadline - .now
            var poller = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let ready = left > .zero ? poll(&poller, 1, Int32(clamping: Int(left / .milliseconds(1)) + 1)) : 0
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw end("took longer than its time") }
            let wanted = min(buffer.count, count - bytes.count)
            let got = buffer.withUnsafeMutableBytes { Foundation.read(output, $0.baseAddress, wanted) }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw ended() }
            bytes += buffer[..<got]
        }
        return bytes
    }

    /// Ends it, for that reason.
    private func end(_ reason: String) -> WorkerEnd {
        if !isReaped {
            kill(pid, SIGKILL)
            _ = reap()
        }
        return WorkerEnd(reason: reason)
    }

    /// It went by itself.
    private func ended() -> WorkerEnd {
        guard !isReaped else { return WorkerEnd(reason: "ended") }
        // It may have closed its pipe and live on.
        kill(pid, SIGKILL)
        let status = reap()
        let signal = status & 0x7f
        let reason =
            switch signal {
            case SIGXCPU: "took longer than its processor time"
            case 0: "ended with code \(status >> 8 & 0xff)"
            case SIGKILL: "was killed, or ran out of memory"
            default: "crashed, or ran out of memory (signal \(signal))"
            }
        return WorkerEnd(reason: reason)
    }

    private func reap() -> Int32 {
        isReaped = true
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status
    }

    // MARK: Start

    private static func pipes() throws(WorkerEnd) -> [Int32] {
        var ends: [Int32] = [-1, -1, -1, -1]
        let isMade = ends.withUnsafeMutableBufferPointer { ends in
            guard let base = ends.baseAddress else { return false }
            return socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, base) == 0 && pipe(base + 2) == 0
        }
        guard isMade else {
            for descriptor in ends where descriptor >= 0 { close(descriptor) }
            throw WorkerEnd(reason: "could not be started: \(String(cString: strerror(errno)))")
        }
        for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    private static func progressFile() throws(WorkerEnd) -> Int32 {
        let directory = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(directory)/mayday-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw WorkerEnd(
                reason: "could not be started: no file in \(directory): \(String(cString: strerror(errno)))"
            )
        }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var none = Int32(-1)
        _ = pwrite(descriptor, &none, MemoryLayout.size(ofValue: none), 0)
        return descriptor
    }

    private static func start(_ executable: String, _ arguments: [String], descriptors: [Int32]) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
        defer { posix_spawn_file_actions_destroy(&actions) }
        // First out of the way of the numbers that they are to have.
        for (index, descriptor) in descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(200 + index))
        }
        let numbers = [STDIN_FILENO, STDOUT_FILENO, DigestService.progressDescriptor]
        for (index, number) in numbers.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, Int32(200 + index), number)
            posix_spawn_file_actions_addclose(&actions, Int32(200 + index))
        }
        // What a dying process prints is of no use to who reads the collector's log: the note of the report says it.
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        let words = strings([executable] + arguments)
        let variables = strings(environment)
        defer { for text in words + variables { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, executable, &actions, nil, words, variables)
        errno = code
        return code == 0 ? pid : nil
    }

    /// Nothing of the collector's secrets; no backtracer, which would take its time at each crash; and what one report took of the
    /// memory stays for the next (mallopt(3)).
    private static var environment: [String] {
        let kept = ["PATH", "LD_LIBRARY_PATH", "LANG", "TZ"]
        return kept.compactMap { name in
            ProcessInfo.processInfo.environment[name].map { "\(name)=\($0)" }
        } + [
            "SWIFT_BACKTRACE=enable=no", "MALLOC_TRIM_THRESHOLD_=67108864", "MALLOC_MMAP_THRESHOLD_=33554432",
        ]
    }

    private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }
}
