#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

internal import CrashReport

extension HostFacts {
    /// The facts of this host or container, from system calls and small pseudo files.
    static func current() -> HostFacts {
        var names = utsname()
        guard uname(&names) == 0 else { return HostFacts() }
        let name = text(&names.nodename)
        let groups = ControlGroups(text: readText("/proc/self/cgroup") ?? "")
        return HostFacts(
            name: name,
            os: operatingSystem(fromRelease: readText("/etc/os-release") ?? ""),
            kernel: text(&names.release),
            arch: text(&names.machine),
            container: container(groups: groups, hostName: name),
            cpus: processors(fromStatus: readText("/proc/self/status") ?? ""),
            memory: memory(groups: groups)
        )
    }

    /// The container's id, by what container runtimes leave to be seen: its cgroup's path, the bind mounts of its own
    /// files, or the host name of a Docker container.
    private static func container(groups: ControlGroups, hostName: String) -> String? {
        if let id = groups.containerID { return id }
        if access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 {
            if let id = containerID(fromMounts: readText("/proc/self/mountinfo") ?? "") { return id }
            if hostName.utf8.count == 12, hostName.utf8.allSatisfy(isHexDigit) { return hostName }
        }
        return nil
    }

    /// The least of the host's memory and the limits of the cgroups this process is in.
    private static func memory(groups: ControlGroups) -> UInt64? {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let page = sysconf(Int32(_SC_PAGESIZE))
        var least = pages > 0 && page > 0 ? UInt64(pages) * UInt64(page) : nil
        for file in groups.memoryLimitFiles {
            // `max` is no number and no limit.
            guard let limit = readText(file).flatMap({ UInt64($0.prefix(while: \.isNumber)) }) else { continue }
            least = min(least ?? limit, limit)
        }
        return least
    }
}

/// `PRETTY_NAME` of os-release(5), without its quotes.
func operatingSystem(fromRelease text: String) -> String? {
    for line in text.split(whereSeparator: \.isNewline) where line.hasPrefix("PRETTY_NAME=") {
        let value = line.dropFirst("PRETTY_NAME=".count)
        guard let quote = value.first, quote == "\"" || quote == "'", value.count >= 2, value.last == quote else {
            return value.isEmpty ? nil : String(value)
        }
        return String(value.dropFirst().dropLast())
    }
    return nil
}

/// Processors this process may run on: the bits of `Cpus_allowed` in `/proc/self/status` (proc(5)).
func processors(fromStatus text: String) -> Int? {
    for line in text.split(separator: "\n") where line.hasPrefix("Cpus_allowed:") {
        let count = line.dropFirst("Cpus_allowed:".count).reduce(0) { $0 + ($1.hexDigitValue ?? 0).nonzeroBitCount }
        return count > 0 ? count : nil
    }
    return nil
}

/// The id in the source of a mount of `hostname` or `resolv.conf`, `…/containers/ID/hostname`.
func containerID(fromMounts text: String) -> String? {
    for line in text.split(separator: "\n") {
        let fields = line.split(separator: " ")
        guard fields.count > 4, fields[4] == "/etc/hostname" || fields[4] == "/etc/resolv.conf" else { continue }
        if let id = fields[3].split(separator: "/").last(where: isContainerID) { return String(id) }
    }
    return nil
}

/// What `/proc/self/cgroup` says (cgroups(7)).
struct ControlGroups {
    /// Path in the unified hierarchy (version 2).
    private(set) var unified: Substring?
    /// Path in the memory hierarchy of version 1.
    private(set) var memory: Substring?
    private(set) var containerID: String?

    init(text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            if fields[0] == "0" && fields[1].isEmpty { unified = fields[2] }
            if fields[1].split(separator: ",").contains("memory") { memory = fields[2] }
            // `/docker/ID`, `/system.slice/docker-ID.scope`, `…/cri-containerd-ID.scope`.
            let parts = fields[2].split(whereSeparator: { "/-.:".contains($0) })
            if containerID == nil { containerID = parts.last(where: isContainerID).map(String.init) }
        }
    }

    /// The files that may hold a limit: of the group itself and of those above it. Within a container the group is often
    /// seen as the root.
    var memoryLimitFiles: [String] {
        if let memory {
            return levels(memory).map { "/sys/fs/cgroup/memory\($0)/memory.limit_in_bytes" }
        }
        return levels(unified ?? "/").map { "/sys/fs/cgroup\($0)/memory.max" }
    }

    /// `/a/b` → `/a/b`, `/a`, and the root; eight levels at most.
    private func levels(_ path: Substring) -> [Substring] {
        var levels: [Substring] = []
        var rest = path == "/" ? "" : path
        while let slash = rest.lastIndex(of: "/"), levels.count < 7 {
            levels.append(rest)
            rest = rest[..<slash]
        }
        return levels + [""]
    }
}

private func isContainerID(_ text: Substring) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy(isHexDigit)
}

private func isHexDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
}

private func readText(_ path: String) -> String? {
    readFile(path, limit: 64 << 10).map { String(decoding: $0, as: UTF8.self) }
}

/// The text in a field of fixed size, up to its NUL.
private func text<Field>(_ field: inout Field) -> String {
    withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
