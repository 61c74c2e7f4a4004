import Glibc
import Mayday

/// Spoils something, and prints what a self check says.
enum Checking {
    static func run(_ arguments: [String]) {
        for argument in arguments {
            switch argument {
            case "replaced": signal(SIGSEGV) { _ in _exit(7) }
            case "defaulted": signal(SIGBUS, SIG_DFL)
            case "profiled": signal(SIGPROF) { _ in }
            case "few-descriptors", "no-descriptors":
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                // The lowest that is free is above those that are open, unless a parent left gaps.
                let free = dup(1)
                close(free)
                limit.rlim_max = rlim_t(free) + (argument == "few-descriptors" ? 8 : 0)
                limit.rlim_cur = limit.rlim_max
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            case "blocked":
                var set = sigset_t()
                sigemptyset(&set)
                sigaddset(&set, SIGFPE)
                sigaddset(&set, SIGILL)
                pthread_sigmask(SIG_BLOCK, &set, nil)
            case "timed":
                let before = Measurement.now()
                let check = Mayday.selfCheck()
                print("self check \(Measurement.now() - before) us, \(check.findings.count) findings")
            default:
                print("unknown: \(argument)")
                exit(64)
            }
        }
        print(Mayday.selfCheck())
    }
}
