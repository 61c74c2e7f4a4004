internal import CrashCapture
internal import CrashReport

/// An error or a message at the moment it was reported: what only its caller knows.
///
/// A class, because of its size: what copies and destroys such structures is 10 KB.
final class Occurrence: Sendable {
    enum Subject: Sendable {
        case error(any Error)
        case message(String)
    }

    let subject: Subject
    /// What the service groups it by.
    let fingerprint: String?
    let level: Level
    let id: String
    let time: Timestamp
    let stack: MaydayBacktrace
    let context: MaydayContextCursor
    /// Holds the values of the task until they are written.
    let scope: ContextScope?
    /// What its report takes along beside what every report does.
    let attachments: [Mayday.Attachment]
    /// Equal for the same error at the same place: its fingerprint, type, domain and code, never what it holds, and the
    /// innermost return addresses.
    let place: Int

    /// Now, on this thread, of which `stack` is the stack.
    init(
        _ subject: Subject,
        _ fingerprint: String? = nil,
        level: Level,
        stack: MaydayBacktrace,
        attachments: [Mayday.Attachment] = []
    ) {
        self.subject = subject
        self.fingerprint = fingerprint
        self.level = level
        self.attachments = attachments
        id = makeReportID()
        time = .now()
        self.stack = stack
        // Here, where no lock is held: domain and code may be the service's own code.
        place = Self.place(of: subject, fingerprint, stack: stack)
        let scope = ContextScope.stored
        self.scope = scope
        context = mayday_context_begin(scope?.token ?? 0)
    }

    private static func place(of subject: Subject, _ fingerprint: String?, stack: MaydayBacktrace) -> Int {
        var hasher = Hasher()
        hasher.combine(fingerprint ?? "")
        switch subject {
        case .error(let error):
            hasher.combine(ObjectIdentifier(type(of: error)))
            // Every error has them, by the standard library: an enum's code is its case. The domain is its type's, and costs
            // microseconds to spell, but for an object's (`NSError`).
            if type(of: error) is AnyObject.Type { hasher.combine(error._domain) }
            hasher.combine(error._code)
        case .message(let text): hasher.combine(text)
        }
        withUnsafeBytes(of: stack.addresses) { addresses in
            let words = min(Int(stack.count), 8) * MemoryLayout<UInt>.size
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: addresses[..<words]))
        }
        return hasher.finalize()
    }
}

/// What is to be written: an occurrence, and how many times it happened since the last report of it.
struct CountedOccurrence: Sendable {
    let occurrence: Occurrence
    let count: Int
}

/// A fresh id for a report.
func makeReportID() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 37) { buffer in
        guard let base = buffer.baseAddress else { return "" }
        mayday_make_report_id(base)
        return String(cString: base)
    }
}
