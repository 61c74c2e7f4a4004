import Glibc
import Mayday

/// Rehearses, prints how it went, and what is left of it in the process.
enum Rehearsing {
    /// Waits for children of any kind, as a service may that starts some; the last errno.
    private static func stray() -> String {
        var status: Int32 = 0
        // __WALL: also those that raise no SIGCHLD. Zombies are found, and so are children that still run.
        let pid = waitpid(-1, &status, WNOHANG | 0x4000_0000)
        return pid < 0 && errno == ECHILD ? "no children" : "children (\(pid))"
    }

    static func run(_ arguments: [String]) async {
        signal(SIGCHLD) { _ in _ = write(1, "SIGCHLD\n", 8) }
        if arguments.contains("ignoring") { signal(SIGCHLD, SIG_IGN) }
        if arguments.contains("reaping") {
            // As a careless init does: every child of every kind is taken from whoever waits for it.
            var thread = pthread_t()
            pthread_create(&thread, nil, { _ in while true { _ = waitpid(-1, nil, 0x4000_0000) } }, nil)
        }
        if arguments.contains("replaced") {
            // As a library does that is initialised later: it ends the process in its own way.
            signal(SIGILL) { _ in _exit(7) }
            signal(SIGTRAP) { _ in _exit(7) }
        }
        if arguments.contains("threads") {
            for _ in 0..<64 {
                var thread = pthread_t()
                pthread_create(&thread, nil, { _ in while true { pause() } }, nil)
            }
        }
        if arguments.contains("twice") {
            async let first = Mayday.rehearse()
            async let second = Mayday.rehearse()
            print(await first, await second, separator: "\n")
        } else {
            print(await Mayday.rehearse())
        }
        print(stray(), "threads \(arguments.contains("threads") ? "many" : "\(Measurement.threads())")")
    }
}
