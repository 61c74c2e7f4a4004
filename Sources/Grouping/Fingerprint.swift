import CrashReport

/// What makes two reports one issue.
///
/// Functions of the service's own code near the crash, by name: never addresses, lines or paths, which change with every build.
/// Where there are no names, offsets inside the module (equal for runs of one build); where there are no frames, the message.
struct Fingerprint {
    /// 32 hex digits.
    let key: String
    /// What it was made of, a line each.
    let explanation: [String]

    /// Functions that count. Fewer melt different callers of a helper together, more split one bug by how it was reached.
    private static let depth = 5

    /// - Parameters:
    ///   - kind: of the crash, as `Headline` names it.
    ///   - calls: the functions of the stack that crashed.
    init(of report: Report, kind: String, calls: [Call]) {
        var lines = ["kind: \(kind)"]
        if report.header.isRehearsal {
            lines.append("made on purpose: where it was does not count")
        } else if report.isSentFromOutside {
            lines.append("sent by another process: where it was does not count")
        } else {
            lines += Self.stack(calls) ?? Self.message(of: report)
        }
        explanation = lines
        key = StableHash.hash(["grouping 1"] + lines)
    }

    private static func stack(_ calls: [Call]) -> [String]? {
        let own = calls.filter(\.isOwn)
        let ownNames = own.compactMap(\.name?.normalized)
        if !ownNames.isEmpty { return folding(ownNames).map { "function: \($0)" } }
        let ownOffsets = own.compactMap(\.offset)
        if !ownOffsets.isEmpty { return folding(ownOffsets).map { "no symbols: \($0)" } }
        let names = calls.compactMap(\.name).filter(\.isSignificant).map(\.normalized)
        let telling = names.filter { !Machinery.contains($0) }
        if !telling.isEmpty { return folding(telling).map { "not the service's own: \($0)" } }
        let offsets = calls.filter { $0.name == nil }.compactMap(\.offset)
        if !offsets.isEmpty { return folding(offsets).map { "no symbols, not the service's own: \($0)" } }
        return names.isEmpty ? nil : folding(names).map { "not the service's own: \($0)" }
    }

    /// The innermost names, each once. Where functions call each other in turns, which of them was innermost is chance, so these are
    /// in alphabetical order; in a recursion without end, nothing but they count.
    static func folding(_ names: [String]) -> [String] {
        var counts: [String: Int] = [:]
        for name in names { counts[name, default: 0] += 1 }
        let endless = counts.filter { $0.value >= Call.endlessRecursion }.keys.sorted()
        if !endless.isEmpty { return Array(endless.prefix(depth)) }
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

    private static func message(of report: Report) -> [String] {
        let message = report.crash?.message ?? report.error?.text
        return [message.map { "no frames, message: \(MessageShape.shape($0))" } ?? "no frames, no message"]
    }
}

extension Report {
    /// True when another process sent the signal (`kill -SEGV`): the stack then tells nothing about the reason.
    var isSentFromOutside: Bool {
        guard let sender = crash?.sender else { return false }
        return sender.pid != header.process.pid
    }
}
