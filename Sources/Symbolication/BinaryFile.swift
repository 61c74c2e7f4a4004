import CDwfl
import CrashReport
import Glibc

/// A program or library as the collector sees it: what it says of itself, and which debug information would be used for a
/// report of it, by the same look-up that reports go through.
public struct BinaryFile: Sendable, Equatable {
    /// Where it is.
    public var path: String
    /// GNU build id in lower-case hex.
    public var buildID: String?
    /// File whose debug information would be used: itself, or one that was split off; nil when there is none.
    public var debugFile: String?
    /// What would be missing in reports; nil when nothing is.
    public var shortcoming: ImageNote.Reason?
    /// Where a debug file would be found.
    public var places: [String]
    /// True when Mayday's capture is in it.
    public var hasCapture: Bool

    /// Opens a binary.
    ///
    /// - Parameters:
    ///   - path: Absolute, or relative to the working directory.
    ///   - debugDirectories: As for `Symbolicator`.
    public init(path: String, debugDirectories: [String] = ["/usr/lib/debug"]) throws(BinaryFileError) {
        let finder = DebugFileFinder(debugDirectories: debugDirectories)
        let absolute = Self.absolute(path)
        let file: ELFFile
        do throws(ELFFileError) { file = try ELFFile(path: absolute) } catch {
            throw BinaryFileError(error)
        }
        self.path = path
        buildID = file.buildID
        hasCapture = file.contains(Self.mark, in: ".rodata")
        guard let buildID = file.buildID else {
            (debugFile, shortcoming, places) = (nil, .noBuildID, [])
            return
        }
        places = finder.candidates(object: file, path: absolute, buildID: buildID)
        if file.section(named: ".debug_info") != nil {
            debugFile = path
        } else {
            debugFile = finder.debugFile(object: file, path: absolute, buildID: buildID)?.path
        }
        switch finder.module(path: absolute, buildID: buildID) {
        case .success(let module): shortcoming = module.shortcoming
        case .failure(let reason): shortcoming = reason
        }
    }

    /// Name of a variable that the capture reads: it is in every binary that has it, stripped or not. Written backwards, or it
    /// would be in this one too.
    private static let mark = Array("\0RETROPER_YADYAM".utf8.reversed())

    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(workingDirectory)/\(path)"
    }

    private static var workingDirectory: String {
        guard let text = getcwd(nil, 0) else { return "" }
        defer { free(text) }
        return String(cString: text)
    }
}

/// Why a file is no binary that can be looked at.
public enum BinaryFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// It cannot be opened; with the system's text.
    case unreadable(String)
    /// It is something else than an ELF object.
    case notABinary
    /// libdw cannot be loaded, which reads such files; with the loader's text.
    case noLibrary(String)

    init(_ error: ELFFileError) {
        self =
            switch error {
            case .unreadable(let code): .unreadable(String(cString: strerror(code)))
            case .notAFile, .notELF: .notABinary
            case .noLibrary(let problem): .noLibrary(problem)
            }
    }

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .unreadable(let reason): reason
        case .notABinary: "no program or library (ELF)"
        case .noLibrary(let problem):
            "libdw cannot be loaded, \(ErrorRemedy.ofLoading(problem, package: "libdw1")): \(problem)"
        }
    }
}

extension ELFFile {
    /// True when a section holds these bytes somewhere.
    func contains(_ bytes: [UInt8], in section: String) -> Bool {
        guard let section = self.section(named: section), let data = elf_getdata(section, nil)?.pointee,
            let start = data.d_buf, let first = bytes.first
        else { return false }
        var rest = UnsafeRawBufferPointer(start: start, count: data.d_size)
        while rest.count >= bytes.count, let base = rest.baseAddress,
            let found = memchr(base, Int32(first), rest.count - bytes.count + 1)
        {
            if memcmp(found, bytes, bytes.count) == 0 { return true }
            rest = UnsafeRawBufferPointer(rebasing: rest[(UnsafeRawPointer(found) - base + 1)...])
        }
        return false
    }
}
