import CrashReport

/// What a person reads first of an issue.
struct Headline {
    /// The message, else the signal with what is known about it.
    let title: String
    /// Innermost function of the service's own code, with its place.
    let culprit: String?
    /// Kind of crash, as grouping counts it.
    let kind: String

    /// - Parameter calls: the functions of the stack that crashed.
    init(of report: Report, calls: [Call]) {
        if report.header.isRehearsal {
            (title, culprit, kind) = ("Rehearsal", "Mayday.rehearse()", "rehearsal")
            return
        }
        culprit = Self.culprit(calls)
        if report.isCutBeforeStack {
            // One issue whatever the signal was; a report's own text names it.
            (title, kind) = (Self.cutShort, "cut short")
        } else if let error = report.error {
            title = error.text.isEmpty ? error.typeName : "\(error.typeName): \(MessageText.firstLine(error.text))"
            kind = "\(report.header.kind) \(error.typeName)"
        } else if let crash = report.crash {
            title = Self.title(of: crash, in: report, calls: calls)
            kind = Self.kind(of: crash)
        } else if let message = report.message {
            title = MessageText.firstLine(message)
            kind = "\(report.header.kind)"
        } else {
            title =
                report.header.kind == .crash
                ? "Crash without details: the report was cut short" : "\(report.header.kind)"
            kind = "\(report.header.kind)"
        }
    }

    /// Of all crashes of a project whose reports say no more than that there was one.
    private static let cutShort = "Crash reports cut short before their stack"

    private static func culprit(_ calls: [Call]) -> String? {
        guard let call = calls.first(where: { $0.isOwn && $0.function != nil }) else {
            return calls.first { $0.isOwn }?.offset
        }
        guard let function = call.function else { return nil }
        // In a recursion the innermost call may have no line where an outer one has.
        let place = call.place ?? calls.first { $0.function == function && $0.place != nil }?.place
        return place.map { "\(function) (\($0))" } ?? function
    }

    private static func title(of crash: Crash, in report: Report, calls: [Call]) -> String {
        if let message = crash.message, let title = MessageText.title(message) { return title }
        if report.isSentFromOutside, let sender = crash.sender {
            // The process differs from crash to crash; the report names it.
            return "\(crash.signal.name) sent by another process of user \(sender.uid)"
        }
        if let misuse = calls.first?.function.flatMap(DispatchMisuse.init) { return misuse.description }
        if crash.sender != nil, crash.signal.name != "SIGABRT" {
            return "\(crash.signal.name) raised by the process itself"
        }
        return SignalText.title(of: crash, calls: calls)
    }

    /// A trap is SIGILL on one processor and SIGTRAP on another, and a bad access SIGSEGV or SIGBUS; what a process sent is what it is.
    private static func kind(of crash: Crash) -> String {
        let kind =
            switch crash.signal.name {
            case "SIGILL" where crash.sender == nil, "SIGTRAP" where crash.sender == nil: "trap"
            case "SIGSEGV" where crash.sender == nil, "SIGBUS" where crash.sender == nil: "bad access"
            case let name: name
            }
        return crash.message.flatMap(MessageText.check).map { "\(kind), \($0)" } ?? kind
    }
}
