import CrashReport

/// The names of a function, and whose code it is by them: the same wherever it is inlined.
final class FunctionName {
    /// As people write it.
    let text: String
    /// As the linker knows it, where that is another.
    let mangled: String?
    private let linkage: String
    private var origin: FrameOrigin?
    private var originWithFile: FrameOrigin?

    init(_ linkage: String, _ text: String) {
        self.linkage = linkage
        self.text = text
        mangled = text == linkage ? nil : linkage
    }

    /// Whose code it is, where it has a file or not.
    func origin(hasFile: Bool) -> FrameOrigin {
        if let known = hasFile ? originWithFile : origin { return known }
        let made = FrameOrigin(ofFunction: linkage, hasDebugInformation: hasFile)
        if hasFile { originWithFile = made } else { origin = made }
        return made
    }
}

/// Names that were met, each demangled once: what is inlined everywhere is met at most addresses.
final class FunctionNames {
    private var byText: [String: FunctionName] = [:]
    private var byEntry: [UInt64: FunctionName] = [:]
    private let demangler = Demangler()

    /// Names kept, in some megabytes; all are let go when there are more.
    private static let limit = 32_768

    /// The name that is known to the linker as `linkage`.
    func named(_ linkage: String) -> FunctionName {
        if let known = byText[linkage] { return known }
        let made = FunctionName(linkage, demangler.short(linkage))
        if byText.count >= Self.limit { byText.removeAll(keepingCapacity: true) }
        byText[linkage] = made
        return made
    }

    /// The name of the function whose entry is at `offset` of the debug information, which `make` reads.
    func ofEntry(at offset: UInt64, _ make: () -> FunctionName?) -> FunctionName? {
        if let known = byEntry[offset] { return known }
        guard let made = make() else { return nil }
        if byEntry.count >= Self.limit { byEntry.removeAll(keepingCapacity: true) }
        byEntry[offset] = made
        return made
    }
}
