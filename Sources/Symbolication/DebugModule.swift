import CrashReport

/// Everything known of one build of one object: the symbol table and the debug information, from one file or two.
///
/// Not thread-safe.
final class DebugModule {
    /// Address of the object's first segment in its own file: add it to a frame's offset.
    let base: UInt64
    /// Bytes of the files, as a measure of the memory that an open module takes.
    let size: Int

    /// What the files say that they have.
    let announced: DebugFileFacts.Content

    private let files: [ELFFile]
    private let debug: DebugInformation?
    private let names = FunctionNames()
    /// Made when first needed: answers that were kept may do without.
    private var table: SymbolTable?
    /// True when a file of it that should have debug information ends early, or has some that cannot be read at all.
    let isCut: Bool
    /// Why none is read of the debug information that a file has.
    private let obstacle: ImageNote.Reason?

    /// What is at one address.
    struct Answer {
        /// The innermost inlined function first; empty when nothing is known.
        var symbols: [FrameSymbol]
        /// Whose code it is, by the functions alone; nil when there are none.
        var origin: FrameOrigin?
    }

    /// A module from the object itself, the file that its debug information was split off to, or both.
    init(object: ELFFile?, debugFile: ELFFile?) {
        let main = object ?? debugFile
        base = main?.base ?? 0
        size = (object?.size ?? 0) + (debugFile?.size ?? 0)
        let names = names
        debug = [debugFile, object].compactMap(\.self).lazy.compactMap { DebugInformation($0, names: names) }.first
        files = [debugFile, object].compactMap(\.self)
        announced = files.map(\.content).max() ?? .nothing
        isCut = files.contains { $0.isCut }
        obstacle = debug == nil ? files.lazy.compactMap(\.obstacle).first : nil
    }

    /// Symbols of the split-off file, else of the object.
    private var symbols: SymbolTable {
        if let table { return table }
        let made = files.lazy.map { SymbolTable($0) }.first { !$0.isEmpty } ?? SymbolTable(nil)
        table = made
        return made
    }

    /// True while no address was looked up in what has no debug information.
    var isUnread: Bool { debug == nil && table == nil }

    /// True when all is there that the files announce, so that they never answer more than now.
    var isWhole: Bool { !isCut && obstacle == nil && debug?.isDamaged != true && content == announced }

    /// What the files have.
    var content: DebugFileFacts.Content {
        if debug != nil { return .debugInformation }
        return symbols.isEmpty ? .nothing : min(announced, .names)
    }

    /// What to say about this module, if anything.
    var shortcoming: ImageNote.Reason? {
        if isCut { return .cut }
        if let debug { return debug.isDamaged ? .damaged : nil }
        if let obstacle { return obstacle }
        return symbols.isEmpty ? .stripped : .noDebugInformation
    }

    /// With debug information where the other has none, or at least with names, or more of them.
    func isMoreComplete(than other: DebugModule) -> Bool {
        content > other.content
    }

    /// Functions at an address of the file, which is inside a call or not (`CompileUnit.places`).
    func answer(at address: UInt64, isCall: Bool = false) -> Answer {
        var places = debug?.places(at: address, isCall: isCall) ?? []
        if places.isEmpty || places[places.count - 1].name == nil, let name = symbols.name(at: address) {
            // No function entry: a line may be known all the same.
            var place = places.popLast() ?? Place(inlined: false)
            place.name = names.named(name)
            places.append(place)
        }
        var answer = Answer(symbols: [], origin: nil)
        answer.symbols.reserveCapacity(places.count)
        for place in places {
            guard let name = place.name else { continue }
            answer.symbols.append(
                FrameSymbol(
                    function: name.text,
                    mangled: name.mangled,
                    file: place.file,
                    line: place.line,
                    column: place.column,
                    inlined: place.inlined
                )
            )
            // The service's, if any of them is; else that of the outermost.
            if answer.origin != .service { answer.origin = name.origin(hasFile: place.file != nil) }
        }
        return answer
    }
}
