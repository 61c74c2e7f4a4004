#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

internal import CrashReport

/// What `start` needs to know of this process.
enum RunningProcess {
    /// Absolute path of the executable.
    static var path: String? { readLink("/proc/self/exe") }

    /// The argument vector of `main`, as bytes that end in NUL each; empty when it cannot be read.
    static var arguments: [[CChar]] {
        guard let bytes = readFile("/proc/self/cmdline", limit: 1 << 20) else { return [] }
        return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map { argument in
            argument.map { CChar(bitPattern: $0) } + [0]
        }
    }

    /// Seconds from the boot of the machine to the start of this process, to the hundredth.
    ///
    /// Field 22 of `/proc/self/stat` (proc(5)), counted from behind the name, which may hold blanks and brackets.
    static var startedSinceBoot: Double? {
        guard let bytes = readFile("/proc/self/stat", limit: 4_096),
            let nameEnd = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = bytes[nameEnd...].split(separator: UInt8(ascii: " "))
        guard fields.count > 20, let ticks = Double(String(decoding: fields[20], as: UTF8.self)) else { return nil }
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// How long this process has been running; zero when that is not known.
    static var uptime: Duration {
        guard let started = startedSinceBoot else { return .zero }
        return .seconds(max(0, seconds(.sinceBoot) - started))
    }

    /// When this process was started.
    static var started: Timestamp? {
        guard let started = startedSinceBoot else { return nil }
        let bootTime = seconds(.wall) - seconds(.sinceBoot)
        // The kernel counts in hundredths; more digits would be made up.
        return Timestamp(microseconds: Int64((bootTime + started) * 100) * 10_000)
    }

    private enum Clock { case wall, sinceBoot }

    private static func seconds(_ clock: Clock) -> Double {
        #if os(Linux)
            let id = clock == .wall ? CLOCK_REALTIME : CLOCK_BOOTTIME
        #else
            let id = clock == .wall ? CLOCK_REALTIME : CLOCK_MONOTONIC
        #endif
        var time = timespec()
        clock_gettime(id, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The variables of the environment that Mayday reads. None when the process runs with somebody else's rights
    /// (set-user-id), whose environment is not to be trusted.
    static func variables(_ names: [String]) -> [String: String] {
        guard getuid() == geteuid(), getgid() == getegid() else { return [:] }
        var variables: [String: String] = [:]
        for name in names {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        return variables
    }

    /// The environment as bytes that end in NUL each.
    static var environment: [[CChar]] {
        var entries: [[CChar]] = []
        #if canImport(Darwin)
            var next = _NSGetEnviron().pointee
        #else
            var next = Optional(environ)
        #endif
        while let entry = next?.pointee {
            entries.append(Array(UnsafeBufferPointer(start: entry, count: strlen(entry) + 1)))
            next = next?.advanced(by: 1)
        }
        return entries
    }
}

/// A variable of the environment, for an adapter's settings; nil when there is none, or the environment is not to be trusted.
package func environmentVariable(_ name: String) -> String? { RunningProcess.variables([name])[name] }

/// The start of a file, as the kernel's pseudo files are read; nil when it cannot be opened or read.
func readFile(_ path: String, limit: Int) -> [UInt8]? {
    guard let file = try? FileDescriptor(opening: path, flags: O_RDONLY) else { return nil }
    return try? file.read(limit: limit)
}

/// Where a symbolic link leads; nil when there is none.
private func readLink(_ path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let length = buffer.withUnsafeMutableBytes { bytes in
        bytes.withMemoryRebound(to: CChar.self) { chars in
            chars.baseAddress.map { readlink(path, $0, chars.count) } ?? -1
        }
    }
    return length > 0 ? String(decoding: buffer[..<length], as: UTF8.self) : nil
}
