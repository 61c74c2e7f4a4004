import CDwfl

/// Functions of one compile unit by address, and the functions inlined into each.
final class FunctionTable {
    private var functions: [Function] = []
    private var ranges = RangeTable()
    private let walk: UnitWalk?

    private struct Function {
        var entry: Dwarf_Die
        /// Made when the function is first hit.
        var inlined: InlinedFunctions?
    }

    /// Calls that were replaced by the callee's body, in preorder, and where the code of each is.
    private struct InlinedFunctions {
        var entries: [(entry: Dwarf_Die, parent: Int?)] = []
        var ranges: [(low: UInt64, high: UInt64, index: Int)] = []
    }

    /// Nesting that is followed. Compilers stay far below it.
    private static let depthLimit = 128

    init(_ unit: Dwarf_Die, code: CodeRanges, budget: inout WorkBudget) {
        walk = UnitWalk(unit)
        _ = collect(unit, code: code, depth: 0, budget: &budget)
        ranges.seal()
    }

    /// Entries at `address`: the innermost inlined function first, the function that was compiled last.
    func chain(at address: UInt64, budget: inout WorkBudget) -> [Dwarf_Die] {
        guard let value = ranges.value(at: address) else { return [] }
        let index = Int(value)
        if functions[index].inlined == nil {
            var made = InlinedFunctions()
            _ = collectInlined(functions[index].entry, into: &made, parent: nil, depth: 0, budget: &budget)
            functions[index].inlined = made
        }
        guard let inlined = functions[index].inlined else { return [functions[index].entry] }
        var chain: [Dwarf_Die] = []
        // A child comes after its parent, so the last one that holds the address is the innermost.
        var next = inlined.ranges.last { $0.low <= address && address < $0.high }?.index
        while let current = next {
            chain.append(inlined.entries[current].entry)
            next = inlined.entries[current].parent
        }
        return chain + [functions[index].entry]
    }

    /// Functions may be inside modules, types, namespaces, blocks and other functions (closures, `defer`, local functions).
    private func collect(_ entry: Dwarf_Die, code: CodeRanges, depth: Int, budget: inout WorkBudget)
        -> UnitWalk.Children
    {
        guard let walk, depth < Self.depthLimit else { return .passed }
        return walk.children(of: entry) { child in
            guard budget.spend() else { return .over }
            switch child.tag {
            case DW_TAG_subprogram:
                let index = Int32(functions.count)
                var hasCode = false
                child.forEachRange { low, high in
                    if code.contains(low) {
                        ranges.add(low, high, value: index)
                        hasCode = true
                    }
                    return budget.spend()
                }
                if hasCode { functions.append(Function(entry: child, inlined: nil)) }
            case DW_TAG_module, DW_TAG_namespace, DW_TAG_structure_type, DW_TAG_class_type, DW_TAG_enumeration_type,
                DW_TAG_union_type, DW_TAG_interface_type, DW_TAG_variant_part, DW_TAG_variant, DW_TAG_lexical_block,
                DW_TAG_inlined_subroutine:
                break
            default:
                return .passed
            }
            return collect(child, code: code, depth: depth + 1, budget: &budget)
        }
    }

    /// All inlined calls in preorder. Ranges of lexical blocks are not looked at: Swift's are sometimes narrower than what is in them.
    private func collectInlined(
        _ entry: Dwarf_Die,
        into made: inout InlinedFunctions,
        parent: Int?,
        depth: Int,
        budget: inout WorkBudget
    ) -> UnitWalk.Children {
        guard let walk, depth < Self.depthLimit else { return .passed }
        return walk.children(of: entry) { child in
            guard budget.spend() else { return .over }
            switch child.tag {
            case DW_TAG_inlined_subroutine:
                let index = made.entries.count
                child.forEachRange { low, high in
                    if low < high { made.ranges.append((low, high, index)) }
                    return budget.spend()
                }
                made.entries.append((child, parent))
                return collectInlined(child, into: &made, parent: index, depth: depth + 1, budget: &budget)
            case DW_TAG_lexical_block, DW_TAG_try_block, DW_TAG_catch_block:
                return collectInlined(child, into: &made, parent: parent, depth: depth + 1, budget: &budget)
            default:
                return .passed
            }
        }
    }
}
