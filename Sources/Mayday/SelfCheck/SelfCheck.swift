internal import CrashCapture
internal import CrashReport

/// Would a crash of this process be reported? What was looked at, and what was found; see `Mayday.selfCheck()`.
public struct SelfCheck: Sendable, Equatable, CustomStringConvertible {
    /// How bad a finding is.
    public enum Status: Int, Sendable, Comparable, CaseIterable {
        /// As it should be.
        case ok
        /// A report would come, but later, or with less in it; or not of every crash.
        case warning
        /// A report would not come, or might be lost.
        case problem

        /// `ok`, `warning` or `problem`.
        public var name: String {
            switch self {
            case .ok: "ok"
            case .warning: "warning"
            case .problem: "problem"
            }
        }

        /// By how bad it is.
        public static func < (left: Status, right: Status) -> Bool { left.rawValue < right.rawValue }
    }

    /// One thing that was looked at.
    public struct Finding: Sendable, Equatable {
        /// What was looked at: `spool`, `handlers`.
        public let check: String
        /// How bad it is.
        public let status: Status
        /// What was found, and what it means.
        public let text: String
        /// What to do next; nil when there is nothing to do.
        public let remedy: String?

        /// A finding, of an uploader for instance.
        public init(check: String, status: Status, text: String, remedy: String? = nil) {
            self.check = check
            self.status = status
            self.text = text
            self.remedy = remedy
        }

        static func ok(_ check: String, _ text: String) -> Finding { Finding(check: check, status: .ok, text: text) }

        static func warning(_ check: String, _ text: String, _ remedy: String? = nil) -> Finding {
            Finding(check: check, status: .warning, text: text, remedy: remedy)
        }

        static func problem(_ check: String, _ text: String, _ remedy: String? = nil) -> Finding {
            Finding(check: check, status: .problem, text: text, remedy: remedy)
        }
    }

    /// In a fixed order: the capture, the stacks, the report's way, the process.
    public let findings: [Finding]

    /// The worst of all.
    public var status: Status { findings.map(\.status).max() ?? .ok }

    /// A verdict, and a line for each finding with its remedy below it.
    public var description: String {
        var lines = ["Would I get a report? \(verdict)"]
        let width = findings.map(\.check.utf8.count).max() ?? 0
        for finding in findings {
            let check = padded(finding.check, width)
            lines.append("\(padded(finding.status.name, 7))  \(check)  \(finding.text.madeVisible(limit: 1_000))")
            if let remedy = finding.remedy {
                lines.append("\(padded("", width + 11))-> \(remedy.madeVisible(limit: 1_000))")
            }
        }
        return lines.joined(separator: "\n")
    }

    private var verdict: String {
        if findings.first?.status == .problem { return "No." }
        let counts = [Status.problem, .warning].compactMap { status in
            let count = findings.count { $0.status == status }
            return count > 0 ? counted(count, status.name) : nil
        }
        let list = counts.joined(separator: " and ")
        switch status {
        case .ok: return "Yes."
        case .warning: return "Yes, with \(list)."
        case .problem: return "Not always: \(list)."
        }
    }
}

private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.utf8.count))
}

/// `1 problem`, `2 problems`.
func counted(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }

extension SelfCheck {
    /// Looks at everything. Reads `/proc/self`, the spool and the executable's file; loads nothing and sends nothing.
    ///
    /// - Parameter backends: what those that were asked answered; nil when they were not.
    static func run(_ service: Service?, backends: [Finding]? = nil) -> SelfCheck {
        var findings = [capture(service)]
        if let service, service.isCapturing {
            let threads = ThreadStatus.all()
            findings += [handlers(), signalMasks(threads), alternateStacks(), unwinder(), profiler()]
            findings += spool(service) + deliveries(service, isAsked: backends != nil) + (backends ?? []) + discarded()
            // Two uploaders may need the same.
            for finding in service.uploaders.flatMap({ $0.selfCheck() }) where !findings.contains(finding) {
                findings.append(finding)
            }
        }
        findings += [buildIDs(), debugInformation()]
        findings += process()
        return SelfCheck(findings: findings)
    }

    private static func capture(_ service: Service?) -> Finding {
        guard let service else {
            return .problem(
                "capture",
                "no crash is captured: Mayday.start was not called",
                "call it as the first line of main"
            )
        }
        guard service.isEnabled else {
            return .problem(
                "capture",
                "no crash is captured: Mayday is not enabled",
                "set MAYDAY_ENABLED=true, or `enabled` in the configuration"
            )
        }
        guard service.isCapturing else {
            return .problem(
                "capture",
                "no crash is captured: the handlers could not be installed",
                "see the warning that start printed on standard error"
            )
        }
        return .ok("capture", "started, \(MAYDAY_SDK_NAME) \(MAYDAY_SDK_VERSION)")
    }
}
