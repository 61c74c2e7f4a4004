import CrashReport

/// What makes two reports one issue: the kind of crash, the shape of its message, and the function with its caller; or what the
/// service says makes them one.
///
/// By name: never addresses, lines or paths, which change with every build. Where there are no names, offsets inside the module
/// (equal for runs of one build); where there are no frames, the kind and the message alone.
struct Fingerprint {
    /// 32 hex digits.
    let key: String
    /// What it was made of, a line each.
    let explanation: [String]

    /// What the rules are, as a part of every key: another number makes other keys of the same reports.
    static let version = 2

    /// Functions that count: who crashed and who called. Fewer melt the users of a helper together, more split one bug by how it
    /// was reached.
    private static let depth = 2
    /// Where there are no names, inlined functions are not seen: an offset is less than a function.
    private static let offsets = 3

    /// Characters of a service's own fingerprint that are told; all count.
    private static let longestShown = 200

    /// - Parameters:
    ///   - kind: of the crash, as `Headline` names it.
    ///   - calls: the functions of the stack that crashed.
    init(of report: Report, kind: String, calls: [Call]) {
        if let own = report.ownFingerprint {
            // Not of these rules, so that it outlives them.
            key = StableHash.hash(["given", own])
            let shown = own.count > Self.longestShown ? "\(own.prefix(Self.longestShown))…" : own
            explanation = ["fingerprint given by the service: \(shown)", "nothing else counts"]
            return
        }
        explanation = Self.lines(of: report, kind: kind, calls: calls)
        key = StableHash.hash(["grouping \(Self.version)"] + explanation)
    }

    private static func lines(of report: Report, kind: String, calls: [Call]) -> [String] {
        if report.header.isRehearsal { return ["kind: \(kind)", "made on purpose: where it was does not count"] }
        if report.isCutBeforeStack { return ["cut short before its stack: nothing else counts"] }
        if report.isSentFromOutside {
            return ["kind: \(kind)", "sent by another process: where it was does not count"]
        }
        var lines = ["kind: \(kind)"]
        let text = report.fatalText
        if let text { lines.append("message: \(MessageShape.shape(text))") }
        if let text, MessageText.isOfTheRuntime(text), let function = standardFunction(calls) {
            lines.append("called: \(function)")
        }
        return lines + (stack(calls) ?? [text == nil ? "no frames, no message" : "no frames"])
    }

    /// Words of the runtime are the same for every mistake of a kind; which function of the standard library the service called tells
    /// more of them apart.
    private static func standardFunction(_ calls: [Call]) -> String? {
        let called = calls.prefix { !$0.isOwn }.last { call in
            guard call.origin == .runtime, let name = call.name else { return false }
            return name.isSignificant && !Machinery.contains(name.declaration)
        }
        return called?.name?.declaration
    }

    private static func stack(_ calls: [Call]) -> [String]? {
        let own = ownFunctions(calls.filter { $0.isOwn && $0.name?.normalized.isEmpty == false })
        if !own.isEmpty { return own.map { "function: \($0)" } }
        let ownOffsets = calls.filter(\.isOwn).compactMap(\.offset)
        if !ownOffsets.isEmpty { return folding(ownOffsets, offsets).map { "no symbols: \($0)" } }
        let names = calls.compactMap(\.name).filter(\.isSignificant).map(\.normalized)
        let telling = names.filter { !Machinery.contains($0) }
        if !telling.isEmpty { return folding(telling, depth).map { "not the service's own: \($0)" } }
        let offsets = calls.filter { $0.name == nil }.compactMap(\.offset)
        if !offsets.isEmpty { return folding(offsets, Self.offsets).map { "no symbols, not the service's own: \($0)" } }
        return names.isEmpty ? nil : folding(names, depth).map { "not the service's own: \($0)" }
    }

    /// The innermost function, and those that called it. A closure counts for its callees as the function that it is written in,
    /// wherever it runs: directly, on a thread or in a task. What called the program's `main` code, or ran a closure of it, says how it was
    /// run, and packages between the service's own functions how they were called; neither counts.
    private static func ownFunctions(_ calls: [Call]) -> [String] {
        guard let first = calls.first?.name else { return [] }
        let callers = calls.dropFirst().prefix { $0.name?.isMain != true }
        let isService = callers.contains { !$0.isPackage }
        let names = callers.filter { !isService || !$0.isPackage }.compactMap { $0.name?.declaration }
            .drop { $0 == first.declaration && $0 != first.normalized }
        return folding([first.normalized] + names, depth)
    }

    /// The innermost names, each once. Where functions call each other in turns, which of them was innermost is chance, so these are
    /// in alphabetical order; in a recursion without end, nothing but they count.
    static func folding(_ names: [String], _ depth: Int) -> [String] {
        var counts: [String: Int] = [:]
        for name in names { counts[name, default: 0] += 1 }
        let endless = counts.filter { $0.value >= Call.endlessRecursion }.keys.sorted()
        if !endless.isEmpty { return Array(endless.prefix(maximumCycle)) }
        let calls = names.indices.filter { $0 == 0 || names[$0] != names[$0 - 1] }.map { names[$0] }
        var distinct: [String] = []
        var repeated: Set<String> = []
        for name in calls {
            if distinct.contains(name) {
                repeated.insert(name)
            } else if distinct.count < depth {
                distinct.append(name)
            }
        }
        let places = distinct.indices.filter { repeated.contains(distinct[$0]) }
        for (place, name) in zip(places, places.map { distinct[$0] }.sorted()) { distinct[place] = name }
        return distinct
    }

    /// Functions of an endless recursion that count.
    private static let maximumCycle = 5
}

extension Report {
    /// True for a crash whose report ends before any stack and any message, as when the process was killed meanwhile: there is nothing to
    /// tell two of them apart but the signal, and that says little of what happened.
    var isCutBeforeStack: Bool {
        header.kind == .crash && end == nil && crash?.message == nil && threads.allSatisfy(\.frames.isEmpty)
    }

    /// What the process or the service said, without what varies by the place or the run; nil when it said nothing.
    var fatalText: String? {
        let text =
            if let crash { crash.message.flatMap(MessageText.sentence) } else { error?.text ?? message }
        guard let line = text.map(MessageText.firstLine), !line.isEmpty else { return nil }
        return line
    }

    /// True when another process sent the signal (`kill -SEGV`): the stack then tells nothing about the reason.
    var isSentFromOutside: Bool {
        guard let sender = crash?.sender else { return false }
        return sender.pid != header.process.pid
    }
}
