import Foundation

/// What the process that reads debug files may use.
public struct WorkerLimits: Sendable, Equatable {
    /// Bytes of address space.
    public var memory: Int
    /// Seconds of processor time for one report.
    public var processorSeconds: Int
    /// Time for one report.
    public var time: Duration

    /// Files open at once: two for each image that is kept open.
    static let files = 1_024

    /// The limits; the defaults are many times what the largest services need.
    public init(memory: Int = 4 << 30, processorSeconds: Int = 60, time: Duration = .seconds(90)) {
        self.memory = memory
        self.processorSeconds = processorSeconds
        self.time = time
    }

    /// Applies to this process what holds for as long as it lives.
    func apply() {
        Self.set(RLIMIT_AS, rlim_t(memory))
        Self.set(RLIMIT_NOFILE, rlim_t(Self.files))
        Self.set(RLIMIT_CORE, 0)
        // Unpacked files are kept in memory, which counts as writing one.
        Self.set(RLIMIT_FSIZE, rlim_t(memory))
        // Who sends reports is waiting, who reads them is not: a flood is taken first, and digested after it. Lower, not
        // idle: it goes on meanwhile, by a tenth of a busy processor.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    }

    /// Lets this process have its processor time for one more report.
    func applyForReport() {
        var used = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &used) == 0 else { return }
        let seconds = used.ru_utime.tv_sec + used.ru_stime.tv_sec + processorSeconds + 1
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_CPU.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = min(rlim_t(seconds), limit.rlim_max)
        setrlimit(resource, &limit)
    }

    private static func set(_ resource: __rlimit_resource, _ value: rlim_t) {
        let resource = __rlimit_resource_t(resource.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_max = min(value, limit.rlim_max)
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }
}
