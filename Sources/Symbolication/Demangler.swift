import CDemangle
import Glibc

/// Names as people write them, from names as the linker knows them.
struct Demangler {
    /// Longer names are shown as they are: only a damaged or hostile file has them.
    private static let lengthLimit = 8192

    /// Short form, as in Swift's own backtraces: `checkout(_:)`. A name that is not mangled is returned unchanged.
    func short(_ name: String) -> String {
        // The entry point of an executable with an async `main` and the parts it is resumed at: `async_MainTQ0_`.
        if name.hasPrefix("async_Main") { return "main" }
        guard Self.canDemangle(name) else { return name }
        var copy = name
        let short = copy.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { Self.take(mayday_demangle_short($0.baseAddress, $0.count)) }
        }
        // A closure of top-level code is in nothing that has a name.
        if let short, short.hasSuffix(" in ") { return short + "main" }
        return short ?? full(name) ?? name
    }

    /// Whole signature with module names; nil when the name is not mangled.
    func full(_ name: String) -> String? {
        guard Self.canDemangle(name) else { return nil }
        if name.hasPrefix("_Z") { return Self.take(mayday_demangle_cxx(name)) }
        var copy = name
        return copy.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { Self.take(mayday_demangle_swift($0.baseAddress, $0.count)) }
        }
    }

    /// The demanglers are given no name that is known to harm them.
    private static func canDemangle(_ name: String) -> Bool {
        guard isMangled(name), name.utf8.count <= lengthLimit else { return false }
        // Swift 6.3's demangler takes memory without end when a name stops inside the list of a function's specialised parameters
        // (`$s1a1byyFTf3np`), as it does in a file that was cut.
        return !(name.hasSuffix("p") && name.contains("Tf"))
    }

    /// True for Swift 4 to 6 (`$s`, `$S`, `$e`, `_T0`) and C++ names.
    static func isMangled(_ name: String) -> Bool {
        ["$s", "_$s", "_Z", "$e", "_$e", "$S", "_$S", "_T0"].contains { name.hasPrefix($0) }
    }

    /// The text of a result that must be freed.
    private static func take(_ result: UnsafeMutablePointer<CChar>?) -> String? {
        guard let result else { return nil }
        defer { free(result) }
        return String(cString: result)
    }
}
