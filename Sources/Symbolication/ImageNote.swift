import CrashReport

/// Why frames of an image have no functions, or no lines.
public struct ImageNote: Sendable, Hashable, CustomStringConvertible {
    /// Index into the report's images.
    public var image: Int
    /// Path as the loader knew it.
    public var path: String
    /// Build id of the report, which a file must have to be used.
    public var buildID: String?
    /// What is missing.
    public var reason: Reason

    /// What is missing.
    public enum Reason: Error, Hashable {
        /// The report has no build id, so no file can be known to be the right one.
        case noBuildID
        /// No file could be read where the image was, and no debug file has its build id.
        case notFound(String)
        /// The file where the image was is another build.
        case otherBuild(String?)
        /// The file is not an ELF object.
        case notAnObject
        /// Symbols but no DWARF: functions without lines.
        case noDebugInformation
        /// Neither symbols nor DWARF.
        case stripped
        /// libdw cannot be loaded.
        case noLibrary(String)
        /// The debug information is damaged, or beyond the limits, and was given up on.
        case damaged
        /// The debug information is shared out among files by `dwz`: to follow it would be to open a path that is written in the file.
        case shared
        /// The debug information is compressed in a way that the libdw of this machine cannot read (zstd, before elfutils 0.189).
        case compressed
        /// The file ends before what its headers announce.
        case cut
        /// The files ended the process that read them, or took too long; with what happened.
        case leftOut(String)
    }

    package init(image: Int, path: String, buildID: String?, reason: Reason) {
        self.image = image
        self.path = path
        self.buildID = buildID
        self.reason = reason
    }

    /// One line that says what is missing and what to do about it.
    public var description: String {
        switch reason {
        case .noBuildID:
            "\(path): the report has no build id for it; link with --build-id"
        case .notFound(let error):
            "\(path): \(error), and no debug file has build id \(buildID ?? ""); `mayday symbols add` takes one"
        case .otherBuild(let found):
            "\(path): the file there is another build (\(found ?? "no build id")); the report needs \(buildID ?? "")"
        case .notAnObject:
            "\(path): the file there is not an ELF object; the report needs build id \(buildID ?? "")"
        case .noDebugInformation:
            "\(path): no debug information, so functions without lines; build with -g and do not strip"
        case .stripped:
            "\(path): stripped; give its debug file, build id \(buildID ?? ""), to `mayday symbols add`"
        case .noLibrary(let problem):
            "\(path): its functions are not known, \(ErrorRemedy.ofLoading(problem, package: "libdw1")): \(problem)"
        case .damaged:
            "\(path): its debug information is damaged and was used as far as it goes"
        case .shared:
            "\(path): its debug information is shared out among files by dwz, which is not read, so functions without lines; "
                + "add its debug file from before dwz, build id \(buildID ?? "")"
        case .compressed:
            "\(path): its debug information is compressed in a way that the libdw here cannot read, so functions without lines; "
                + "compress it with zlib or not at all"
        case .cut:
            "\(path): its file is cut short and was used as far as it goes; the whole one has build id \(buildID ?? "")"
        case .leftOut(let harm):
            "\(path): its debug information was left out, since the process that read it \(harm)"
        }
    }
}
