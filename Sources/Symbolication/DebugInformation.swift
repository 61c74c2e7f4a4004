import CDwfl

/// DWARF of one file: functions, inlined functions and lines by address.
///
/// libdw parses; which entry an address belongs to is looked up in tables made here. Its own look-ups do not serve Swift's output:
/// there is no `.debug_aranges`, and `dwarf_getscopes` does not find functions inside modules, types and other functions.
final class DebugInformation {
    private let dwarf: OpaquePointer
    private let file: ELFFile
    private let names: FunctionNames
    private var units: [CompileUnit] = []
    private var unitRanges = RangeTable()
    private var budget: WorkBudget
    /// True when the list of units ends in the middle of something.
    private var isTorn = false

    /// Reads the list of units; nil when the file has no DWARF.
    init?(_ file: ELFFile, names: FunctionNames) {
        // References into a shared file (dwz) would make libdw open a path that is written in this one.
        guard !file.isShared, let dwarf = dwarf_begin_elf(file.handle, DWARF_C_READ, nil) else { return nil }
        self.dwarf = dwarf
        self.file = file
        self.names = names
        self.budget = WorkBudget(fileSize: file.size)
        file.readingHereAndThere(readUnits)
        unitRanges.seal()
        if unitRanges.isEmpty { return nil }
    }

    deinit { dwarf_end(dwarf) }

    /// True when the file was given up on: larger than any honest one, or damaged.
    var isDamaged: Bool { budget.isExhausted || isTorn }

    /// Functions at `address`, the innermost inlined one first; empty where no unit has code.
    func places(at address: UInt64, isCall: Bool) -> [Place] {
        guard let index = unitRanges.value(at: address) else { return [] }
        return units[Int(index)].places(at: address, isCall: isCall, code: file.code, budget: &budget)
    }

    private func readUnits() {
        var current: OpaquePointer?
        while budget.spend() {
            var next: OpaquePointer?
            var root = Dwarf_Die()
            // No sub-DIE: asked for one, libdw opens files whose paths are written in this one.
            let result = dwarf_get_units(dwarf, current, &next, nil, nil, &root, nil)
            if result < 0 { isTorn = true }
            guard result == 0, next != nil else { return }
            current = next
            let tag = root.tag
            guard tag == DW_TAG_compile_unit || tag == DW_TAG_partial_unit else { continue }
            let index = Int32(units.count)
            var hasCode = false
            root.forEachRange { low, high in
                if file.code.contains(low) {
                    unitRanges.add(low, high, value: index)
                    hasCode = true
                }
                return budget.spend()
            }
            if hasCode { units.append(CompileUnit(root, names: names)) }
        }
    }
}

/// One function at an address.
struct Place {
    var name: FunctionName?
    var file: String?
    var line: Int?
    var column: Int?
    var inlined: Bool
}
