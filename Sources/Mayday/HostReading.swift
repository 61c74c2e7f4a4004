#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

internal import CrashReport

// These files are read at the first line of `main`, where everything is cold: they are taken apart as bytes, and by the
// few operations that all of it shares.

extension HostFacts {
    /// The facts of this host or container, from system calls and small pseudo files.
    static func current() -> HostFacts {
        var names = utsname()
        guard uname(&names) == 0 else { return HostFacts() }
        let name = text(&names.nodename)
        let groups = ControlGroups(read("/proc/self/cgroup"))
        return HostFacts(
            name: name,
            os: operatingSystem(fromRelease: read("/etc/os-release")),
            kernel: text(&names.release),
            arch: text(&names.machine),
            container: container(groups: groups, hostName: name),
            cpus: processors(fromStatus: read("/proc/self/status")),
            memory: memory(groups: groups)
        )
    }

    /// The container's id, by what container runtimes leave to be seen: its cgroup's path, the bind mounts of its own
    /// files, or the host name of a Docker container.
    private static func container(groups: ControlGroups, hostName: String) -> String? {
        if let id = groups.containerID { return id }
        guard access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 else { return nil }
        if let id = containerID(fromMounts: read("/proc/self/mountinfo")) { return id }
        return hostName.utf8.count == 12 && hostName.utf8.allSatisfy(isHexDigit) ? hostName : nil
    }

    /// The least of the host's memory and the limits of the cgroups this process is in.
    private static func memory(groups: ControlGroups) -> UInt64? {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let page = sysconf(Int32(_SC_PAGESIZE))
        var least = pages > 0 && page > 0 ? UInt64(pages) * UInt64(page) : nil
        for file in groups.memoryLimitFiles {
            guard let limit = leadingNumber(read(file)) else { continue }
            least = min(least ?? limit, limit)
        }
        return least
    }

    private static func read(_ path: String) -> [UInt8] { readFile(path, limit: 64 << 10) ?? [] }
}

/// `PRETTY_NAME` of os-release(5), without its quotes.
func operatingSystem(fromRelease bytes: [UInt8]) -> String? {
    guard let value = value(ofLine: "PRETTY_NAME=", in: bytes), let first = value.first else { return nil }
    let isQuoted = (first == UInt8(ascii: "\"") || first == UInt8(ascii: "'")) && value.count > 1 && value.last == first
    return String(decoding: isQuoted ? value.dropFirst().dropLast() : value, as: UTF8.self)
}

/// Processors this process may run on: the bits of `Cpus_allowed` in `/proc/self/status` (proc(5)).
func processors(fromStatus bytes: [UInt8]) -> Int? {
    guard let mask = value(ofLine: "Cpus_allowed:\t", in: bytes) else { return nil }
    let count = mask.reduce(0) { count, byte in
        guard isHexDigit(byte) else { return count }
        return count + (byte <= UInt8(ascii: "9") ? byte & 15 : byte - UInt8(ascii: "a") + 10).nonzeroBitCount
    }
    return count > 0 ? count : nil
}

/// The id in the source of a mount of `hostname` or `resolv.conf`, `…/containers/ID/hostname`.
func containerID(fromMounts bytes: [UInt8]) -> String? {
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard fields.count > 4,
            ["/etc/hostname", "/etc/resolv.conf"].contains(where: { fields[4].elementsEqual($0.utf8) })
        else { continue }
        if let id = lastContainerID(fields[3]) { return id }
    }
    return nil
}

/// What `/proc/self/cgroup` says (cgroups(7)).
struct ControlGroups {
    /// Path in the unified hierarchy (version 2).
    private(set) var unified: ArraySlice<UInt8> = []
    /// Path in the memory hierarchy of version 1; nil where that is not used.
    private(set) var memory: ArraySlice<UInt8>?
    private(set) var containerID: String?

    init(_ bytes: [UInt8]) {
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            if fields[1].isEmpty { unified = fields[2] }
            let controllers = fields[1].split(separator: UInt8(ascii: ","))
            if controllers.contains(where: { $0.elementsEqual("memory".utf8) }) { memory = fields[2] }
            containerID = containerID ?? lastContainerID(fields[2])
        }
    }

    /// The files that may hold a limit: of the group itself and of those above it, eight at most. Within a container the
    /// group is often seen as the root.
    var memoryLimitFiles: [String] {
        let (root, file) = memory == nil ? ("", "memory.max") : ("/memory", "memory.limit_in_bytes")
        var files: [String] = []
        var path = memory ?? unified
        while let slash = path.lastIndex(of: UInt8(ascii: "/")), files.count < 7 {
            if path.count > 1 {
                files.append("/sys/fs/cgroup\(root)\(String(decoding: path, as: UTF8.self))/\(file)")
            }
            path = path[..<slash]
        }
        return files + ["/sys/fs/cgroup\(root)/\(file)"]
    }
}

/// The last run of 64 hex digits: `/docker/ID`, `/system.slice/docker-ID.scope`, `…/cri-containerd-ID.scope`.
private func lastContainerID(_ path: ArraySlice<UInt8>) -> String? {
    let runs = path.split(whereSeparator: { !isHexDigit($0) })
    return runs.last(where: { $0.count == 64 }).map { String(decoding: $0, as: UTF8.self) }
}

private func isHexDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
}

/// What follows `start` on the first line that begins with it.
func value(ofLine start: String, in bytes: [UInt8]) -> ArraySlice<UInt8>? {
    for line in bytes.split(separator: UInt8(ascii: "\n")) where line.starts(with: start.utf8) {
        return line.dropFirst(start.utf8.count)
    }
    return nil
}

/// The number that a text begins with; nil for `max`, and for one that is too great to be a limit.
private func leadingNumber(_ bytes: [UInt8]) -> UInt64? {
    var number: UInt64?
    for byte in bytes {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
        let (product, overflow) = (number ?? 0).multipliedReportingOverflow(by: 10)
        guard !overflow, product < .max - 9 else { return nil }
        number = product + UInt64(byte & 15)
    }
    return number
}

/// The text in a field of fixed size, up to its NUL.
private func text<Field>(_ field: inout Field) -> String {
    withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
