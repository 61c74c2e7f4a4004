import CDwfl

/// Reading one debugging information entry (DIE), the node of DWARF's tree.
extension Dwarf_Die {
    var tag: Int {
        var die = self
        return Int(dwarf_tag(&die))
    }

    /// Where the entry is in `.debug_info`; tells two entries apart.
    var offset: UInt64 {
        var die = self
        return dwarf_dieoffset(&die)
    }

    /// Calls `body` for each address range of code, until it returns false.
    func forEachRange(_ body: (UInt64, UInt64) -> Bool) {
        var die = self
        var base: Dwarf_Addr = 0
        var low: Dwarf_Addr = 0
        var high: Dwarf_Addr = 0
        var offset = 0
        while true {
            let next = dwarf_ranges(&die, offset, &base, &low, &high)
            guard next > 0, body(low, high) else { return }
            // Not moving forward: a damaged list.
            guard next != offset else { return }
            offset = next
        }
    }

    /// An attribute of this entry, or of the one it is an instance of.
    func integratedAttribute(_ name: Int) -> Dwarf_Attribute? {
        var die = self
        var attribute = Dwarf_Attribute()
        return dwarf_attr_integrate(&die, UInt32(name), &attribute) == nil ? nil : attribute
    }

    /// Where the entry is of which this one is an inlined call; nil for others.
    var instanceOf: UInt64? {
        var die = self
        var attribute = Dwarf_Attribute()
        var origin = Dwarf_Die()
        guard tag == DW_TAG_inlined_subroutine, dwarf_attr(&die, UInt32(DW_AT_abstract_origin), &attribute) != nil,
            dwarf_formref_die(&attribute, &origin) != nil
        else { return nil }
        return origin.offset
    }

    /// A number attribute of this very entry.
    func number(_ name: Int) -> UInt64? {
        var die = self
        var attribute = Dwarf_Attribute()
        var value: Dwarf_Word = 0
        guard dwarf_attr(&die, UInt32(name), &attribute) != nil, dwarf_formudata(&attribute, &value) == 0
        else {
            return nil
        }
        return value
    }

    /// A text attribute of this entry, or of the one it is an instance of.
    func text(_ name: Int) -> String? {
        guard var attribute = integratedAttribute(name), let text = dwarf_formstring(&attribute) else { return nil }
        return boundedName(text)
    }

    /// Name as the linker knows it, else as the source has it.
    var linkageName: String? { text(DW_AT_linkage_name) ?? text(DW_AT_name) }
}

/// A bound on the work that one file may cause, so that a hostile or damaged one ends.
struct WorkBudget {
    private(set) var remaining: Int

    /// An honest file needs less than an entry for each two of its bytes.
    init(fileSize: Int) { remaining = 100_000 + fileSize / 2 }

    var isExhausted: Bool { remaining <= 0 }

    /// Takes a step; false when there is none left.
    mutating func spend() -> Bool {
        remaining -= 1
        return remaining > 0
    }
}
