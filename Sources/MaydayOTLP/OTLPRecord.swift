internal import BackendSupport
internal import CrashReport

/// A log record of OpenTelemetry made of a report, in the JSON encoding of OTLP.
struct OTLPRecord {
    let readable: ReadableReport

    init(_ readable: ReadableReport) { self.readable = readable }

    var report: Report { readable.report }

    /// An `ExportLogsServiceRequest` with the one record.
    func request(observed: Timestamp, scopeVersion: String) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.key("resourceLogs")
            json.array { json in
                json.object { json in
                    json.key("resource")
                    json.object { json in
                        json.key("attributes")
                        json.array { writeResource(to: &$0) }
                    }
                    json.key("scopeLogs")
                    json.array { json in
                        json.object { json in
                            json.key("scope")
                            json.object { json in
                                json.member("name", "mayday-swift")
                                json.member("version", scopeVersion)
                            }
                            json.key("logRecords")
                            json.array { json in json.object { writeRecord(observed, to: &$0) } }
                        }
                    }
                }
            }
        }
        return json.bytes
    }

    private func writeRecord(_ observed: Timestamp, to json: inout JSONWriter) {
        let time = Timestamp(report.header.time) ?? observed
        json.member("timeUnixNano", nanoseconds(time))
        json.member("observedTimeUnixNano", nanoseconds(observed))
        let (number, text) = severity
        json.key("severityNumber")
        json.integer(number)
        json.member("severityText", text)
        json.key("body")
        json.object { $0.member("stringValue", readable.title) }
        json.key("attributes")
        json.array { writeAttributes(to: &$0) }
    }

    /// 64-bit integers are strings in this encoding.
    private func nanoseconds(_ time: Timestamp) -> String { "\(UInt64(max(0, time.microseconds)))000" }

    /// As the data model of logs numbers them.
    private var severity: (Int, String) {
        let level = report.header.level ?? (report.header.kind == .error ? "error" : "info")
        return switch report.header.kind == .crash ? "fatal" : level {
        case "fatal": (21, "FATAL")
        case "error": (17, "ERROR")
        case "warning": (13, "WARN")
        case "debug": (5, "DEBUG")
        default: (9, "INFO")
        }
    }

    // MARK: Attributes

    private func writeAttributes(to json: inout JSONWriter) {
        // The receiver may see the report twice; this tells.
        json.attribute("log.record.uid", report.header.id)
        json.attribute("mayday.report.kind", report.header.kind.description)
        json.attribute("mayday.culprit", readable.culprit)
        json.attribute("mayday.fingerprint", readable.fingerprint)
        if let crash = report.crash {
            json.attribute("exception.type", crash.signal.name)
            json.attribute("exception.message", readable.title)
            json.attribute("mayday.signal.number", crash.signal.number)
            json.attribute("mayday.signal.code", crash.signal.codeName ?? "\(crash.signal.code)")
            json.attribute("mayday.fault_address", crash.faultAddress.map { "0x\(String($0, radix: 16))" })
        } else if let error = report.error {
            json.attribute("exception.type", error.typeName)
            json.attribute("exception.message", error.text)
            writeDetail(of: error, to: &json)
        } else {
            json.attribute("mayday.message", report.message)
        }
        if let count = report.header.occurrences { json.attribute("mayday.occurrences", count) }
        if let thread = report.crashedThread {
            json.attribute("thread.id", thread.id)
            json.attribute("thread.name", thread.name)
            json.attribute("mayday.task", thread.task?.label)
            json.attribute("exception.stacktrace", report.stackLines(of: thread, limit: 500).joined(separator: "\n"))
            json.attribute("mayday.stack.addresses", addresses(of: thread))
        }
        writeContext(to: &json)
    }

    /// `BUILDID+0x1a2b`, the innermost first: what symbols can be looked up by later.
    private func addresses(of thread: ThreadStack) -> [String] {
        thread.frames.prefix(200).map { frame in
            guard let image = report.image(of: frame) else { return "0x\(String(frame.address, radix: 16))" }
            let offset = frame.offset ?? frame.address &- image.base
            return "\(image.buildID ?? image.name)+0x\(String(offset, radix: 16))"
        }
    }

    private func writeResource(to json: inout JSONWriter) {
        let header = report.header
        json.attribute("service.name", header.service ?? header.process.name ?? "unknown_service:swift")
        json.attribute("service.version", header.release.map { OTLPRecord.version(ofRelease: $0) })
        json.attribute("deployment.environment.name", header.environment)
        json.attribute("host.name", header.host?.name)
        json.attribute("host.arch", header.host?.arch.map { OTLPRecord.arch($0) })
        json.attribute("os.type", "linux")
        json.attribute("os.description", header.host?.os)
        json.attribute("container.id", header.host?.container)
        json.attribute("service.instance.id", header.host?.instance)
        json.attribute("k8s.pod.name", header.host?.pod)
        json.attribute("k8s.namespace.name", header.host?.namespace)
        json.attribute("k8s.node.name", header.host?.node)
        json.attribute("process.pid", header.process.pid)
        json.attribute("process.executable.name", header.process.name)
        json.attribute("process.executable.path", header.process.path)
        json.attribute("process.runtime.name", "swift")
    }

    /// `1.4.2` of `checkout@1.4.2`.
    static func version(ofRelease release: String) -> String {
        guard let at = release.utf8.lastIndex(of: UInt8(ascii: "@")) else { return release }
        return String(release[release.utf8.index(after: at)...])
    }

    /// The conventions' words.
    private static func arch(_ machine: String) -> String {
        switch machine {
        case "x86_64": "amd64"
        case "aarch64": "arm64"
        default: machine
        }
    }
}
