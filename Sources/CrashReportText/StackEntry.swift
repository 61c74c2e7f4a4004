import CrashReport

/// What is shown of a stack, function by function.
enum StackEntry: Equatable {
    /// One function by its frame and its place in it; no symbol when the frame has none. The label is the frame's number, for the
    /// first of its functions.
    case function(frame: Int, symbol: Int?, label: String)
    /// Functions that are not the service's own, told in one line.
    case folded([Function], label: String)
    /// What the frames below are, where they are not callers.
    case heading(String)
    /// As in `StackRow`.
    case repeated(frames: Int, times: Int)
    case omitted(Int?)

    /// A function of a stack.
    struct Function: Equatable {
        var frame: Int
        var symbol: Int?
    }

    /// What stands in the column of numbers.
    var label: String {
        switch self {
        case .function(_, _, let label), .folded(_, let label): label
        case .heading, .repeated, .omitted: ""
        }
    }

    /// The entries of a stack. Folding takes a stack together that has functions of the service's own; one that has none is shown
    /// as it is, for then nothing else tells where it was.
    static func entries(of thread: ThreadStack, isFolded: Bool) -> [StackEntry] {
        let hasOwn = thread.frames.contains { frame in
            frame.symbols.contains { $0.isOwn(in: frame) } || frame.symbols.isEmpty && frame.origin == .service
        }
        var builder = Builder(thread: thread, isFolded: isFolded && hasOwn)
        for row in StackRow.rows(of: thread, isFolded: isFolded) { builder.add(row) }
        builder.endRun()
        return builder.entries
    }

    private struct Builder {
        let thread: ThreadStack
        let isFolded: Bool
        var entries: [StackEntry] = []
        /// Functions that may be folded, each as it would be shown alone.
        private var run: [StackEntry] = []
        private var trust: FrameTrust?

        init(thread: ThreadStack, isFolded: Bool) {
            self.thread = thread
            self.isFolded = isFolded
        }

        mutating func add(_ row: StackRow) {
            switch row {
            case .frame(let index, let number): add(thread.frames[index], index: index, number: number)
            case .repeated(let frames, let times):
                endRun()
                entries.append(.repeated(frames: frames, times: times))
            case .omitted(let count):
                endRun()
                entries.append(.omitted(count))
            }
        }

        private mutating func add(_ frame: Frame, index: Int, number: Int) {
            if let trust, (trust == .await) != (frame.trust == .await) {
                endRun()
                entries.append(.heading(frame.trust == .await ? "awaited by" : "run by"))
            }
            trust = frame.trust
            guard !frame.symbols.isEmpty else {
                let entry = StackEntry.function(frame: index, symbol: nil, label: String(number))
                return add(entry, isOwn: frame.origin == .service)
            }
            for symbol in frame.symbols.indices {
                add(
                    .function(frame: index, symbol: symbol, label: symbol == 0 ? String(number) : ""),
                    isOwn: frame.symbols[symbol].isOwn(in: frame)
                )
            }
        }

        private mutating func add(_ entry: StackEntry, isOwn: Bool) {
            if isOwn || !isFolded {
                endRun()
                entries.append(entry)
            } else {
                run.append(entry)
            }
        }

        /// Takes what was collected into one line, or leaves a single function as it is.
        mutating func endRun() {
            defer { run = [] }
            guard run.count > 1 else {
                entries += run
                return
            }
            let labels = run.map(\.label).filter { !$0.isEmpty }
            let functions = run.compactMap { entry -> Function? in
                guard case .function(let frame, let symbol, _) = entry else { return nil }
                return Function(frame: frame, symbol: symbol)
            }
            let label = labels.count > 1 ? "\(labels[0])-\(labels[labels.count - 1])" : labels.first ?? ""
            entries.append(.folded(functions, label: label))
        }
    }
}
