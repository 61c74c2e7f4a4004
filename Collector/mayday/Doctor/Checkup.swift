import CrashReport
import CrashReportText
import Query

/// What was looked at, and what was found.
struct Checkup: Sendable, Equatable {
    /// How bad a finding is.
    enum Status: String, Sendable, CaseIterable {
        case ok, warning, problem
    }

    /// One thing that was looked at.
    struct Finding: Sendable, Equatable {
        /// `spool`, `build id`.
        var check: String
        var status: Status
        /// What was found, and what it means.
        var text: String
        /// What to do next.
        var remedy: String?
    }

    /// What was looked at: `/usr/bin/checkout`, `process 4711`.
    var subject: String
    private(set) var findings: [Finding] = []

    init(_ subject: String) { self.subject = subject }

    mutating func ok(_ check: String, _ text: String) { add(check, .ok, text, nil) }

    mutating func warning(_ check: String, _ text: String, _ remedy: String? = nil) {
        add(check, .warning, text, remedy)
    }

    mutating func problem(_ check: String, _ text: String, _ remedy: String? = nil) {
        add(check, .problem, text, remedy)
    }

    private mutating func add(_ check: String, _ status: Status, _ text: String, _ remedy: String?) {
        findings.append(Finding(check: check, status: status, text: text, remedy: remedy))
    }

    /// Adds what another check-up found.
    mutating func add(_ other: Checkup) { findings += other.findings }

    func count(_ status: Status) -> Int { findings.count { $0.status == status } }

    /// The subject, a line or more for each finding with its remedy below it, and how many there are of each kind.
    func text(_ layout: TextLayout) -> [String] {
        var lines = [StyledLine(subject, .strong)]
        let width = findings.map(\.check.count).max() ?? 0
        let indent = 11 + width
        for finding in findings {
            for (index, text) in finding.text.wrapped(to: max(30, layout.width - indent)).enumerated() {
                var line = StyledLine()
                if index == 0 {
                    line.add(finding.status.rawValue, finding.status.style)
                    line.pad(to: 9)
                    line.add(finding.check)
                }
                line.pad(to: indent)
                line.add(text)
                lines.append(line)
            }
            for (index, text) in (finding.remedy?.wrapped(to: max(30, layout.width - indent - 3)) ?? []).enumerated() {
                var line = StyledLine()
                line.pad(to: indent)
                line.add(index == 0 ? "-> \(text)" : "   \(text)", .strong)
                lines.append(line)
            }
        }
        lines.append(StyledLine(verdict))
        return lines.map { $0.rendered(color: layout.color) }
    }

    private var verdict: String {
        func counted(_ status: Status) -> String {
            let count = count(status)
            return "\(count) \(status.rawValue)\(count == 1 ? "" : "s")"
        }
        return "\(counted(.problem)), \(counted(.warning))"
    }

    /// `subject`, `status` (the worst), and `findings` with `check`, `status`, `text` and `remedy`.
    var json: JSONValue {
        .object([
            "subject": .string(subject),
            "status": .string((Status.allCases.last { count($0) > 0 } ?? .ok).rawValue),
            "findings": .array(
                findings.map { finding in
                    var members: [String: JSONValue] = [
                        "check": .string(finding.check), "status": .string(finding.status.rawValue),
                        "text": .string(finding.text),
                    ]
                    members["remedy"] = finding.remedy.map { .string($0) }
                    return .object(members)
                }
            ),
        ])
    }
}

extension Checkup.Status {
    fileprivate var style: TextStyle {
        switch self {
        case .ok: .faint
        case .warning: .notice
        case .problem: .failure
        }
    }
}
