import Glibc

/// What the process costs, from the kernel.
enum Measurement {
    /// Microseconds of the monotonic clock.
    static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
    }

    /// `VmRSS` of `/proc/self/status`.
    static func residentKiB() -> Int { field("VmRSS:") }

    /// `Threads` of `/proc/self/status`.
    static func threads() -> Int { field("Threads:") }

    /// Those that were open when this was first asked.
    static let inheritedSockets = allSockets()

    /// Sockets among the open descriptors, without those inherited.
    static func sockets() -> Int { allSockets() - inheritedSockets }

    private static func allSockets() -> Int {
        var status = stat()
        return (3..<256).count { fstat($0, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK }
    }

    private static func field(_ name: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return -1 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix(name) { return Int(text.dropFirst(name.count).filter(\.isNumber)) ?? -1 }
        }
        return -1
    }
}
