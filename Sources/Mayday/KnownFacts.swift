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
        var writer = JSONWriter()
        writer.member("service", configuration.service)
        writer.member("release", configuration.release)
        writer.member("environment", configuration.environment)
        writer.key("host")
        writer.beginObject()
        writer.member("name", host.name)
        writer.member("os", host.os)
        writer.member("kernel", host.kernel)
        writer.member("arch", host.arch)
        writer.member("container", host.container)
        if let cpus = host.cpus {
            writer.key("cpus")
            writer.integer(cpus)
        }
        if let memory = host.memory {
            writer.key("memory")
            writer.hex(memory)
        }
        writer.endObject()
        writer.key("sdk")
        writer.beginObject()
        writer.member("name", KnownFacts.name)
        writer.member("version", KnownFacts.version)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// `"name":"…","path":"…"`: members of the `process` object, without braces.
    var processMembers: String {
        var writer = JSONWriter()
        writer.member("name", executable.map(lastComponent))
        writer.member("path", executable)
        writer.member("started", started?.description)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    /// Writes a member, or nothing when its value is not known.
    fileprivate mutating func member(_ name: String, _ value: String?) {
        guard let value else { return }
        key(name)
        string(value)
    }
}

/// The part of a path after its last `/`.
func lastComponent(_ path: String) -> String {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8[path.utf8.index(after: $0)...] }
    return name.map { String(Substring($0)) } ?? path
}
