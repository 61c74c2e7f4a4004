import Glibc

/// Finds the files of an image. Only the local file system is looked at, and only files with the image's build id are used.
struct DebugFileFinder {
    /// Directories laid out as `/usr/lib/debug` is: `.build-id/ab/cdef….debug`, and paths repeated below them.
    var debugDirectories: [String]
    /// Directory of a symbol store.
    var symbolStore: String?
    /// As for `ELFFile`.
    var mapsFiles = false

    /// The module of an image, or why there is none.
    func module(path: String, buildID: String) -> Result<DebugModule, ImageNote.Reason> {
        var failure = ImageNote.Reason.notFound("no absolute path")
        var object: ELFFile?
        if path.hasPrefix("/") {
            do throws(ELFFileError) {
                let file = try ELFFile(path: path, isMapped: mapsFiles)
                if file.buildID == buildID { object = file } else { failure = .otherBuild(file.buildID) }
            } catch {
                failure = Self.reason(error)
            }
        }
        let debugFile = debugFile(object: object, path: path, buildID: buildID)
        guard object != nil || debugFile != nil else { return .failure(failure) }
        return .success(DebugModule(object: object, debugFile: debugFile))
    }

    /// The file that an object's debug information was split off to; nil when it has its own, or there is none.
    func debugFile(object: ELFFile?, path: String, buildID: String) -> ELFFile? {
        if let object, object.section(named: ".debug_info") != nil { return nil }
        var shared: ELFFile?
        for candidate in candidates(object: object, path: path, buildID: buildID) {
            guard let file = try? ELFFile(path: candidate, isMapped: mapsFiles), file.buildID == buildID else {
                continue
            }
            guard file.isShared else { return file }
            shared = shared ?? file
        }
        return storedFile(buildID) ?? shared
    }

    /// The file that a symbol store has of a build.
    private func storedFile(_ buildID: String) -> ELFFile? {
        guard let symbolStore, let path = SymbolStorePath.file(of: buildID),
            let descriptor = UnpackedFile.open("\(symbolStore)/\(path)"),
            // Nobody else has that file.
            let file = try? ELFFile(descriptor: descriptor, path: "\(symbolStore)/\(path)", isMapped: true),
            file.buildID == buildID
        else { return nil }
        return file
    }

    /// Where such a file may be, in the order in which they are looked at.
    func candidates(object: ELFFile?, path: String, buildID: String) -> [String] {
        var candidates: [String] = []
        if buildID.utf8.count > 2, buildID.utf8.allSatisfy({ isxdigit(Int32($0)) != 0 }) {
            for directory in debugDirectories {
                candidates.append("\(directory)/.build-id/\(buildID.prefix(2))/\(buildID.dropFirst(2)).debug")
            }
        }
        guard let object, let link = object.debugLink, let slash = path.lastIndex(of: "/") else { return candidates }
        let directory = path[..<slash]
        candidates.append("\(directory)/\(link)")
        candidates.append("\(directory)/.debug/\(link)")
        candidates += debugDirectories.map { "\($0)\(directory)/\(link)" }
        return candidates
    }

    private static func reason(_ error: ELFFileError) -> ImageNote.Reason {
        switch error {
        case .unreadable(let code): .notFound(String(cString: strerror(code)).lowercased())
        case .notAFile, .notELF: .notAnObject
        case .noLibrary(let problem): .noLibrary(problem)
        }
    }
}
