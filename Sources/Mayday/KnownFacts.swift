internal import CrashReport

/// The members of a report's first line that are known at start, for the handler to copy.
struct KnownFacts {
    var configuration: ResolvedConfiguration
    var host: HostFacts
    var executable: String?
    var started: Timestamp?

    /// Version of the SDK, as in `CHANGELOG.md`.
    static let version = "0.1.0"
    static let name = "mayday-swift"

    /// `"release":"…","host":{…}`: members of the `report` line, without braces.
    var reportMembers: String {
        members([
            ("service", .string(configuration.service)),
            ("release", configuration.release.map(JSONValue.string)),
            ("environment", configuration.environment.map(JSONValue.string)),
            ("host", .object(hostMembers)),
            ("sdk", .object(["name": .string(KnownFacts.name), "version": .string(KnownFacts.version)])),
        ])
    }

    /// `"name":"…","path":"…"`: members of the `process` object, without braces.
    var processMembers: String {
        members([
            ("name", executable.map { .string(lastComponent($0)) }),
            ("path", executable.map(JSONValue.string)),
            ("started", started.map { .string($0.description) }),
        ])
    }

    private var hostMembers: [String: JSONValue] {
        let members: [String: JSONValue?] = [
            "name": host.name.map(JSONValue.string),
            "os": host.os.map(JSONValue.string),
            "kernel": host.kernel.map(JSONValue.string),
            "arch": host.arch.map(JSONValue.string),
            "container": host.container.map(JSONValue.string),
            "cpus": host.cpus.map { .integer(Int64($0)) },
            "memory": host.memory.map { .string("0x\(String($0, radix: 16))") },
        ]
        return members.compactMapValues { $0 }
    }

    private func members(_ members: [(String, JSONValue?)]) -> String {
        var writer = JSONWriter()
        for (key, value) in members {
            guard let value else { continue }
            writer.key(key)
            writer.value(value)
        }
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// The part of a path after its last `/`.
func lastComponent(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
}
