/// A stack as lines of text: a marker column for the service's own frames, number, function, place.
struct StackText {
    let report: Report
    let options: ReportTextOptions

    /// Column where the function begins: marker and number are before it.
    private let margin: Int
    private let thread: ThreadStack
    private let rows: [StackRow]

    init(_ thread: ThreadStack, in report: Report, _ options: ReportTextOptions) {
        self.report = report
        self.options = options
        self.thread = thread
        rows = StackRow.rows(of: thread, isFolded: !options.isFull)
        let last = thread.frames.count.addingClamped(thread.omitted?.count ?? 0)
        margin = 5 + max(3, String(last).count)
    }

    var lines: [StyledLine] {
        var lines: [StyledLine] = []
        for row in rows {
            switch row {
            case .frame(let index, let number): lines += self.lines(of: thread.frames[index], number: number)
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
        default: reason
        }
    }

    private func remark(_ text: String) -> StyledLine {
        var line = StyledLine("    …")
        line.pad(to: margin)
        line.add(text, .notice)
        return line
    }

    private func lines(of frame: Frame, number: Int) -> [StyledLine] {
        guard !frame.symbols.isEmpty else {
            let suffix = unsymbolicatedSuffix(frame)
            let isOwn = frame.origin == .service
            return lines(frame, isOwn: isOwn, number: String(number), text: address(of: frame), suffix: suffix)
        }
        return frame.symbols.enumerated().flatMap { index, symbol in
            lines(
                frame,
                isOwn: isOwn(symbol, in: frame),
                number: index == 0 ? String(number) : "",
                text: (frame.trust == .await && !symbol.inlined ? "await " : "") + symbol.function,
                suffix: suffix(of: symbol, in: frame)
            )
        }
    }

    /// What somebody of the service wrote: not the library code and the thunks that the compiler put into its frames, which have no
    /// line. Without any line, in a stripped binary, the name decides.
    private func isOwn(_ symbol: FrameSymbol, in frame: Frame) -> Bool {
        guard frame.origin == .service else { return false }
        if symbol.place != nil { return true }
        return frame.symbols.allSatisfy { $0.place == nil } && !symbol.isThunk
    }

    private func lines(
        _ frame: Frame,
        isOwn: Bool,
        number: String,
        text: String,
        suffix: String
    ) -> [StyledLine] {
        let style: TextStyle = isOwn ? .strong : frame.origin == nil ? .plain : .faint
        let marker = isOwn ? "  > " : "    "
        let suffixStyle = style == .strong ? .plain : style
        var line = StyledLine(marker, style)
        line.add(number, .faint)
        line.pad(to: margin)
        let text = text.madeVisible()
        let suffix = suffix.madeVisible()
        let room = options.width - margin
        // The place stays in sight, however long the function's name is.
        if options.isFull || text.count + suffix.count <= room {
            line.add(text, style)
            line.add(suffix, suffixStyle)
            return [line]
        }
        if suffix.count <= room / 2 {
            line.add(text.shortened(to: room - suffix.count), style)
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
    /// Code that the compiler made to pass a call on.
    fileprivate var isThunk: Bool {
        let function = function.hasPrefix("specialized ") ? function.dropFirst("specialized ".count) : function[...]
        return ["partial apply ", "reabstraction thunk ", "thunk for ", "outlined "].contains(where: function.hasPrefix)
    }
}

/// What is shown of a stack, line by line.
enum StackRow: Equatable {
    /// A frame by its index, and its number in the whole stack.
    case frame(index: Int, number: Int)
    /// The `frames` frames before this row came `times` more times.
    case repeated(frames: Int, times: Int)
    /// Frames that the capture left out; nil when nobody knows how many.
    case omitted(Int?)

    /// The longest cycle of functions that call each other that is looked for.
    private static let longestCycle = 8

    /// The rows of a stack; when it is folded, a recursion is shown once and counted.
    static func rows(of thread: ThreadStack, isFolded: Bool) -> [StackRow] {
        var rows: [StackRow] = []
        var index = 0
        var skipped = 0
        /// Frames before it are on the other side of a gap, or folded already.
        var start = 0
        var isGapShown = false
        while index < thread.frames.count {
            if let omitted = thread.omitted, omitted.index == index, !isGapShown {
                rows.append(.omitted(omitted.count))
                skipped = omitted.count ?? 0
                isGapShown = true
                start = index
            }
            if isFolded, let fold = cycle(in: thread, at: index, since: start) {
                rows.append(.repeated(frames: fold.frames, times: fold.times))
                index += fold.frames * fold.times
                start = index
                continue
            }
            rows.append(.frame(index: index, number: index.addingClamped(skipped)))
            index += 1
        }
        if let omitted = thread.omitted, omitted.index >= thread.frames.count { rows.append(.omitted(omitted.count)) }
        return rows
    }

    /// A cycle of frames before `index` that goes on at least twice from there.
    private static func cycle(in thread: ThreadStack, at index: Int, since start: Int) -> (frames: Int, times: Int)? {
        let gap = thread.omitted.map(\.index) ?? .max
        let end = index < gap ? min(gap, thread.frames.count) : thread.frames.count
        for length in 1...longestCycle where index - start >= length {
            var times = 0
            while index + (times + 1) * length <= end,
                (0..<length).allSatisfy({
                    thread.frames[index + times * length + $0].address == thread.frames[index - length + $0].address
                })
            {
                times += 1
            }
            if times >= 2 { return (length, times) }
        }
        return nil
    }
}

extension Int {
    /// The sum, or the largest number: counts come out of reports.
    fileprivate func addingClamped(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

func hex(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }

/// A count with commas between thousands.
func grouped(_ count: Int) -> String {
    var text = ""
    for (index, digit) in String(count.magnitude).reversed().enumerated() {
        if index > 0, index % 3 == 0 { text.append(",") }
        text.append(digit)
    }
    return (count < 0 ? "-" : "") + String(text.reversed())
}
