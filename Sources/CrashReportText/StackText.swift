import CrashReport

/// A stack as lines of text: a marker column for the service's own frames, number, function, place.
///
/// In a summary the frames between those of the service's own are told in one line, and source lines stand below the own ones.
struct StackText {
    let report: Report
    let options: ReportTextOptions
    let sources: SourceExcerpt.Lookup?

    /// Column where the function begins: marker and number are before it.
    private let margin: Int
    private let thread: ThreadStack
    private let entries: [StackEntry]

    /// Own functions whose source lines are shown; the first of them with what is around.
    private static let shownSources = 6
    private static let context = 2

    init(_ thread: ThreadStack, in report: Report, _ options: ReportTextOptions, sources: SourceExcerpt.Lookup? = nil) {
        self.report = report
        self.options = options
        self.thread = thread
        self.sources = options.detail == .raw ? nil : sources
        entries = StackEntry.entries(of: thread, isFolded: !options.isFull)
        margin = 5 + max(3, entries.map(\.label.count).max() ?? 0)
    }

    var lines: [StyledLine] {
        var lines: [StyledLine] = []
        var excerpts = 0
        for entry in entries {
            switch entry {
            case .function(let index, let symbol, let label):
                let frame = thread.frames[index]
                lines += self.lines(of: frame, symbol: symbol, label: label)
                guard let sources, let symbol = symbol.map({ frame.symbols[$0] }), symbol.isOwn(in: frame),
                    options.isFull || excerpts < Self.shownSources, let file = symbol.file, let line = symbol.line,
                    let found = sources(file, line, options.isFull || excerpts == 0 ? Self.context : 0)
                else { continue }
                excerpts += 1
                lines += found.text(marking: line, margin: margin, width: options.isFull ? .max : options.width)
            case .folded(let functions, let label):
                lines.append(folded(functions, label: label))
            case .heading(let text):
                var line = StyledLine()
                line.pad(to: 4)
                line.add(text, .faint)
                lines.append(line)
            case .repeated(let frames, let times):
                let what = frames == 1 ? "the frame above" : "the \(frames) frames above"
                lines.append(remark("\(what), \(grouped(times)) more times"))
            case .omitted(let count):
                let what =
                    count.map { $0 == 1 ? "1 frame" : "\(grouped($0)) frames" } ?? "an unknown number of frames"
                lines.append(remark("\(what) left out of a deep stack"))
            }
        }
        if let reason = thread.truncated {
            let what = thread.frames.isEmpty ? "no frames" : "the stack goes on"
            lines.append(remark("\(what): \(Self.words(for: reason))"))
        } else if thread.frames.isEmpty {
            lines.append(remark("no frames"))
        }
        return lines
    }

    static func words(for reason: String) -> String {
        switch reason {
        case "deadline": "the walk ran out of time"
        case "unreadable": "memory of the next frame could not be read"
        case "limit": "the walk ended at its limit of frames"
        case "fault": "the walk itself crashed"
        case "io": "the file could not be written"
        case "backtracer": "Swift's backtracer saw no further"
        default: reason
        }
    }

    private func remark(_ text: String) -> StyledLine {
        var line = StyledLine("    …")
        line.pad(to: margin)
        line.add(text, .notice)
        return line
    }

    /// `7-16  completeTask and 9 more in libswift_Concurrency.so, libc.so.6`.
    private func folded(_ functions: [StackEntry.Function], label: String) -> StyledLine {
        var images: [String] = []
        for function in functions {
            let frame = thread.frames[function.frame]
            // What was inlined into the service's own code is nobody else's image.
            if frame.origin != .service, let name = report.image(of: frame)?.name, !images.contains(name) {
                images.append(name)
            }
        }
        let text = text(of: functions[0]).madeVisible()
        let room = options.width - margin
        // As many images as there is room for beside the function, which says more.
        let suffixes = (1...3).reversed().map { count in
            let shown = images.prefix(count).joined(separator: ", ") + (images.count > count ? " …" : "")
            return " and \(grouped(functions.count - 1)) more\(shown.isEmpty ? "" : " in \(shown)")".madeVisible()
        }
        let suffix = suffixes.first { text.columns + $0.columns <= room } ?? suffixes[2].shortened(to: room * 2 / 3)
        var line = StyledLine("    ")
        line.add(label, .faint)
        line.pad(to: margin)
        line.add(text.shortened(to: room - suffix.columns), .faint)
        line.add(suffix, .faint)
        return line
    }

    private func text(of function: StackEntry.Function) -> String {
        let frame = thread.frames[function.frame]
        return function.symbol.map { frame.symbols[$0].function } ?? address(of: frame)
    }

    private func lines(of frame: Frame, symbol index: Int?, label: String) -> [StyledLine] {
        guard let symbol = index.map({ frame.symbols[$0] }) else {
            return lines(
                frame,
                isOwn: frame.origin == .service,
                label: label,
                text: address(of: frame),
                suffix: unsymbolicatedSuffix(frame)
            )
        }
        if options.detail == .raw {
            let isFirst = index == 0
            let text = symbol.mangled ?? symbol.function
            let place = isFirst ? address(of: frame) : ""
            let suffix = symbol.inlined ? " [inlined]" : ""
            return lines(
                frame,
                isOwn: symbol.isOwn(in: frame),
                label: label,
                text: isFirst ? "\(hex(frame.address)) \(place) [\(frame.trust.rawValue)] \(text)" : "  \(text)",
                suffix: suffix
            )
        }
        return lines(
            frame,
            isOwn: symbol.isOwn(in: frame),
            label: label,
            text: symbol.function,
            suffix: suffix(of: symbol, in: frame)
        )
    }

    private func lines(
        _ frame: Frame,
        isOwn: Bool,
        label: String,
        text: String,
        suffix: String
    ) -> [StyledLine] {
        let style: TextStyle = isOwn ? .strong : frame.origin == nil ? .plain : .faint
        let marker = isOwn ? "  > " : "    "
        let suffixStyle = style == .strong ? .plain : style
        var line = StyledLine(marker, style)
        line.add(label, .faint)
        line.pad(to: margin)
        let text = text.madeVisible()
        let suffix = suffix.madeVisible()
        let room = options.width - margin
        // The place stays in sight, however long the function's name is.
        if options.isFull || text.columns + suffix.columns <= room {
            line.add(text, style)
            line.add(suffix, suffixStyle)
            return [line]
        }
        if suffix.columns <= room / 2 {
            line.add(text.shortened(to: room - suffix.columns), style)
            line.add(suffix, suffixStyle)
            return [line]
        }
        line.add(text.shortened(to: room), style)
        var next = StyledLine(marker, style)
        next.pad(to: margin)
        next.add(suffix.shortened(to: room), suffixStyle)
        return [line, next]
    }

    private func address(of frame: Frame) -> String {
        guard let image = report.image(of: frame) else { return hex(frame.address) }
        return "\(image.name) + \(hex(frame.offset ?? frame.address &- image.base))"
    }

    private func unsymbolicatedSuffix(_ frame: Frame) -> String {
        report.image(of: frame) == nil ? " (in no image)" : options.isFull ? how(frame) : ""
    }

    private func suffix(of symbol: FrameSymbol, in frame: Frame) -> String {
        var suffix = ""
        if options.isFull, let file = symbol.file {
            suffix += " (\(file)" + (symbol.line.map { ":\($0)" } ?? "") + (symbol.column.map { ":\($0)" } ?? "") + ")"
        } else if let place = symbol.place {
            suffix += " (\(place))"
        }
        let isKnownByItsFrame = frame.symbols.contains { $0.place != nil }
        if frame.origin != .service || !isKnownByItsFrame, let image = report.image(of: frame) {
            suffix += " in \(image.name)"
        }
        if symbol.inlined { return suffix + " [inlined]" }
        return options.isFull ? suffix + how(frame) : suffix
    }

    private func how(_ frame: Frame) -> String { " [\(hex(frame.address)) \(frame.trust.rawValue)]" }
}

extension FrameSymbol {
    /// What somebody of the service wrote: not the library code and the thunks that the compiler put into its frames, which have no
    /// line. Without any line, in a stripped binary, the name decides.
    func isOwn(in frame: Frame) -> Bool {
        guard frame.origin == .service else { return false }
        if place != nil { return true }
        return frame.symbols.allSatisfy { $0.place == nil } && !isThunk
    }

    /// Code that the compiler made to pass a call on.
    private var isThunk: Bool {
        let function = function.hasPrefix("specialized ") ? function.dropFirst("specialized ".count) : function[...]
        return ["partial apply ", "reabstraction thunk ", "thunk for ", "outlined "].contains(where: function.hasPrefix)
    }
}

extension Int {
    /// The sum, or the largest number: counts come out of reports.
    func addingClamped(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

func hex(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }
