import CrashReport

/// Threads with equal stacks, which are told once: most threads of a pool wait at the same place.
struct ThreadGroup {
    /// In the order in which they came.
    private(set) var threads: [ThreadStack]

    init(_ thread: ThreadStack) { threads = [thread] }

    /// The one whose stack stands for all.
    var thread: ThreadStack { threads[0] }

    /// Threads by equal stacks, and those of no frames each for itself, as nothing is known of them.
    static func groups(of threads: [ThreadStack]) -> [ThreadGroup] {
        var groups: [ThreadGroup] = []
        var known: [Key: Int] = [:]
        for thread in threads {
            let key = Key(thread)
            if let index = known[key] {
                groups[index].threads.append(thread)
            } else {
                known[key] = groups.count
                groups.append(ThreadGroup(thread))
            }
        }
        return groups
    }

    private struct Key: Hashable {
        var addresses: [UInt64]
        var state: String?
        var gap: [Int?]
        var truncated: String?

        init(_ thread: ThreadStack) {
            addresses = thread.frames.map(\.address)
            state = thread.state
            gap = thread.omitted.map { [$0.index, $0.count] } ?? []
            truncated = thread.truncated
        }
    }

    // MARK: Text

    private static let shownNames = 4
    private static let shownGroups = 16

    /// Names in the order in which they come, equal ones counted: `worker ×3, main`.
    var names: String {
        var order: [String] = []
        var counts: [String: Int] = [:]
        for thread in threads {
            let name = thread.name ?? "unnamed"
            if counts[name] == nil { order.append(name) }
            counts[name, default: 0] += 1
        }
        let shown = order.prefix(Self.shownNames).map { name in
            let count = counts[name] ?? 1
            return count == 1 ? name : "\(name) ×\(grouped(count))"
        }
        let more = order.count > shown.count ? [" and \(grouped(order.count - shown.count)) more names"] : []
        return shown.joined(separator: ", ") + more.joined()
    }

    /// `Thread 4711 "worker" (S)`, above a whole stack.
    var heading: StyledLine {
        let name = thread.name.map { " \"\($0)\"" } ?? ""
        let state = thread.state.map { " (\($0))" } ?? ""
        guard threads.count > 1 else { return StyledLine("Thread \(thread.id)\(name)\(state)", .strong) }
        let ids = threads.prefix(8).map { String($0.id) }.joined(separator: ", ")
        let more = threads.count > 8 ? " and \(grouped(threads.count - 8)) more" : ""
        return StyledLine("\(grouped(threads.count)) threads with one stack, \(names)\(state): \(ids)\(more)", .strong)
    }

    /// A line for each group: who, the id of one of them for `--thread`, and where they are.
    static func summary(_ groups: [ThreadGroup], in report: Report, _ options: ReportTextOptions) -> [StyledLine] {
        let shown = groups.prefix(shownGroups)
        let names = shown.map { $0.names.madeVisible() }
        let idColumn = min(32, (names.map(\.columns).max() ?? 0)) + 4
        let column = idColumn + (shown.map { String($0.thread.id).count }.max() ?? 0) + 2
        var lines = zip(shown, names).map { group, name in
            var line = StyledLine("  ")
            line.add(name.shortened(to: idColumn - 4))
            line.pad(to: idColumn)
            line.add(String(group.thread.id), .faint)
            line.pad(to: column)
            line.add(group.place(in: report, width: options.width - column), .faint)
            return line
        }
        if groups.count > shown.count {
            let more = groups[shownGroups...].reduce(0) { $0 + $1.threads.count }
            lines.append(StyledLine("  and \(grouped(more)) more: --full has them all", .notice))
        }
        return lines
    }

    /// The innermost function, and the innermost of the service's own below it.
    private func place(in report: Report, width: Int) -> String {
        guard let frame = thread.frames.first else {
            let reason = thread.truncated.map { ": \(StackText.words(for: $0).madeVisible())" } ?? ""
            return "no stack\(reason)".shortened(to: width)
        }
        let symbols = thread.frames.lazy.flatMap { frame in frame.symbols.map { (frame: frame, symbol: $0) } }
        let own = symbols.first { $0.symbol.isOwn(in: $0.frame) }?.symbol
        let inner = frame.symbols.first?.function ?? report.image(of: frame).map { "\($0.name)" } ?? hex(frame.address)
        guard let own, own != frame.symbols.first else {
            return "in \(frame.symbols.first?.label ?? inner)".madeVisible().shortened(to: width)
        }
        let place = ", from \(own.label)".madeVisible()
        let room = max(12, width - place.columns)
        return ("in \(inner.madeVisible())".shortened(to: room) + place).shortened(to: width)
    }
}
