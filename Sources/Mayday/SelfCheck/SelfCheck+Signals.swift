internal import CrashCapture
internal import CrashReport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

// Whether a crash comes to our handler, and can be handled there.
extension SelfCheck {
    static func handlers() -> Finding {
        var lost: [String] = []
        var before: [(owner: String, signals: [String])] = []
        for index in 0..<mayday_inspect_count() {
            let signal = mayday_inspect_signal(index)
            let name = signalName(signal)
            let previous = mayday_inspect_previous(signal)
            // What is only sent stays ignored where it was, see `mayday_arm`.
            if signal == SIGQUIT, previous.kind == MAYDAY_HANDLER_IGNORED { continue }
            let now = mayday_inspect_handler(signal)
            if now.kind != MAYDAY_HANDLER_OURS { lost.append("\(name) goes to \(now.owner)") }
            guard previous.kind == MAYDAY_HANDLER_OTHER else { continue }
            if let known = before.firstIndex(where: { $0.owner == previous.owner }) {
                before[known].signals.append(name)
            } else {
                before.append((previous.owner, [name]))
            }
        }
        if !lost.isEmpty {
            return .problem(
                "handlers",
                "taken over after start: \(lost.joined(separator: ", "))",
                "let that be installed before Mayday.start, or let it call the handler that was there before it"
            )
        }
        let next = before.map { "\($0.owner) for \($0.signals.joined(separator: " "))" }
        return .ok(
            "handlers",
            "first for every captured signal; then "
                + (next.isEmpty ? "the default action" : next.joined(separator: ", "))
        )
    }

    /// A fault whose signal is blocked ends the process without calling any handler.
    static func signalMasks(_ threads: [ThreadStatus]) -> Finding {
        let faults = mayday_inspect_faults()
        var deaf = threads.filter { $0.blocked & faults != 0 }
        // A thread that is being born, or starts another, blocks everything for a moment: libc does.
        for _ in 0..<5 where !deaf.isEmpty {
            usleep(2_000)
            let now = ThreadStatus.all()
            deaf = deaf.filter { before in now.contains { $0.id == before.id && $0.blocked & faults != 0 } }
        }
        guard deaf.isEmpty else {
            let names = deaf.prefix(5).map { "\($0.id) \"\($0.name)\" (\(signalNames($0.blocked & faults)))" }
            return .warning(
                "signal masks",
                "a crash is not captured on \(counted(deaf.count, "thread")) that blocked what faults raise: "
                    + names.joined(separator: ", ") + (deaf.count > names.count ? " …" : ""),
                "leave SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV and SIGSYS out of the set that is blocked"
            )
        }
        let silent = threads.count { $0.blocked & bit(SIGPROF) != 0 }
        let note = silent == 0 ? "" : "; \(silent) blocked SIGPROF and would be without a stack"
        return .ok("signal masks", "\(counted(threads.count, "thread")), none blocks what faults raise\(note)")
    }

    static func alternateStacks() -> Finding {
        let size = mayday_inspect_alternate_stack()
        guard size > 0 else {
            return .warning(
                "alternate stacks",
                "this thread has none, and an overflow of its stack is not captured: it is older than the program's own code",
                "run what may recurse deeply on a thread that is started later"
            )
        }
        guard mayday_inspect_creates_threads() else {
            return .warning(
                "alternate stacks",
                "another pthread_create comes before Mayday's, and an overflow of a thread's stack is not captured",
                "remove what interposes it (LD_PRELOAD, a sanitizer)"
            )
        }
        return .ok(
            "alternate stacks",
            "\(size >> 10) KiB here, and one for each thread that is started; those of libraries' early threads are not known"
        )
    }

    static func unwinder() -> Finding {
        if String(cString: mayday_capture_unwinder()) == "libunwind" {
            return .ok("unwinder", "libunwind")
        }
        let problem = String(cString: mayday_capture_unwinder_problem())
        return .warning(
            "unwinder",
            "frame pointers: stacks may have gaps and no async callers, since libunwind.so.8 could not be loaded at start",
            "\(ErrorRemedy.ofLoading(problem, package: "libunwind8")) and start again"
        )
    }

    /// SIGPROF stops the other threads during a capture.
    static func profiler() -> Finding {
        let handler = mayday_inspect_handler(SIGPROF)
        guard handler.kind == MAYDAY_HANDLER_OTHER else { return .ok("SIGPROF", "used by nobody else") }
        return .ok("SIGPROF", "used by \(handler.owner), whose samples end when a crash begins")
    }

    /// Names of the captured signals among the bits.
    private static func signalNames(_ bits: UInt64) -> String {
        (0..<mayday_inspect_count()).map { mayday_inspect_signal($0) }.filter { bits & bit($0) != 0 }
            .map(signalName).joined(separator: " ")
    }

    private static func signalName(_ signal: Int32) -> String {
        mayday_inspect_signal_name(signal).map { String(cString: $0) } ?? "signal \(signal)"
    }

    private static func bit(_ signal: Int32) -> UInt64 { 1 << UInt64(signal - 1) }
}

extension MaydayHandler {
    /// Who gets the signal, for people.
    fileprivate var owner: String {
        switch kind {
        case MAYDAY_HANDLER_DEFAULT: return "the default action"
        case MAYDAY_HANDLER_IGNORED: return "nobody (ignored)"
        case MAYDAY_HANDLER_OURS: return "Mayday"
        default: break
        }
        guard let image else { return "code without a file" }
        let name = lastComponent(String(cString: image))
        if name.utf8.starts(with: "libswiftCore".utf8) { return "Swift's backtracer (\(name))" }
        let place = is_in_our_image ? "the service's own binary" : name
        return "\(function.map { String(cString: $0) } ?? "a handler") in \(place)"
    }
}

/// What the kernel says of a thread (`/proc/self/task/ID/status`, proc(5)).
struct ThreadStatus: Sendable, Equatable {
    var id: Int
    var name: String
    /// Blocked signals, that of signal N in bit N - 1.
    var blocked: UInt64

    /// nil for a text that is not such a file.
    init?(id: Int, status: [UInt8]) {
        guard let name = value(ofLine: "Name:\t", in: status), let blocked = value(ofLine: "SigBlk:\t", in: status),
            let bits = UInt64(String(decoding: blocked, as: UTF8.self), radix: 16)
        else { return nil }
        self.id = id
        self.name = String(decoding: name, as: UTF8.self)
        self.blocked = bits
    }

    /// The threads of this process as the kernel lists them, 4,096 at most; one that ends meanwhile is left out.
    static func all() -> [ThreadStatus] {
        guard let tasks = try? FileDescriptor(opening: "/proc/self/task", flags: O_RDONLY | O_DIRECTORY),
            let names = try? tasks.names()
        else { return [] }
        return names.prefix(4_096).compactMap { Int($0) }.compactMap { id in
            readFile("/proc/self/task/\(id)/status", limit: 8 << 10).flatMap { ThreadStatus(id: id, status: $0) }
        }
    }
}
