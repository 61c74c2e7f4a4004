import CDwfl

/// One compile unit: its functions, made into a table when first asked, and its lines.
final class CompileUnit {
    private let root: Dwarf_Die
    private let names: FunctionNames
    // Read when asked for: a file has hundreds of units, and of most nothing is.
    private lazy var directory = root.text(DW_AT_comp_dir)
    private lazy var isSwift = root.number(DW_AT_language) == Self.swiftLanguage
    /// DW_LANG_Swift, by DWARF's list of languages.
    private static let swiftLanguage: UInt64 = 0x1e

    private var functions: FunctionTable?
    private var files: OpaquePointer??
    /// By libdw's names of files, of which it has one each.
    private var paths: [UnsafePointer<CChar>: String?] = [:]

    init(_ root: Dwarf_Die, names: FunctionNames) {
        self.root = root
        self.names = names
    }

    /// Functions at `address`, the innermost inlined one first.
    ///
    /// - Parameter isCall: the address is inside a call that may check an access. The compiler gives those in closures no line; they
    ///   have the line before them. What else has no line keeps none: the code before it need not be what ran before it.
    func places(at address: UInt64, isCall: Bool, code: CodeRanges, budget: inout WorkBudget) -> [Place] {
        if functions == nil { functions = FunctionTable(root, code: code, budget: &budget) }
        var place = line(at: address)
        guard let chain = functions?.chain(at: address), !chain.isEmpty else {
            return place.file == nil && place.line == nil ? [] : [place]
        }
        if isCall, place.line == nil {
            place = placeBefore(address, in: chain[0]) ?? place
        }
        var places: [Place] = []
        for entry in chain {
            place.name = name(of: entry)
            place.inlined = places.count < chain.count - 1
            places.append(place)
            if place.inlined { place = call(of: entry) }
        }
        return places
    }

    /// Rows of the line table that are looked at before one without a line.
    private static let rowLimit = 64

    /// The nearest place before `address` that has a line, in the same function: not in one inlined into it, nor around it.
    private func placeBefore(_ address: UInt64, in function: Dwarf_Die) -> Place? {
        var address = address
        for _ in 0..<Self.rowLimit {
            var root = root
            var start: Dwarf_Addr = 0
            guard let row = dwarf_getsrc_die(&root, address), dwarf_lineaddr(row, &start) == 0, start > 0,
                start <= address
            else { return nil }
            address = start - 1
            guard let chain = functions?.chain(at: address),
                chain.contains(where: { $0.offset == function.offset })
            else { return nil }
            guard chain.first?.offset == function.offset else { continue }
            let place = line(at: address)
            if place.line != nil { return place }
        }
        return nil
    }

    private func line(at address: UInt64) -> Place {
        var place = Place(inlined: false)
        var root = root
        guard let row = dwarf_getsrc_die(&root, address) else { return place }
        var number: Int32 = 0
        var column: Int32 = 0
        dwarf_lineno(row, &number)
        dwarf_linecol(row, &column)
        place.set(file: path(dwarf_linesrc(row, nil, nil)), line: Int(number), column: Int(column))
        return place
    }

    /// What a function or an inlined call of one is called.
    private func name(of entry: Dwarf_Die) -> FunctionName? {
        names.ofEntry(at: entry.instanceOf ?? entry.offset) {
            guard let name = entry.linkageName else { return nil }
            guard isSwift, name.hasSuffix("_main"), !Demangler.isMangled(name) else { return names.named(name) }
            // SwiftPM renames the entry point of an executable after its module, so that tests can link it.
            return FunctionName(name, "main")
        }
    }

    /// Where an inlined function was called.
    private func call(of entry: Dwarf_Die) -> Place {
        var place = Place(inlined: false)
        place.set(
            file: entry.number(DW_AT_call_file).flatMap(fileName),
            line: Int(clamping: entry.number(DW_AT_call_line) ?? 0),
            column: Int(clamping: entry.number(DW_AT_call_column) ?? 0)
        )
        return place
    }

    private func fileName(_ index: UInt64) -> String? {
        if files == nil {
            var root = root
            var table: OpaquePointer?
            var count = 0
            files = .some(dwarf_getsrcfiles(&root, &table, &count) == 0 ? table : nil)
        }
        guard case .some(.some(let table)) = files else { return nil }
        return path(dwarf_filesrc(table, Int(clamping: index), nil, nil))
    }

    /// Absolute, and nil for what the compiler made up (`<compiler-generated>`, `<stdin>`, `???`).
    private func path(_ pointer: UnsafePointer<CChar>?) -> String? {
        guard let pointer else { return nil }
        if let known = paths[pointer] { return known }
        let made = makePath(pointer)
        paths[pointer] = .some(made)
        return made
    }

    private func makePath(_ pointer: UnsafePointer<CChar>) -> String? {
        guard let name = boundedName(pointer), name != "???", !name.hasSuffix(">") else { return nil }
        guard !name.hasPrefix("/"), let directory, !directory.isEmpty else { return name }
        // A unit's directory may be relative itself, and libdw has then put it in front already.
        if name.hasPrefix(directory) { return name }
        return directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }
}

extension Place {
    /// Line 0 is the compiler's "no line", and a line without a file says nothing.
    fileprivate mutating func set(file: String?, line: Int, column: Int) {
        guard let file else { return }
        self.file = file
        guard line > 0 else { return }
        self.line = line
        self.column = column > 0 ? column : nil
    }
}
