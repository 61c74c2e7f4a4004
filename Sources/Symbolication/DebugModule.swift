import CrashReport

/// Everything known of one build of one object: the symbol table and the debug information, from one file or two.
///
/// Not thread-safe.
final class DebugModule {
    /// Address of the object's first segment in its own file: add it to a frame's offset.
    let base: UInt64
    /// Bytes of the files, as a measure of the memory that an open module takes.
    let size: Int

    private let symbols: SymbolTable
    private let debug: DebugInformation?
    /// True when a file of it that should have debug information ends early, or has some that cannot be read at all.
    private let isCut: Bool
    private let isUnreadable: Bool
    private var answers: [UInt64: Answer] = [:]

    /// What is at one address.
    struct Answer {
        /// The innermost inlined function first; empty when nothing is known.
        var symbols: [FrameSymbol]
        /// Whose code it is, by the functions alone; nil when there are none.
        var origin: FrameOrigin?
    }

    /// Answers kept; a long-running collector would otherwise keep every address it has ever seen.
    private static let answerLimit = 65_536

    /// A module from the object itself, the file that its debug information was split off to, or both.
    init(object: ELFFile?, debugFile: ELFFile?) {
        let main = object ?? debugFile
        base = main?.base ?? 0
        size = (object?.size ?? 0) + (debugFile?.size ?? 0)
        debug = debugFile.flatMap(DebugInformation.init) ?? object.flatMap(DebugInformation.init)
        let files = [object, debugFile].compactMap(\.self)
        isCut = files.contains { $0.isCut }
        isUnreadable = debug == nil && files.contains { $0.section(named: ".debug_info") != nil }
        let split = SymbolTable(debugFile)
        symbols = split.isEmpty ? SymbolTable(object) : split
    }

    /// What to say about this module, if anything.
    var shortcoming: ImageNote.Reason? {
        if isCut { return .cut }
        if let debug { return debug.isDamaged ? .damaged : nil }
        if isUnreadable { return .damaged }
        return symbols.isEmpty ? .stripped : .noDebugInformation
    }

    /// With debug information where the other has none, or at least with symbols.
    func isMoreComplete(than other: DebugModule) -> Bool {
        if debug != nil || other.debug != nil { return other.debug == nil }
        return !symbols.isEmpty && other.symbols.isEmpty
    }

    /// Functions at an address of the file.
    func answer(at address: UInt64, demangler: Demangler) -> Answer {
        if let known = answers[address] { return known }
        let symbols = symbols(at: address, demangler: demangler)
        let answer = Answer(symbols: symbols, origin: FrameOrigin(of: symbols))
        if answers.count >= Self.answerLimit { answers.removeAll(keepingCapacity: true) }
        answers[address] = answer
        return answer
    }

    private func symbols(at address: UInt64, demangler: Demangler) -> [FrameSymbol] {
        var places = debug?.places(at: address) ?? []
        if places.isEmpty || places[places.count - 1].name == nil, let name = symbols.name(at: address) {
            // No function entry: a line may be known all the same.
            var place = places.popLast() ?? Place(inlined: false)
            place.name = name
            places.append(place)
        }
        return places.compactMap { place -> FrameSymbol? in
            guard let name = place.name else { return nil }
            let function = place.sourceName ?? demangler.short(name)
            return FrameSymbol(
                function: function,
                mangled: function == name ? nil : name,
                file: place.file,
                line: place.line,
                column: place.column,
                inlined: place.inlined
            )
        }
    }
}
