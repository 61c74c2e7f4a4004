// The `report` line.

extension ReportHeader {
    @inline(never)
    init(from reader: inout JSONReader) throws(JSONError) {
        var version: Int?
        var id: String?
        var kind: String?
        var time: String?
        var level: String?
        var occurrences: Int?
        var fingerprint: String?
        var isRehearsal = false
        var service: String?
        var release: String?
        var environment: String?
        var process: ProcessFacts?
        var host: HostFacts?
        var sdk: SDKFacts?
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "version": version = try reader.integer()
            case "id": id = try reader.reportID()
            case "kind": kind = try reader.string()
            case "time": time = try reader.time()
            case "level": level = try reader.string()
            case "occurrences": occurrences = try reader.count()
            case "fingerprint": fingerprint = try reader.string()
            case "rehearsal": isRehearsal = try reader.bool()
            case "service": service = try reader.string()
            case "release": release = try reader.string()
            case "environment": environment = try reader.string()
            case "process": process = try ProcessFacts(from: &reader)
            case "host": host = try HostFacts(from: &reader)
            case "sdk": sdk = try SDKFacts(from: &reader)
            default: try reader.skip()
            }
        }
        self.init(
            version: try reader.required(version, "version"),
            id: try reader.required(id, "id"),
            kind: ReportKind(try reader.required(kind, "kind")),
            time: try reader.required(time, "time"),
            level: level,
            occurrences: occurrences,
            fingerprint: fingerprint,
            isRehearsal: isRehearsal,
            service: service,
            release: release,
            environment: environment,
            process: try reader.required(process, "process"),
            host: host,
            sdk: try reader.required(sdk, "sdk")
        )
    }

    @inline(never)
    func write(to writer: inout JSONWriter) {
        writer.field("version", version)
        writer.field("id", id)
        writer.field("kind", kind.description)
        writer.field("time", time)
        writer.field("level", level)
        writer.field("occurrences", occurrences)
        writer.field("fingerprint", fingerprint)
        writer.flag("rehearsal", isRehearsal)
        writer.field("service", service)
        writer.field("release", release)
        writer.field("environment", environment)
        writer.object("process") { process.write(to: &$0) }
        writer.field("host", host) { writer, host in writer.object { host.write(to: &$0) } }
        writer.object("sdk") { writer in
            writer.field("name", sdk.name)
            writer.field("version", sdk.version)
        }
    }
}

extension ProcessFacts {
    @inline(never)
    init(from reader: inout JSONReader) throws(JSONError) {
        var pid: Int?
        var facts = ProcessFacts(pid: 0)
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "pid": pid = try reader.integer()
            case "name": facts.name = try reader.string()
            case "path": facts.path = try reader.string()
            case "started": facts.started = try reader.time()
            case "uptime_ms": facts.uptimeMilliseconds = try reader.count()
            case "forked": facts.forked = try reader.bool()
            default: try reader.skip()
            }
        }
        facts.pid = try reader.required(pid, "pid")
        self = facts
    }

    @inline(never)
    func write(to writer: inout JSONWriter) {
        writer.field("pid", pid)
        writer.field("name", name)
        writer.field("path", path)
        writer.field("started", started)
        writer.field("uptime_ms", uptimeMilliseconds)
        writer.flag("forked", forked)
    }
}

extension HostFacts {
    @inline(never)
    init(from reader: inout JSONReader) throws(JSONError) {
        var facts = HostFacts()
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "name": facts.name = try reader.string()
            case "os": facts.os = try reader.string()
            case "kernel": facts.kernel = try reader.string()
            case "arch": facts.arch = try reader.string()
            case "container": facts.container = try reader.string()
            case "pod": facts.pod = try reader.string()
            case "namespace": facts.namespace = try reader.string()
            case "node": facts.node = try reader.string()
            case "instance": facts.instance = try reader.string()
            case "cpus": facts.cpus = try reader.count()
            case "memory": facts.memory = try reader.hex()
            default: try reader.skip()
            }
        }
        self = facts
    }

    @inline(never)
    func write(to writer: inout JSONWriter) {
        writer.field("name", name)
        writer.field("os", os)
        writer.field("kernel", kernel)
        writer.field("arch", arch)
        writer.field("container", container)
        writer.field("pod", pod)
        writer.field("namespace", namespace)
        writer.field("node", node)
        writer.field("instance", instance)
        writer.field("cpus", cpus)
        writer.field("memory", hex: memory)
    }
}

extension SDKFacts {
    @inline(never)
    init(from reader: inout JSONReader) throws(JSONError) {
        var name: String?
        var version: String?
        try reader.members { key, reader throws(JSONError) in
            switch key {
            case "name": name = try reader.string()
            case "version": version = try reader.string()
            default: try reader.skip()
            }
        }
        self.init(name: try reader.required(name, "name"), version: try reader.required(version, "version"))
    }
}
