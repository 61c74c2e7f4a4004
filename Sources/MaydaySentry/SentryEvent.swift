internal import BackendSupport
internal import CrashReport

/// An event of Sentry's protocol (develop.sentry.dev/sdk/data-model/event-payloads) made of a report.
struct SentryEvent {
    enum Detail: Sendable {
        case full
        /// Without the other threads' stacks and without attachments, for a backend that finds the whole too large.
        case crashedThreadOnly
    }

    let readable: ReadableReport
    let detail: Detail

    init(_ readable: ReadableReport, detail: Detail = .full) {
        self.readable = readable
        self.detail = detail
    }

    private var report: Report { readable.report }

    /// What goes along; what could not be read does not.
    var attachments: [AttachedFile] { detail == .full ? report.attachments.filter { $0.data != nil } : [] }

    /// The report's id as Sentry writes ids: 32 hex digits. The same report is the same event, however often it is sent.
    var id: String { String(decoding: report.header.id.utf8.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self) }

    /// The event as JSON.
    func payload(sdk: SDKFacts) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("event_id", id)
            json.member("timestamp", report.header.time)
            json.member("platform", "native")
            json.member("level", level)
            json.member("release", report.header.release)
            json.member("environment", report.header.environment)
            json.member("server_name", report.header.host?.name)
            json.key("sdk")
            json.object { write(sdk, to: &$0) }
            // What the service says is readable there; what we make of the stack is a key.
            if let fingerprint = report.ownFingerprint?.cut(to: 1_000) ?? readable.fingerprint {
                json.key("fingerprint")
                json.array { $0.string(fingerprint) }
            }
            json.member("transaction", readable.culprit)
            if report.crash == nil && report.error == nil {
                json.key("message")
                json.object { $0.member("formatted", readable.title.cut(to: 8_000)) }
            }
            writeExceptions(to: &json)
            writeThreads(to: &json)
            writeImages(to: &json)
            writeContext(to: &json)
        }
        return json.bytes
    }

    private var level: String {
        switch report.header.kind {
        case .crash: "fatal"
        case .error: "error"
        default: "info"
        }
    }

    private func write(_ sdk: SDKFacts, to json: inout JSONWriter) {
        json.member("name", sdk.name)
        json.member("version", sdk.version)
    }

    // MARK: Exceptions

    /// Causes first, what was reported last, as the protocol has it.
    private func writeExceptions(to json: inout JSONWriter) {
        guard report.crash != nil || report.error != nil else { return }
        json.key("exception")
        json.object { json in
            json.key("values")
            json.array { json in
                if let crash = report.crash {
                    json.object { write(crash, to: &$0) }
                } else if let error = report.error {
                    for cause in error.chain.reversed() {
                        json.object { json in
                            json.member("type", cause.typeName)
                            json.member("value", cause.text.cut(to: 8_000))
                            guard cause.detail != ErrorDetail() else { return }
                            json.key("mechanism")
                            json.object { json in
                                json.member("type", "chained")
                                write(cause.detail, to: &json)
                            }
                        }
                    }
                    json.object { write(error, to: &$0) }
                }
            }
        }
    }

    private func write(_ crash: Crash, to json: inout JSONWriter) {
        json.member("type", crash.signal.name)
        json.member("value", readable.title.cut(to: 8_000))
        json.key("thread_id")
        json.integer(crash.thread)
        json.key("mechanism")
        json.object { json in
            json.member("type", "signalhandler")
            json.member("handled", false)
            json.key("meta")
            json.object { json in
                json.key("signal")
                json.object { json in
                    json.key("number")
                    json.integer(crash.signal.number)
                    json.member("name", crash.signal.name)
                    json.key("code")
                    json.integer(crash.signal.code)
                    json.member("code_name", crash.signal.codeName)
                }
            }
            let task = report.crashedThread?.task
            guard crash.faultAddress != nil || task != nil else { return }
            json.key("data")
            json.object { json in
                if let address = crash.faultAddress {
                    json.key("fault_address")
                    json.hex(address)
                }
                json.member("task", task?.label.cut(to: 300))
            }
        }
        if let thread = report.crashedThread {
            SentryStack(thread, in: report).write(registers: crash.registers, to: &json)
        }
    }

    private func write(_ error: HandledError, to json: inout JSONWriter) {
        json.member("type", error.typeName)
        json.member("value", error.text.cut(to: 8_000))
        json.key("mechanism")
        json.object { json in
            json.member("type", "generic")
            json.member("handled", true)
            write(error.detail, to: &json)
        }
        if let thread = report.crashedThread {
            json.key("thread_id")
            json.integer(thread.id)
            SentryStack(thread, in: report).write(to: &json)
        }
    }

    /// Members of a mechanism.
    private func write(_ detail: ErrorDetail, to json: inout JSONWriter) {
        if let domain = detail.domain {
            json.key("meta")
            json.object { json in
                json.key("ns_error")
                json.object { json in
                    json.member("domain", domain)
                    json.key("code")
                    json.integer(detail.code ?? 0)
                }
            }
        }
        guard !detail.values.isEmpty else { return }
        json.key("data")
        json.value(.object(detail.values))
    }

    // MARK: Threads and images

    /// The crashed thread's stack is the exception's, joined by the id.
    private func writeThreads(to json: inout JSONWriter) {
        let crashed = report.crashedThread?.id
        guard !report.threads.isEmpty else { return }
        json.key("threads")
        json.object { json in
            json.key("values")
            json.array { json in
                for thread in report.threads {
                    json.object { json in
                        json.key("id")
                        json.integer(thread.id)
                        json.member("name", thread.name)
                        json.member("state", thread.state)
                        json.member("crashed", thread.crashed)
                        json.member("current", thread.id == crashed)
                        json.member("main", thread.id == report.header.process.pid)
                        guard thread.id != crashed, detail == .full, json.bytes.count < SentryEvent.comfortableSize
                        else {
                            return
                        }
                        SentryStack(thread, in: report).write(to: &json)
                    }
                }
            }
        }
    }

    /// Above this many bytes, other threads are named without their stacks: events are refused from 1 MiB.
    private static let comfortableSize = 600 << 10

    private func writeImages(to json: inout JSONWriter) {
        let images = report.images.prefix(1_000).filter { $0.buildID != nil }
        guard !images.isEmpty else { return }
        json.key("debug_meta")
        json.object { json in
            json.key("images")
            json.array { json in
                for image in images { json.object { write(image, to: &$0) } }
            }
        }
    }

    private func write(_ image: Image, to json: inout JSONWriter) {
        json.member("type", "elf")
        json.member("code_file", image.path)
        json.member("code_id", image.buildID)
        json.member("debug_id", image.buildID.flatMap(SentryEvent.debugID))
        json.member("arch", report.header.host?.arch)
        json.key("image_addr")
        json.hex(image.base)
        json.key("image_size")
        json.integer(image.size)
    }

    /// The debug id of a build id: its first 16 bytes as a GUID, whose first three fields are little-endian. nil when the
    /// build id is not hex, or all zero, which would match any file that has none.
    static func debugID(ofBuildID buildID: String) -> String? {
        var bytes: [UInt8] = []
        var digits = buildID.utf8.makeIterator()
        while let high = digits.next() {
            guard let low = digits.next(), let high = hexDigit(high), let low = hexDigit(low) else { return nil }
            bytes.append(high << 4 | low)
        }
        guard bytes.contains(where: { $0 != 0 }) else { return nil }
        bytes = Array((bytes + [UInt8](repeating: 0, count: 16)).prefix(16))
        let order = [3, 2, 1, 0, -1, 5, 4, -1, 7, 6, -1, 8, 9, -1, 10, 11, 12, 13, 14, 15]
        return order.map { $0 < 0 ? "-" : twoHexDigits(bytes[$0]) }.joined()
    }
}

private func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}

private func twoHexDigits(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0\(digits)" : digits
}
