import CDwfl

/// Reads the entries of one unit in the order in which they are in the file, each of them once.
///
/// libdw comes to the next entry by looking its abbreviation up and stepping over attribute after attribute, and behind an entry's
/// children by walking these. Here an abbreviation is looked at once for all its entries, and the size of most is known by it. What
/// an attribute says is libdw's to read, except for where a function's code is, the one thing that is asked of every entry.
struct UnitEntries {
    /// One entry, without its children.
    struct Entry {
        let tag: Int
        /// Where it begins, in bytes from the beginning of its unit.
        let offset: UInt32
        let hasChildren: Bool
    }

    /// What comes next in a unit.
    enum Step {
        case entry(Entry)
        /// The zero behind the last child of the entry that was last begun and not ended.
        case endOfChildren
        /// The unit ends, or is damaged.
        case end
    }

    /// Where the unit begins, and what is in it.
    private let bytes: UnsafeRawBufferPointer
    private let unit: OpaquePointer
    private let form: FormSizes
    private let abbreviations: Abbreviations
    private var position: Int
    /// Of the entry that was read last: the number of its abbreviation, and where its attributes begin.
    private var last: (abbreviation: Int, attributes: Int) = (0, 0)

    /// The entries of the unit that begins with `root`, which is read first; nil when the unit is damaged.
    init?(_ root: Dwarf_Die, budget: inout WorkBudget) {
        var entry = root
        let (offset, inUnit) = (dwarf_dieoffset(&entry), dwarf_cuoffset(&entry))
        var (next, header): (Dwarf_Off, Int) = (0, 0)
        var version: Dwarf_Half = 0
        var (addressSize, offsetSize): (UInt8, UInt8) = (0, 0)
        guard let address = root.addr, let unit = root.cu, let dwarf = dwarf_cu_getdwarf(unit), offset >= inUnit,
            dwarf_next_unit(
                dwarf,
                offset - inUnit,
                &next,
                &header,
                &version,
                nil,
                &addressSize,
                &offsetSize,
                nil,
                nil
            ) == 0,
            next > offset, let length = UInt32(exactly: next - (offset - inUnit))
        else { return nil }
        form = FormSizes(version: version, address: Int(addressSize), offset: Int(offsetSize))
        guard let abbreviations = Abbreviations(root, form, &budget) else { return nil }
        bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(address) - Int(inUnit), count: Int(length))
        position = Int(inUnit)
        self.unit = unit
        self.abbreviations = abbreviations
    }

    /// Reads on.
    mutating func next() -> Step {
        let start = position
        guard let code = number(), code < abbreviations.byCode.count else { return .end }
        guard code > 0 else { return .endOfChildren }
        let abbreviation = abbreviations.byCode[code]
        guard abbreviation.tag != 0 else { return .end }
        last = (code, position)
        if abbreviation.size >= 0 {
            guard bytes.count - position >= abbreviation.size else { return .end }
            position += abbreviation.size
        } else {
            for index in abbreviation.forms {
                guard skip(abbreviations.forms[index]) else { return .end }
            }
        }
        return .entry(
            Entry(tag: abbreviation.tag, offset: UInt32(start), hasChildren: abbreviation.hasChildren)
        )
    }

    /// The entry for libdw.
    func die(at offset: UInt32) -> Dwarf_Die {
        Dwarf_Die(
            addr: UnsafeMutableRawPointer(mutating: bytes.baseAddress.map { $0 + Int(offset) }),
            cu: unit,
            abbrev: nil,
            padding__: 0
        )
    }

    /// Calls `body` for each address range of the code of the entry that was read last, until it returns false.
    func forEachRange(of entry: Entry, _ body: (UInt64, UInt64) -> Bool) {
        switch abbreviations.byCode[last.abbreviation].code {
        case .none: break
        case .lowAndHigh(let low, let high, let size):
            let start = integer(at: last.attributes + low, size: 8)
            _ = body(start, start &+ integer(at: last.attributes + high, size: size))
        case .other: die(at: entry.offset).forEachRange(body)
        }
    }

    // MARK: Attributes

    /// Moves behind an attribute; false when it ends behind the unit, or its form is not known.
    private mutating func skip(_ form: Int) -> Bool {
        let size: Int
        switch self.form.size(form) {
        case .fixed(let bytes): size = bytes
        case .number: return number() != nil
        case .text:
            guard let end = bytes[position...].firstIndex(of: 0) else { return false }
            size = end + 1 - position
        case .block(let width):
            guard bytes.count - position >= width else { return false }
            size = width + Int(integer(at: position, size: width))
        case .numberedBlock:
            guard let length = number() else { return false }
            size = length
        case .indirect:
            // A form that is itself indirect makes no progress that could not be a nested one's.
            guard let form = number(), form != DW_FORM_indirect, form != DW_FORM_implicit_const else { return false }
            return skip(form)
        case .unknown: return false
        }
        guard bytes.count - position >= size else { return false }
        position += size
        return true
    }

    /// An integer of 1, 2, 4 or 8 bytes, its lowest byte first; the bytes must be there.
    private func integer(at offset: Int, size: Int) -> UInt64 {
        switch size {
        case 1: UInt64(bytes[offset])
        case 2: UInt64(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
        case 4: UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        default: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
    }

    /// An unsigned LEB128 number, in place of one that is too large the largest; nil when the unit ends in it.
    private mutating func number() -> Int? {
        var (value, shift) = (0, 0)
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if shift < 56 {
                value |= Int(byte & 0x7f) << shift
            } else if byte & 0x7f != 0 {
                value = .max
            }
            guard byte & 0x80 != 0 else { return value }
            shift += 7
        }
        return nil
    }
}

/// How many bytes attributes of a form take in a unit.
private struct FormSizes {
    let version: Dwarf_Half
    let address: Int
    let offset: Int

    enum Size {
        case fixed(Int)
        /// Signed or not, as LEB128.
        case number
        /// Up to a zero.
        case text
        /// A length of so many bytes, and what it counts.
        case block(Int)
        /// A length as LEB128, and what it counts.
        case numberedBlock
        /// The form as a number, and an attribute of it.
        case indirect
        case unknown
    }

    func size(_ form: Int) -> Size {
        switch form {
        case DW_FORM_flag_present, DW_FORM_implicit_const: .fixed(0)
        case DW_FORM_data1, DW_FORM_ref1, DW_FORM_flag, DW_FORM_strx1, DW_FORM_addrx1: .fixed(1)
        case DW_FORM_data2, DW_FORM_ref2, DW_FORM_strx2, DW_FORM_addrx2: .fixed(2)
        case DW_FORM_strx3, DW_FORM_addrx3: .fixed(3)
        case DW_FORM_data4, DW_FORM_ref4, DW_FORM_strx4, DW_FORM_addrx4, DW_FORM_ref_sup4: .fixed(4)
        case DW_FORM_data8, DW_FORM_ref8, DW_FORM_ref_sig8, DW_FORM_ref_sup8: .fixed(8)
        case DW_FORM_data16: .fixed(16)
        case DW_FORM_addr: .fixed(address)
        case DW_FORM_strp, DW_FORM_line_strp, DW_FORM_sec_offset, DW_FORM_strp_sup, DW_FORM_GNU_ref_alt,
            DW_FORM_GNU_strp_alt:
            .fixed(offset)
        case DW_FORM_ref_addr: .fixed(version == 2 ? address : offset)
        case DW_FORM_udata, DW_FORM_sdata, DW_FORM_ref_udata, DW_FORM_strx, DW_FORM_addrx, DW_FORM_loclistx,
            DW_FORM_rnglistx, DW_FORM_GNU_addr_index, DW_FORM_GNU_str_index:
            .number
        case DW_FORM_string: .text
        case DW_FORM_block1: .block(1)
        case DW_FORM_block2: .block(2)
        case DW_FORM_block4: .block(4)
        case DW_FORM_block, DW_FORM_exprloc: .numberedBlock
        case DW_FORM_indirect: .indirect
        default: .unknown
        }
    }
}

/// What entries with the same tag and the same attributes share.
private struct Abbreviation {
    /// 0 where there is no abbreviation of a number.
    var tag = 0
    var hasChildren = false
    /// Bytes of the attributes; -1 when that depends on the entry.
    var size = -1
    /// Where the forms of the attributes are in the list of all.
    var forms = 0..<0
    var code = Code.none

    /// How the entries say where their code is.
    enum Code {
        case none
        /// An address of eight bytes, and how much follows it, at so many bytes behind the beginning of the attributes.
        case lowAndHigh(low: Int, high: Int, highSize: Int)
        case other
    }
}

/// The abbreviations of a unit.
private struct Abbreviations {
    /// By their numbers, from 0, which none has.
    private(set) var byCode = [Abbreviation()]
    private(set) var forms: [Int] = []

    private static let codeLimit = 1 << 20
    private static let attributeLimit = 256

    /// Those of the unit that `root` is the first entry of; nil when they are damaged.
    init?(_ root: Dwarf_Die, _ sizes: FormSizes, _ budget: inout WorkBudget) {
        var root = root
        var offset: Dwarf_Off = 0
        while budget.spend() {
            var length = 0
            guard let entry = dwarf_getabbrev(&root, offset, &length) else { return nil }
            // libdw's mark of the end: a pointer that is none.
            guard Int(bitPattern: entry) != -1 else { return }
            let code = Int(dwarf_getabbrevcode(entry))
            guard length > 0, code > 0, code < Self.codeLimit, let made = read(entry, sizes, &budget) else {
                return nil
            }
            while byCode.count <= code { byCode.append(Abbreviation()) }
            // Of two with the same number the first counts.
            if byCode[code].tag == 0 { byCode[code] = made }
            offset += Dwarf_Off(length)
        }
        return nil
    }

    private mutating func read(_ entry: OpaquePointer, _ sizes: FormSizes, _ budget: inout WorkBudget) -> Abbreviation?
    {
        var made = Abbreviation()
        made.tag = Int(dwarf_getabbrevtag(entry))
        made.hasChildren = dwarf_abbrevhaschildren(entry) != 0
        var count = 0
        guard dwarf_getattrcnt(entry, &count) == 0, count <= Self.attributeLimit else { return nil }
        let first = forms.count
        var size: Int? = 0
        var (low, high): (Int?, (at: Int, size: Int)?) = (nil, nil)
        for index in 0..<count {
            var (name, form): (UInt32, UInt32) = (0, 0)
            guard budget.spend(), dwarf_getabbrevattr_data(entry, index, &name, &form, nil, nil) == 0 else {
                return nil
            }
            forms.append(Int(form))
            if [DW_AT_low_pc, DW_AT_high_pc, DW_AT_ranges].contains(Int(name)) { made.code = .other }
            guard let before = size else { continue }
            guard case .fixed(let bytes) = sizes.size(Int(form)) else {
                size = nil
                continue
            }
            if name == DW_AT_low_pc, form == DW_FORM_addr, bytes == 8 { low = before }
            if name == DW_AT_high_pc, [DW_FORM_data1, DW_FORM_data2, DW_FORM_data4, DW_FORM_data8].contains(Int(form)) {
                high = (before, bytes)
            }
            size = before + bytes
        }
        made.forms = first..<forms.count
        made.size = size ?? -1
        if let low, let high { made.code = .lowAndHigh(low: low, high: high.at, highSize: high.size) }
        return made
    }
}
