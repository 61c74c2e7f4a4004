import Foundation
import TestSupport

/// What all children of these tests have in common.
enum Children {
    /// Three for two cores: most wait for a disk now and then.
    static let turnstile = Turnstile(ProcessInfo.processInfo.activeProcessorCount * 3 / 2)

    /// No child inherits anything that could change what it does.
    static func environment(home: TemporaryDirectory) -> [String: String] {
        _ = withoutCores
        var environment = ["PATH": "/usr/bin:/bin", "HOME": home.path, "SWIFT_BACKTRACE": "enable=no"]
        // Machines that run tests are busy.
        environment["MAYDAY_DELIVERY_DEADLINE"] = Patience.delivery
        environment["LD_LIBRARY_PATH"] = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]
        return environment
    }

    private static let withoutCores: Void = {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        limit.rlim_cur = 0
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }()

    /// Reports in a spool, whole files and parts, of all services.
    static func reports(in spool: String) -> [String] {
        let files = FileManager.default.enumerator(atPath: spool)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.contains(".jsonl.gz") }.sorted()
    }
}
