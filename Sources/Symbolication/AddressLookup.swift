public import CrashReport

/// Functions, files and lines of addresses in one program or library, by the same look-up that reports go through.
///
/// Not thread-safe, as libdw's handles are not.
public final class AddressLookup {
    private let build: Build
    private let base: UInt64

    /// Opens a binary; its debug files are opened when an address is asked for that no process has asked for before.
    ///
    /// - Parameters:
    ///   - path: Absolute, or relative to the working directory.
    ///   - debugDirectories: As for `Symbolicator`, and so are the others.
    public init(
        path: String,
        debugDirectories: [String] = ["/usr/lib/debug"],
        symbolStore: String? = nil,
        answers: String? = nil
    ) throws(BinaryFileError) {
        let absolute = BinaryFile.absolute(path)
        let file: ELFFile
        do throws(ELFFileError) { file = try ELFFile(path: absolute, isMapped: true) } catch {
            throw BinaryFileError(error)
        }
        base = file.base
        let finder = DebugFileFinder(debugDirectories: debugDirectories, symbolStore: symbolStore, mapsFiles: true)
        guard let buildID = file.buildID else {
            build = Build(file: nil) { .success(DebugModule(object: file, debugFile: nil)) }
            return
        }
        var kept: AnswerFile?
        if let answers, let program = (try? ELFFile(path: "/proc/self/exe"))?.buildID,
            SymbolStorePath.file(of: buildID) != nil
        {
            kept = AnswerFile(path: "\(answers)/\(buildID)", writer: program)
        }
        build = Build(file: kept) { finder.module(path: absolute, buildID: buildID) }
    }

    /// The functions at an address of the file, the innermost inlined one first; empty when nothing is known.
    public func symbols(at address: UInt64) -> [FrameSymbol] {
        build.answer(at: address &- base, isCall: false)?.symbols ?? []
    }

    /// Keeps what was found for the next process.
    public func save() { build.save() }
}
