import CDwfl
import Glibc

/// Functions by address from an ELF symbol table.
///
/// A symbol covers exactly its size: an address behind the end of one has no name. The nearest lower symbol would name a stranger.
struct SymbolTable {
    private var ranges = RangeTable()
    private var names: [UnsafePointer<CChar>] = []
    /// Owns the strings that `names` points to.
    private let file: ELFFile?

    /// Reads `.symtab`, or `.dynsym` where there is none. Without a file the table is empty.
    init(_ file: ELFFile?) {
        self.file = file
        guard let file else { return }
        if !read(file, type: SHT_SYMTAB) { _ = read(file, type: SHT_DYNSYM) }
        ranges.seal()
    }

    var isEmpty: Bool { ranges.isEmpty }

    /// Name of the symbol that holds `address`, as the linker knows it and without a version.
    func name(at address: UInt64) -> String? {
        guard let index = ranges.value(at: address) else { return nil }
        return boundedName(names[Int(index)]).map(withoutVersion)
    }

    private struct Symbol {
        var low: UInt64
        var high: UInt64
        var name: UnsafePointer<CChar>
        var rank: Int
    }

    private mutating func read(_ file: ELFFile, type: Int32) -> Bool {
        var header = GElf_Shdr()
        guard let section = file.section(type: type), gelf_getshdr(section, &header) != nil,
            let data = elf_getdata(section, nil), header.sh_entsize > 0
        else { return false }
        var symbols: [Symbol] = []
        for index in 0..<Int32(clamping: header.sh_size / header.sh_entsize) {
            var symbol = GElf_Sym()
            guard gelf_getsym(data, index, &symbol) != nil else { break }
            let kind = symbol.st_info & 15
            guard kind == STT_FUNC || kind == STT_GNU_IFUNC, symbol.st_shndx != SHN_UNDEF, symbol.st_size > 0 else {
                continue
            }
            let (high, overflow) = symbol.st_value.addingReportingOverflow(symbol.st_size)
            guard !overflow, let name = elf_strptr(file.handle, Int(header.sh_link), Int(symbol.st_name)) else {
                continue
            }
            symbols.append(
                Symbol(low: symbol.st_value, high: high, name: UnsafePointer(name), rank: Self.rank(symbol, name))
            )
        }
        // Of several names for one address the same one must win in every build: rank first, then the text.
        symbols.sort {
            if $0.low != $1.low { return $0.low < $1.low }
            if $0.high != $1.high { return $0.high < $1.high }
            if $0.rank != $1.rank { return $0.rank < $1.rank }
            return strcmp($0.name, $1.name) < 0
        }
        for symbol in symbols {
            ranges.add(symbol.low, symbol.high, value: Int32(names.count))
            names.append(symbol.name)
        }
        return !symbols.isEmpty
    }

    /// Lower is better: what a program calls a function by, before its private aliases (`fsetpos` before `_IO_fsetpos64`).
    private static func rank(_ symbol: GElf_Sym, _ name: UnsafePointer<CChar>) -> Int {
        var underscores = 0
        while underscores < 3, name[underscores] == UInt8(ascii: "_") { underscores += 1 }
        let binding =
            switch Int32(symbol.st_info >> 4) {
            case STB_GLOBAL: 0
            case STB_WEAK: 1
            default: 2
            }
        return underscores * 4 + binding
    }

    /// `memcpy@@GLIBC_2.14` → `memcpy`.
    private func withoutVersion(_ name: String) -> String {
        guard let at = name.utf8.firstIndex(of: UInt8(ascii: "@")), at != name.utf8.startIndex else { return name }
        return String(name[..<at])
    }
}

/// The text at `pointer`; nil when it is empty. Names longer than 16 KiB are cut, so that a damaged file cannot fill the memory.
func boundedName(_ pointer: UnsafePointer<CChar>) -> String? {
    let length = strnlen(pointer, 16 * 1024)
    guard length > 0 else { return nil }
    return String(decoding: UnsafeRawBufferPointer(start: pointer, count: length), as: UTF8.self)
}
