import CDwfl

/// Functions of one compile unit by address, and the functions inlined into each.
final class FunctionTable {
    private let entries: UnitEntries?
    /// Where the entries of the functions are in the unit.
    private var functions: [UInt32] = []
    private var ranges = RangeTable()
    /// Calls that were replaced by the callee's body, in the order of the file: a caller comes before what is inlined into it.
    private var inlined: [Inlined] = []
    /// Where the code of these is: one function after the other, in the order of `inlined` within each.
    private var code: [InlinedCode] = []
    /// Where in `code` that of a function begins, and behind the last one where it ends.
    private var firstCode: [Int] = []

    private struct Inlined {
        var entry: UInt32
        /// The one that it is inlined into; -1 when that is the function itself.
        var parent: Int32
    }

    private struct InlinedCode {
        var low: UInt64
        var high: UInt64
        var index: Int32
        var function: Int32
    }

    /// What entries below another one are.
    private struct Level {
        /// The function that they are in; -1 outside all, and in one that has no code.
        var function: Int32 = -1
        /// What they are inlined into.
        var parent: Int32 = -1
        /// Functions may be below.
        var hasFunctions = true
        /// Inlined calls may be below.
        var hasCalls = false
    }

    /// Nesting that is followed. Compilers stay far below it.
    private static let depthLimit = 256

    init(_ unit: Dwarf_Die, code: CodeRanges, budget: inout WorkBudget) {
        entries = UnitEntries(unit, budget: &budget)
        if var entries { read(&entries, code, &budget) }
        ranges.seal()
        sortCode()
    }

    /// Entries at `address`: the innermost inlined function first, the function that was compiled last.
    func chain(at address: UInt64) -> [Dwarf_Die] {
        guard let entries, let value = ranges.value(at: address) else { return [] }
        let function = Int(value)
        var chain: [Dwarf_Die] = []
        // Callees come after their callers, so the last one that holds the address is the innermost.
        var next =
            code[firstCode[function]..<firstCode[function + 1]].last { $0.low <= address && address < $0.high }?
            .index ?? -1
        while next >= 0 {
            let call = inlined[Int(next)]
            chain.append(entries.die(at: call.entry))
            next = call.parent
        }
        chain.append(entries.die(at: functions[function]))
        return chain
    }

    private func read(_ entries: inout UnitEntries, _ code: CodeRanges, _ budget: inout WorkBudget) {
        guard case .entry(let root) = entries.next(), root.hasChildren else { return }
        var levels = [Level()]
        // How deep the walk is below an entry whose children are of no interest.
        var passed = 0
        while let level = levels.last, budget.spend() {
            switch entries.next() {
            case .end: return
            case .endOfChildren: if passed > 0 { passed -= 1 } else { levels.removeLast() }
            case .entry(let entry) where passed > 0: if entry.hasChildren { passed += 1 }
            case .entry(let entry):
                let inner = take(entry, of: entries, level, code, &budget)
                guard entry.hasChildren else { continue }
                if let inner, levels.count < Self.depthLimit { levels.append(inner) } else { passed = 1 }
            }
        }
    }

    /// Adds an entry, if it is one of ours, and says what its children are; nil when they are of no interest.
    private func take(
        _ entry: UnitEntries.Entry,
        of entries: UnitEntries,
        _ level: Level,
        _ code: CodeRanges,
        _ budget: inout WorkBudget
    ) -> Level? {
        var inner = level
        switch entry.tag {
        case DW_TAG_subprogram:
            // Also inside modules, types, blocks and other functions (closures, `defer`, local functions).
            guard level.hasFunctions else { return nil }
            inner = Level()
            let index = Int32(functions.count)
            entries.forEachRange(of: entry) { low, high in
                if code.contains(low) {
                    ranges.add(low, high, value: index)
                    inner.function = index
                    inner.hasCalls = true
                }
                return budget.spend()
            }
            if inner.hasCalls { functions.append(entry.offset) }
        case DW_TAG_inlined_subroutine:
            guard level.hasCalls else { return level.hasFunctions ? level : nil }
            let index = Int32(inlined.count)
            entries.forEachRange(of: entry) { low, high in
                if low < high {
                    self.code.append(InlinedCode(low: low, high: high, index: index, function: level.function))
                }
                return budget.spend()
            }
            inlined.append(Inlined(entry: entry.offset, parent: level.parent))
            inner.parent = index
        case DW_TAG_lexical_block:
            // Its ranges are not looked at: Swift's are sometimes narrower than what is in them.
            break
        case DW_TAG_try_block, DW_TAG_catch_block:
            inner.hasFunctions = false
        case DW_TAG_module, DW_TAG_namespace, DW_TAG_structure_type, DW_TAG_class_type, DW_TAG_enumeration_type,
            DW_TAG_union_type, DW_TAG_interface_type, DW_TAG_variant_part, DW_TAG_variant:
            inner.hasCalls = false
        default:
            return nil
        }
        return inner.hasFunctions || inner.hasCalls ? inner : nil
    }

    /// Puts the code of each function's calls together. Nested functions are read in the middle of what they are in.
    private func sortCode() {
        firstCode = [Int](repeating: 0, count: functions.count + 1)
        for one in code { firstCode[Int(one.function) + 1] += 1 }
        for index in functions.indices { firstCode[index + 1] += firstCode[index] }
        guard zip(code, code.dropFirst()).contains(where: { $0.function > $1.function }) else { return }
        var next = firstCode
        var sorted = code
        for one in code {
            sorted[next[Int(one.function)]] = one
            next[Int(one.function)] += 1
        }
        code = sorted
    }
}
