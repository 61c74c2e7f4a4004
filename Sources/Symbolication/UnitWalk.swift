import CDwfl

/// Walks the entries of one unit, each of them once.
///
/// libdw finds the entry behind another one's children by walking these, so a walk with its calls alone comes to an entry as many times
/// as it is deep. Where the children were walked anyway, it is known where they end: `dwarf_siblingof` of the last one says so.
struct UnitWalk {
    /// Behind the last byte of the unit.
    private let limit: UnsafeRawPointer

    /// What became of the children of an entry.
    enum Children {
        /// They were not walked, or there are none.
        case passed
        /// They were, up to the zero that ends them.
        case walked(end: UnsafeMutableRawPointer)
        /// The walk is over: it was told so, or the unit is damaged.
        case over
    }

    /// A walk of the unit that an entry is in; nil when the unit is damaged.
    init?(_ entry: Dwarf_Die) {
        var entry = entry
        let (offset, inUnit) = (dwarf_dieoffset(&entry), dwarf_cuoffset(&entry))
        var next: Dwarf_Off = 0
        var header = 0
        guard let address = entry.addr, let dwarf = dwarf_cu_getdwarf(entry.cu), offset >= inUnit,
            dwarf_next_unit(dwarf, offset - inUnit, &next, &header, nil, nil, nil, nil, nil, nil) == 0, next > offset
        else { return nil }
        limit = UnsafeRawPointer(address) + Int(next - offset)
    }

    /// Calls `body` for each child, which says what became of the child's own.
    func children(of parent: Dwarf_Die, _ body: (Dwarf_Die) -> Children) -> Children {
        var parent = parent
        var child = Dwarf_Die()
        guard dwarf_child(&parent, &child) == 0 else { return .passed }
        while true {
            switch body(child) {
            case .over: return .over
            case .passed:
                var next = Dwarf_Die()
                let result = dwarf_siblingof(&child, &next)
                guard result >= 0, let address = next.addr else { return .over }
                if result > 0 { return .walked(end: address) }
                child = next
            case .walked(let end):
                let next = end + 1
                guard UnsafeRawPointer(next) < limit else { return .over }
                if next.load(as: UInt8.self) == 0 { return .walked(end: next) }
                child = Dwarf_Die(addr: next, cu: child.cu, abbrev: nil, padding__: 0)
            }
        }
    }
}
