public import CrashReport

/// Whose code an image is, by its path.
extension FrameOrigin {
    /// Swift's libraries by name wherever they are installed, the system's by name or directory, all else is the service.
    public init(imagePath: String) {
        let name =
            imagePath.utf8.lastIndex(of: UInt8(ascii: "/")).map { imagePath[imagePath.index(after: $0)...] }
            ?? imagePath[...]
        if name.hasPrefix("libswift") || name.hasPrefix("libFoundation") || name.hasPrefix("lib_Foundation")
            || name.hasPrefix("libdispatch.") || name.hasPrefix("libBlocksRuntime.")
        {
            self = .runtime
        } else if imagePath.hasPrefix("[") || Self.systemDirectories.contains(where: imagePath.hasPrefix)
            || Self.systemLibraries.contains(where: name.hasPrefix)
        {
            self = .system
        } else {
            self = .service
        }
    }

    private static let systemDirectories = ["/lib/", "/lib32/", "/lib64/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/"]

    /// Also when a slim image keeps copies beside the service.
    private static let systemLibraries = [
        "linux-vdso", "linux-gate", "ld-linux", "ld-musl", "ld.so", "libc.so", "libc.musl", "libm.so", "libdl.so",
        "librt.so",
        "libpthread", "libstdc++", "libgcc_s", "libunwind",
    ]
}

/// Whose code a function is that was linked into the service's own image: a static executable holds Swift's runtime and parts of the
/// C library, and every optimised one holds specialised copies of the standard library's generic functions.
extension FrameOrigin {
    /// Origin of a whole frame: the service's, if any function at its address is; else that of the outermost function.
    init?(of symbols: [FrameSymbol]) {
        guard let outermost = symbols.last else { return nil }
        self = symbols.contains { FrameOrigin(of: $0) == .service } ? .service : FrameOrigin(of: outermost)
    }

    /// Origin of a function found in an image of the service.
    public init(of symbol: FrameSymbol) {
        self.init(ofFunction: symbol.mangled ?? symbol.function, hasDebugInformation: symbol.file != nil)
    }

    /// Origin of a function by its name as the linker knows it.
    init(ofFunction name: String, hasDebugInformation: Bool) {
        if name.hasPrefix("_Z") {
            self = Self.ofCXX(name)
        } else if Demangler.isMangled(name) {
            let declaration = Demangler().full(name).map(SwiftSignature.declaration) ?? ""
            if let module = SwiftSignature.module(of: declaration) {
                self = Self.isRuntimeModule(module) ? .runtime : .service
            } else {
                // A function with a name of its own, such as a specialised `swift_unexpectedErrorTyped`.
                self = Self.ofC(String(declaration), hasDebugInformation: hasDebugInformation)
            }
        } else {
            self = Self.ofC(name, hasDebugInformation: hasDebugInformation)
        }
    }

    private static func isRuntimeModule(_ module: some StringProtocol) -> Bool {
        runtimeModules.contains(String(module)) || module.hasPrefix("_Foundation")
    }

    private static let runtimeModules: Set<String> = [
        "Swift", "_Concurrency", "_StringProcessing", "_RegexParser", "RegexBuilder", "Synchronization", "Distributed",
        "Observation",
        "_Differentiation", "_Volatile", "_Builtin_float", "Runtime", "Cxx", "CxxStdlib", "Glibc", "SwiftGlibc", "Musl",
        "Dispatch",
        "Foundation", "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking", "FoundationXML",
        // What reports a crash is not what crashed.
        "Mayday", "MaydaySentry", "MaydayOTLP", "CrashReport",
    ]

    private static func ofCXX(_ name: String) -> FrameOrigin {
        if ["_ZN5swift", "_ZNK5swift", "_ZN3icu", "_ZNK3icu", "_ZN6icu_", "_ZNK6icu_"].contains(where: name.hasPrefix) {
            return .runtime
        }
        // Functions of one file of the runtime, such as `completeTask(swift::AsyncContext*, …)`, are in no namespace of its own.
        if ["_ZL", "_ZN12_GLOBAL__N_1"].contains(where: name.hasPrefix), name.contains("N5swift") { return .runtime }
        let ofTheStandardLibrary = [
            "_ZNSt", "_ZNKSt", "_ZSt", "_ZNSs", "_ZNSa", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "_ZN10__cxxabiv1",
        ]
        return ofTheStandardLibrary.contains(where: name.hasPrefix) ? .system : .service
    }

    private static func ofC(_ name: String, hasDebugInformation: Bool) -> FrameOrigin {
        if systemFunctions.contains(name)
            || ["__cxa_", "__gxx_", "_Unwind_", "__libc_", "__clang_call_terminate"].contains(where: name.hasPrefix)
        {
            return .system
        }
        if ["swift_", "_swift_", "__swift_", "mayday_"].contains(where: name.hasPrefix) { return .runtime }
        // The service's own C code comes with debug information, the static runtime does not.
        if hasDebugInformation { return .service }
        let prefixes = ["_swift", "dispatch_", "_dispatch_", "__DISPATCH_", "_Block_", "CF", "_CF", "__CF"]
        return prefixes.contains(where: name.hasPrefix) ? .runtime : .service
    }

    /// Start-up code of the C library that every executable holds, and functions that end or copy in a fully static one.
    private static let systemFunctions: Set<String> = [
        "_start", "_init", "_fini", "frame_dummy", "register_tm_clones", "deregister_tm_clones",
        "__do_global_dtors_aux", "abort",
        "raise", "gsignal", "pthread_kill", "start_thread", "clone", "clone3", "memcpy", "memmove", "memset", "strlen",
        "malloc", "free",
        "realloc", "calloc",
    ]
}

/// Reading the demangler's full signatures.
enum SwiftSignature {
    /// Module of a declaration such as `(extension in Shop):Swift.Array.total() -> Swift.Int`; here `Shop`.
    static func module(of declaration: Substring) -> Substring? {
        var declaration = declaration
        for word in ["static ", "class "] where declaration.hasPrefix(word) {
            declaration = declaration.dropFirst(word.count)
        }
        let marker = "(extension in "
        if declaration.hasPrefix(marker) {
            declaration = declaration.dropFirst(marker.count)
            return declaration.firstIndex(of: ")").map { declaration[..<$0] }
        }
        guard let dot = declaration.firstIndex(of: "."), dot != declaration.startIndex else { return nil }
        let module = declaration[..<dot]
        return module.utf8.allSatisfy(isIdentifier) ? module : nil
    }

    /// The declaration of a signature such as `generic specialization <Swift.Int> of Shop.total<A>(of: [A]) -> A`; here what follows
    /// the words that say what was made of it (`merged`, `closure #1 in`, `partial apply forwarder for`): the text behind the last ` in `, ` of ` or ` for ` outside brackets.
    static func declaration(of signature: String) -> Substring {
        let text = Array(signature.utf8)
        var start = 0
        var depth = 0
        var angles = 0
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "<"):
                // Not the operator `.<`: arguments follow a name, or the word `specialization`.
                if index > 0, isIdentifier(text[index - 1]) || text[..<index].hasSuffix("specialization ") {
                    angles += 1
                }
            case UInt8(ascii: ">"):
                if angles > 0, text[index - 1] != UInt8(ascii: "-") { angles -= 1 }
            case UInt8(ascii: " ") where depth == 0 && angles == 0:
                let conformance = " in conformance "
                if text[index...].starts(with: conformance.utf8) {
                    // A witness; what follows is `Shop.Item : Shop.Priced in Shop`.
                    return Substring(decoding: text[(index + conformance.utf8.count)...], as: UTF8.self)
                }
                for word in [" in ", " of ", " for "] where text[index...].starts(with: word.utf8) {
                    start = index + word.utf8.count
                }
            default: break
            }
        }
        return Substring(decoding: text[start...], as: UTF8.self)
    }

    private static func isIdentifier(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), 0x80...:
            true
        default:
            false
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
