import CrashReport

/// A recursion without end, as far as a stack shows it.
struct Recursion {
    /// The functions that take turns. Which of them was called last is chance, so their order does not depend on it.
    let functions: [String]
    /// Calls of one of them on the stack: those seen, and those that the frames left out must have had.
    let calls: Int

    /// The function to name: one with a name of its own before a closure.
    var function: String { functions.first { !$0.contains("closure #") } ?? functions[0] }

    /// Nil when no function was called often enough.
    ///
    /// - Parameters:
    ///   - calls: of the stack that crashed.
    ///   - omitted: frames of it that the report does not have.
    init?(_ calls: [Call], omitted: Int = 0) {
        let own = calls.contains(where: \.isOwn) ? calls.filter(\.isOwn) : calls
        var counts: [String: Int] = [:]
        for call in own { if let function = call.function { counts[function, default: 0] += 1 } }
        guard let most = counts.values.max(), most >= Call.endlessRecursion else { return nil }
        functions = counts.filter { $0.value > most / 2 }.keys.sorted()
        let names = Set(functions)
        // Functions that were inlined into one frame come and go together.
        let frames = Set(own.filter { $0.function.map(names.contains) ?? false }.map(\.frame)).count
        let (more, overflow) = omitted.multipliedReportingOverflow(by: most)
        self.calls = overflow ? .max : most.addingReportingOverflow(more / max(1, frames)).partialValue
    }
}
