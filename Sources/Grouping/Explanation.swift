public import CrashReport

/// One sentence, for a person, of what a report says happened and where.
///
/// It states what the report proves and no more: where the reason may lie elsewhere, it says so.
public enum Explanation {
    /// The sentence; nil where there is nothing that the report's own texts do not say.
    ///
    /// - Parameter report: with symbols, as the digester makes it.
    public static func sentence(of report: Report) -> String? {
        let calls = Call.calls(in: report, names: NameCache())
        let culprit = Headline(of: report, calls: calls).culprit
        if report.header.isRehearsal {
            return "A rehearsal: a forked child crashed on purpose, and the service went on."
        }
        if let crash = report.crash {
            return Reading(report: report, crash: crash, calls: calls, culprit: culprit).sentence
        }
        if let error = report.error {
            let place = culprit.map { " in \($0)" } ?? ""
            return "An error of type \(shortType(error.typeName)) was handled\(place); the service went on."
        }
        return nil
    }

    /// `Shop.Refusal` → `Refusal`.
    private static func shortType(_ name: String) -> Substring {
        guard !name.contains("<"), !name.contains("("), let dot = name.lastIndex(of: ".") else { return name[...] }
        return name[name.index(after: dot)...]
    }
}

/// A crash, and what is known of it.
private struct Reading {
    let report: Report
    let crash: Crash
    let calls: [Call]
    let culprit: String?

    /// ` in checkout(_:) (Cart.swift:41)`; empty when no function of the service's own is on the stack.
    private var place: String { culprit.map { " in \($0)" } ?? "" }

    /// A clause before the place ends with a comma, which has no place behind it when there is none.
    private func happened(_ what: String) -> String {
        culprit == nil && what.hasSuffix(",") ? "\(what.dropLast())." : "\(what)\(place)."
    }

    var sentence: String? {
        if report.isSentFromOutside, let sender = crash.sender {
            return "Process \(sender.pid) of user \(sender.uid) sent \(crash.signal.name): "
                + "the service was ended from outside, whatever it was doing."
        }
        if let message = crash.message, let sentence = sentence(of: message) { return sentence }
        return dispatchMisuse ?? signal
    }

    /// The same, followed by the text that says why.
    private func happened(_ what: String, saying message: String) -> String {
        let sentence = happened(what).dropLast()
        guard let text = MessageText.title(message).map({ $0.prefix(Self.longestQuote) }), let last = text.last else {
            return sentence + "."
        }
        let end = text.count == Self.longestQuote ? "…" : ".!?…".contains(last) ? "" : "."
        return "\(sentence): \(text)\(end)"
    }

    /// Characters of a message that the sentence quotes; the message itself is shown beside it.
    private static let longestQuote = 160

    // MARK: By the message

    private func sentence(of message: String) -> String? {
        if crash.messageSource == "terminate" { return uncaughtException }
        if let conflict = report.crashedThread?.accessConflict, let sentence = sentence(of: conflict) {
            return sentence
        }
        if message.contains("Error raised at top level") {
            return "An error was thrown out of the program's main code, and nothing caught it."
        }
        let place = MessageText.place(message)
        if let place, !place.isOfTheLibrary {
            return Self.ownMessages.first { place.text.hasPrefix($0.part) }.map { happened($0.text) }
        }
        for (part, text) in Self.messages where message.contains(part) { return happened(text) }
        if let place { return happened("A check of \(place.library) failed", saying: message) }
        for (part, text) in Self.damage where message.contains(part) { return text + noticed }
        if message.contains("Could not cast value of type"), let types = Self.castTypes(message) {
            return happened("A value of type \(types.from) was cast with `as!` to \(types.to), which it is not,")
        }
        if let size = message.firstRange(of: "failed to allocate ") {
            let bytes = Int(message[size.upperBound...].prefix { $0.isASCII && $0.isNumber })
            let size = bytes.map { " (\(grouped($0)) bytes)" } ?? ""
            return happened("More memory was asked for than could be had\(size),")
        }
        if message.contains("Assertion `") { return happened("An `assert` of C failed") }
        if message.contains("stack smashing detected") {
            return happened("A function wrote beyond a variable on its stack, noticed at its return")
        }
        // Without a place it is no call of `fatalError`, which always has one.
        if message.hasPrefix("Fatal error: ") { return happened("Swift's runtime ended the process", saying: message) }
        return nil
    }

    /// What is below `std::terminate` says why it was called: a function that throws, or what its caller has for exceptions that it lets
    /// nobody see, where those that threw are gone from the stack.
    private var uncaughtException: String {
        let ended = "A C++ exception that nothing caught ended the process"
        let called = calls.prefix { !$0.isOwn }.compactMap(\.function)
        if called.contains("__cxa_throw") { return happened("\(ended): it was thrown") }
        if called.contains("__cxa_rethrow") { return happened("\(ended): it was thrown again") }
        guard let culprit else { return ended + "." }
        if called.contains(where: { $0 == "__clang_call_terminate" || $0 == "__cxa_call_terminate" }) {
            return "\(ended): it could not leave \(culprit), which is `noexcept`; what threw it is called from there."
        }
        return "\(ended), noticed in \(culprit)."
    }

    private func sentence(of conflict: AccessConflict) -> String? {
        let other = conflict.previous.frame.flatMap { frame in
            frame.symbols.first { $0.place != nil } ?? frame.symbols.last
        }
        guard let other else { return nil }
        let verb = conflict.current.kind == "read" ? "read" : "changed"
        let otherVerb = conflict.previous.kind == "read" ? "reading" : "changing"
        return "A variable was \(verb)\(place) while \(other.label) was \(otherVerb) it (exclusivity)."
    }

    /// Texts that have a place in the service's own code, by how they begin behind it. Any other there is the service's own.
    private static let ownMessages: [(part: String, text: String)] = [
        (
            "Fatal error: Unexpectedly found nil while implicitly unwrapping an Optional",
            "An implicitly unwrapped value (`!` in its type) was nil"
        ),
        ("Fatal error: Unexpectedly found nil", "A value that was nil was unwrapped with `!`"),
        ("Fatal error: 'try!' expression unexpectedly raised", "A call marked `try!` threw an error"),
        ("Fatal error: Incorrect actor executor assumption", "Code of an actor ran outside of it"),
        ("Precondition failed", "A precondition failed"),
        ("Assertion failed", "An assertion failed"),
        ("", "The code ended the process on purpose (`fatalError` or a check of its own)"),
    ]

    /// Texts of Swift's standard library and runtime, the more special first.
    private static let messages: [(part: String, text: String)] = [
        ("while implicitly unwrapping an Optional", "An implicitly unwrapped value (`!` in its type) was nil"),
        ("Unexpectedly found nil", "A value that was nil was unwrapped with `!`"),
        ("Negative Array index is out of range", "An index was negative"),
        ("Index out of range", "An index was out of range"),
        ("Index out of bounds", "An index was out of range"),
        ("Range requires lowerBound <= upperBound", "A range was made whose end is before its start"),
        ("Can't remove", "More was removed from a collection than it has"),
        ("Duplicate values for key", "A dictionary was made with the same key twice"),
        ("arithmetic overflow", "A number became too large or too small for its type (overflow)"),
        ("Not enough bits to represent", "A number did not fit into the type it was converted to"),
        ("cannot be converted to", "A number did not fit into the type it was converted to"),
        ("Negative value is not representable", "A negative number was converted to an unsigned type"),
        ("Division by zero", "A number was divided by zero"),
        ("'try!' expression unexpectedly raised", "A call marked `try!` threw an error"),
        ("access conflict detected", "A variable was accessed while it was being changed (exclusivity)"),
        ("Simultaneous accesses to", "A variable was accessed while it was being changed (exclusivity)"),
        ("unowned reference", "An `unowned` reference was read after its object was gone"),
        ("continuation more than once", "A continuation was resumed a second time"),
        ("ncorrect actor executor assumption", "Code of an actor ran outside of it"),
        ("precondition failure", "A precondition failed"),
        ("assertion failure", "An assertion failed"),
    ]

    /// What is found long after it was done.
    private static let damage: [(part: String, text: String)] = [
        ("double free", "Memory was freed a second time"),
        ("free(): invalid", "Memory was freed that is no allocation, or whose bookkeeping is damaged"),
        ("munmap_chunk(): invalid pointer", "Memory was freed that is no allocation"),
        ("malloc(): ", "The heap is damaged: something wrote outside of its memory earlier"),
        ("corrupted", "The heap is damaged: something wrote outside of its memory earlier"),
        ("buffer overflow detected", "A call of libc would have written beyond a buffer"),
    ]

    /// Damage is noticed where the memory is used next, which need not be who did it.
    private var noticed: String { culprit.map { "; it was noticed in \($0), which need not be who did it." } ?? "." }

    /// `Could not cast value of type 'Swift.String' (0x7f2c) to 'Swift.Int' (0x7f2d).`
    private static func castTypes(_ message: String) -> (from: Substring, to: Substring)? {
        let parts = message.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count >= 5, let from = parts[1].split(separator: ".").last,
            let to = parts[3].split(separator: ".").last
        else { return nil }
        return (from, to)
    }

    // MARK: By the function that trapped, and by the signal

    private var dispatchMisuse: String? {
        guard let misuse = calls.first?.function.flatMap(DispatchMisuse.init) else { return nil }
        let isActor = calls.prefix(12).contains { $0.function?.contains("assumeIsolated") ?? false }
        if isActor { return happened("`assumeIsolated` was called outside of its actor") }
        return happened("Dispatch was misused (\(misuse.mistake))")
    }

    private var signal: String? {
        let isRaised = crash.sender != nil
        switch crash.signal.name {
        case "SIGABRT":
            guard let message = crash.message else {
                return happened("The process ended itself by `abort`, without saying why,")
            }
            return happened("The process ended itself by `abort`", saying: message)
        case let name where isRaised:
            return happened("The process sent \(name) to itself")
        case "SIGSEGV", "SIGBUS":
            return badAccess
        case "SIGFPE":
            return crash.signal.codeName == "FPE_INTDIV" ? happened("A number was divided by zero") : nil
        case "SIGILL", "SIGTRAP":
            if let message = crash.message { return happened("A check failed", saying: message) }
            return happened(
                hasSaidWhy
                    ? "A check failed or `fatalError` was called, whose text is not in the report,"
                    : "A check failed that has no text in this build, or a trap was set,"
            )
        case "SIGSYS":
            return happened("A system call was made that the sandbox of the process forbids")
        default:
            return nil
        }
    }

    /// True when the runtime wrote a text before it trapped.
    private var hasSaidWhy: Bool {
        calls.prefix(8).contains { $0.function?.contains("assertionFailure(") ?? false }
    }

    private var badAccess: String? {
        let omitted = report.crashedThread?.omitted?.count ?? 0
        let recursion = Recursion(calls, omitted: omitted)
        switch BadAccess(crash, recursion: recursion) {
        case .stackOverflow:
            guard let recursion else { return happened("The stack overflowed") }
            return "The stack overflowed: \(Self.turns(recursion, isAbout: omitted > 0))."
        case .null(let offset):
            if isJump { return happened("A null pointer was called as a function") }
            guard offset > 0 else { return happened("A null pointer was used") }
            return happened("A field or element of something that is not there was used (null plus \(offset))")
        case .notAnAddress, .notMapped:
            if isJump { return happened("A damaged function pointer was called") }
            return happened("Memory was used that is not there: a pointer that is damaged, or whose object is gone,")
        case .protected:
            return happened("Memory was used in a way that it does not allow, such as writing to constants,")
        case .pastEndOfFile:
            return "A mapped file was used beyond its end\(place): it was shortened since, or cannot be read."
        case .unknown:
            return nil
        }
    }

    /// True when the address that faulted is the one that was to be executed.
    private var isJump: Bool {
        guard let address = crash.faultAddress, let frame = report.crashedThread?.frames.first else { return false }
        return frame.address == address
    }

    private static func turns(_ recursion: Recursion, isAbout: Bool) -> String {
        let count = "\(isAbout ? "about " : "")\(grouped(recursion.calls)) times"
        switch recursion.functions.count {
        case 1: return "\(recursion.function) called itself \(count)"
        case 2: return "\(recursion.functions[0]) and \(recursion.functions[1]) called each other \(count)"
        case let number: return "\(recursion.function) and \(number - 1) others called each other \(count)"
        }
    }
}
