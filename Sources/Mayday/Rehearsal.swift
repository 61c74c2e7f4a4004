internal import CrashCapture
internal import CrashReport

/// How a rehearsal of a crash went; see `Mayday.rehearse()`.
public struct Rehearsal: Sendable, Equatable, CustomStringConvertible {
    /// What became of the crash.
    public enum Outcome: Sendable, Equatable {
        /// The backend has its report.
        case delivered
        /// Its report is durable in the spool, set aside there where the backend refused it, and why it is not with the backend.
        case kept(reason: String)
        /// Its report was in memory only, and was not delivered. That of a real crash would go to standard error, for
        /// `mayday import`.
        case notKept(reason: String)
        /// The child crashed, and no report was made.
        case notCaptured(reason: String)
        /// Nothing was crashed.
        case notRun(reason: String)
    }

    /// What became of the crash.
    public let outcome: Outcome
    /// Id of its report; nil when there is none.
    public let report: String?
    /// Where reports go: `collector at 127.0.0.1:7171`.
    public let destination: String
    /// From the fork to the end of the child.
    public let duration: Duration

    /// True when the backend has the report.
    public var isDelivered: Bool { outcome == .delivered }

    /// One line that says what happened and what to do.
    public var description: String {
        let report = report.map { "report \($0)" } ?? "no report"
        return switch outcome {
        case .delivered: "rehearsal: \(report) delivered to \(destination) in \(Int(duration / .milliseconds(1))) ms"
        case .kept(let reason), .notKept(let reason): "rehearsal: \(report) \(reason)"
        case .notCaptured(let reason): "rehearsal: the crash was not captured: \(reason)"
        case .notRun(let reason): "rehearsal: nothing was crashed: \(reason)"
        }
    }
}

extension Rehearsal {
    /// A rehearsal of what was started; nil when nothing was.
    static func run(of service: Service?) async -> Rehearsal {
        guard let service else { return notRun("Mayday.start was not called") }
        guard service.isEnabled else { return notRun("Mayday is not enabled (MAYDAY_ENABLED)") }
        guard service.isCapturing else { return notRun("crashes are not captured in this process") }
        switch await onOwnThread({ run(destination: service.destination) }) {
        case .success(let rehearsal): return rehearsal
        case .failure(let error): return notRun("no thread could be started to wait on: \(error)")
        }
    }

    /// How long a rehearsal takes at most.
    static func limit(of service: Service) -> Duration { service.deliveryDeadline + .seconds(8) }

    private static func notRun(_ reason: String) -> Rehearsal {
        Rehearsal(outcome: .notRun(reason: reason), report: nil, destination: "", duration: .zero)
    }

    /// Crashes a child and waits for it. Blocks, within the bounds of `mayday_capture_rehearse`.
    static func run(destination: String) -> Rehearsal {
        var facts = MaydayRehearsal()
        let said = [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
            buffer.withMemoryRebound(to: CChar.self) { chars in
                mayday_capture_rehearse(&facts, chars.baseAddress, chars.count)
            }
            count = buffer.firstIndex(of: 0) ?? 0
        }
        return Rehearsal(facts, said: saidLine(in: said), destination: destination)
    }

    init(_ facts: MaydayRehearsal, said: String?, destination: String) {
        self.destination = destination
        duration = .microseconds(Int64(facts.duration_us))
        let id = withUnsafeBytes(of: facts.id) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        report = id.isEmpty ? nil : id
        outcome =
            if facts.error != 0 {
                .notRun(reason: "no child could be started: \(SystemError(code: facts.error))")
            } else if !facts.captured {
                .notCaptured(reason: Rehearsal.end(facts))
            } else if facts.delivered {
                .delivered
            } else if facts.spooled {
                .kept(
                    reason: facts.reported ? said ?? "not delivered, and the reporter did not say why" : Rehearsal.waits
                )
            } else {
                .notKept(
                    reason: said
                        ?? (facts.reported
                            ? "not delivered, and the reporter did not say why"
                            : "was in memory only, and no reporter was started")
                )
            }
    }

    private static let waits =
        "waits in the spool: the delivery deadline is 0, so that the next start delivers it, and Mayday.flush does now"

    /// How a child ended in which our handler did not come to its end.
    private static func end(_ facts: MaydayRehearsal) -> String {
        if facts.timed_out {
            return "the child had not ended in time; Mayday.selfCheck() says which handler is in front"
        }
        if facts.status < 0 { return "the child ended, and somebody else waited for it" }
        let signal = facts.status & 0x7f
        let end = signal != 0 ? "by signal \(signal)" : "with exit status \(facts.status >> 8 & 0xff)"
        return "the child ended \(end) before our handler was done; Mayday.selfCheck() says which handler is in front"
    }
}

/// What was said of the report for each backend, without the prefix of our lines and the report's id; nil when nothing was.
private func saidLine(in bytes: [UInt8]) -> String? {
    let prefix = "mayday: report ".utf8
    let reasons = bytes.split(separator: UInt8(ascii: "\n")).filter { $0.starts(with: prefix) }.map { line in
        let reason = line.dropFirst(prefix.count).drop { $0 != UInt8(ascii: " ") }.dropFirst()
        return String(decoding: reason, as: UTF8.self).madeVisible(limit: 1_000)
    }
    return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
}
