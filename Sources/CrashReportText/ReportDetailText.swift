import CrashReport

// What stands beside the stacks: accesses that exclude each other, context, breadcrumbs, images, notes.

extension ReportText {
    var accesses: [StyledLine] {
        guard let conflict = report.crashedThread?.accessConflict else { return [] }
        let rows = [("previous", conflict.previous), ("current", conflict.current)]
        return [StyledLine("Accesses to \(hex(conflict.address)) that exclude each other", .strong)]
            + rows.map { name, access in
                var line = StyledLine("  ")
                line.add(name, .faint)
                line.pad(to: 12)
                line.add((access.kind ?? "unknown").madeVisible())
                line.pad(to: 26)
                line.add(fitted(access.frame.map(beginning) ?? "at an unknown place", after: 26))
                return line
            }
    }

    /// The innermost function with a place, or where it is in its image.
    private func beginning(at frame: Frame) -> String {
        let symbol = frame.symbols.first { $0.place != nil } ?? frame.symbols.last
        guard symbol == nil, let image = report.image(of: frame) else { return symbol?.label ?? hex(frame.address) }
        return "\(image.name) + \(hex(frame.offset ?? frame.address &- image.base))"
    }

    var context: [StyledLine] {
        guard let context = report.context else { return [] }
        let groups: [(String, [String: JSONValue])] = [
            ("tags", context.tags.mapValues { .string($0) }), ("user", context.user), ("request", context.request),
            ("custom", context.custom),
        ]
        var lines: [StyledLine] = []
        for (name, values) in groups where !values.isEmpty {
            for (index, (key, value)) in values.sorted(by: { $0.key < $1.key }).enumerated() {
                var line = StyledLine("  ")
                line.add(index == 0 ? name : "", .faint)
                line.pad(to: 12)
                line.add(fitted("\(key) = \(plain(value))", after: 12))
                lines.append(line)
            }
        }
        return lines.isEmpty ? [] : [StyledLine("Context", .strong)] + lines
    }

    var breadcrumbs: [StyledLine] {
        guard !report.breadcrumbs.isEmpty else { return [] }
        let shown = options.isFull ? report.breadcrumbs[...] : report.breadcrumbs.suffix(10)
        let isAll = shown.count == report.breadcrumbs.count
        let count = isAll ? "" : ", the last \(shown.count) of \(grouped(report.breadcrumbs.count))"
        let times = shown.map { distance(of: $0) }
        let column = 2 + (times.map(\.count).max() ?? 0)
        return [StyledLine("Breadcrumbs\(count)", .strong)]
            + zip(shown, times).map { crumb, time in
                var line = StyledLine()
                line.pad(to: column - time.count)
                line.add(time, .faint)
                if options.isFull { line.add(" \(crumb.time)", .faint) }
                for word in [crumb.level, crumb.category].compactMap(\.self) { line.add(" \(word)", .faint) }
                let data = crumb.data.isEmpty ? "" : " \(JSONValue.object(crumb.data).text)"
                line.add(" " + fitted(crumb.message + data, after: line.width + 1))
                return line
            }
    }

    /// How long before the report it was: `-1.204 s`; its own text where that is no time.
    private func distance(of crumb: Breadcrumb) -> String {
        guard let time = Timestamp(crumb.time), let end = Timestamp(report.header.time) else {
            return crumb.time.madeVisible(limit: 32)
        }
        let (microseconds, overflow) = end.microseconds.subtractingReportingOverflow(time.microseconds)
        guard !overflow else { return crumb.time.madeVisible(limit: 32) }
        // Told after it by a thread that went on while the report began.
        let sign = microseconds < 0 ? "+" : "-"
        let milliseconds = Int(clamping: microseconds.magnitude / 1_000)
        guard milliseconds < 60_000 else { return sign + durationText(milliseconds: milliseconds) }
        let fraction = String(milliseconds % 1_000)
        return "\(sign)\(milliseconds / 1_000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction) s"
    }

    var attachments: [StyledLine] {
        guard !report.attachments.isEmpty else { return [] }
        return [StyledLine("Attachments", .strong)]
            + report.attachments.map { file in
                var line = StyledLine("  ")
                line.add(file.name.madeVisible().shortened(to: 40))
                if let type = file.contentType { line.add(" " + type.madeVisible().shortened(to: 40), .faint) }
                if let problem = file.problem {
                    line.add(" " + fitted("not attached: \(problem)", after: line.width + 1), .notice)
                } else if let data = file.data {
                    let whole = file.wholeSize.map { ", the end of \(grouped($0))" } ?? ""
                    line.add(" \(grouped(data.count)) bytes\(whole)", .faint)
                } else {
                    line.add(" not read", .faint)
                }
                return line
            }
    }

    var images: [StyledLine] {
        guard options.isFull, !report.images.isEmpty else { return [] }
        return [StyledLine("Images", .strong)]
            + report.images.map { image in
                let end = image.base.addingReportingOverflow(image.size).partialValue
                var line = StyledLine("    \(hex(image.base))-\(hex(end)) ", .faint)
                line.add(image.path)
                line.add(" \(image.buildID ?? "no build id")", .faint)
                return line
            }
    }

    var notes: [StyledLine] {
        let texts = warnings + endNotes + imageNotes
        guard !texts.isEmpty else { return [] }
        return [StyledLine("Notes", .strong)]
            + texts.flatMap { text in
                text.madeVisible().wrapped(to: options.width - 4).enumerated().map { index, text in
                    StyledLine((index == 0 ? "  - " : "    ") + text, .notice)
                }
            }
    }

    private var endNotes: [String] {
        guard let end = report.end else {
            return ["The report has no end: what the capture would have written after this is missing."]
        }
        var notes = end.cut.map { "The stage \"\($0.stage)\" was cut short: \(StackText.words(for: $0.reason))." }
        if report.isOfSwiftBacktracer {
            notes.append(
                "Swift's backtracer wrote this: it says nothing of context, breadcrumbs, release and host, of the ids of "
                    + "threads (they are numbered in its order) and the code of the signal. It finds frames by frame "
                    + "pointer: functions without one are missing."
            )
            if let crash = report.crash, crash.message == nil, ["SIGILL", "SIGTRAP"].contains(crash.signal.name) {
                notes.append(
                    "The text of a fatal error is not in its JSON: the service wrote that to standard error before, and "
                        + "`mayday import` of a log that has both finds it."
                )
            }
            if report.images.isEmpty {
                notes.append(
                    "It was told to leave out the images (`images=none`), so that functions are known as far as it "
                        + "knew them."
                )
            }
        }
        if end.unwinder == "frame-pointer" {
            notes.append(
                "Frames were found by frame pointer, since libunwind could not be used: functions without one are missing. "
                    + "Install libunwind8 beside the service for whole stacks; where it is, what it lacked (descriptors, memory) "
                    + "stands in the service's log, at its start."
            )
        }
        return notes
    }

    /// Images with the service's code whose functions or lines are not all known, and images of the crashed stack whose frames ought
    /// to have symbols, each with the reason as far as it is known.
    private var imageNotes: [String] {
        let crashed = (report.crashedThread?.frames ?? []).filter { $0.symbols.isEmpty && $0.origin != .system }
        let own = report.threads.lazy.flatMap(\.frames).filter { frame in
            frame.origin == .service && frame.symbols.last?.file == nil
                && frame.image.map { knownImageNotes[$0] != nil } ?? false
        }
        var seen: Set<Int> = []
        return (crashed + own).compactMap { frame in
            guard let index = frame.image, let image = report.image(of: frame), seen.insert(index).inserted else {
                return nil
            }
            if let note = knownImageNotes[index] { return note }
            guard let buildID = image.buildID else {
                return
                    "\(image.name) has no build id, so its frames cannot be symbolicated: link it with -Wl,--build-id."
            }
            return "No symbols for some frames in \(image.name) (build id \(buildID))."
        }
    }

    private func fitted(_ text: String, after column: Int) -> String {
        let visible = text.madeVisible()
        return options.isFull ? visible : visible.shortened(to: max(20, options.width - column))
    }

    private func plain(_ value: JSONValue) -> String {
        if case .string(let text) = value { return text }
        return value.text
    }
}

extension Report {
    /// True for a report that was made of what Swift's backtracer wrote.
    var isOfSwiftBacktracer: Bool { header.sdk.name == SDKFacts.swiftBacktracer }
}
