import CrashReport

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
