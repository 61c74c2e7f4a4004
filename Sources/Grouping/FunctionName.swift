/// A function's name as grouping sees it: the same for every build of the same source.
///
/// Optimised builds specialise, merge, split and inline functions, and every build numbers closures anew; none of that makes
/// another bug.
struct FunctionName: Hashable {
    /// `closure in Cart.total()`; empty when the name was.
    let normalized: String
    /// The function that it is, or that a closure is written in: `Cart.total()`.
    let declaration: String
    /// False for what the compiler made to get from one function to the next; it is shown, but does not count.
    let isSignificant: Bool

    /// - Parameter name: The short demangled form, as in `FrameSymbol.function`.
    init(_ name: String) {
        var text = name[...]
        Self.stripPrefixes(&text)
        isSignificant = !Self.generatedPrefixes.contains(where: text.hasPrefix) && !text.hasSuffix(".$main()")
        var folded = Self.withoutGenerics(Self.foldingClosures(text))
        Self.stripSuffixes(&folded)
        for (from, to) in Self.accessors where folded.contains(from) { folded = folded.replacing(from, with: to) }
        normalized = folded
        declaration = Self.outermost(folded)
    }

    /// True for where a program's own code begins: top-level code, `static Shop.main()` and C's `main`.
    var isMain: Bool {
        declaration == "main" || (declaration.hasPrefix("static ") && declaration.hasSuffix(".main()"))
    }

    /// `closure in f()` → `f()`; a local function stays what it is.
    private static func outermost(_ name: String) -> String {
        var rest = name[...]
        while let prefix = unnamed.first(where: rest.hasPrefix) { rest = rest.dropFirst(prefix.count) }
        return String(rest)
    }

    private static let unnamed = ["closure in ", "$defer in "]

    /// How a function was compiled, in front of its name.
    private static func stripPrefixes(_ text: inout Substring) {
        var changed = true
        while changed {
            changed = false
            for prefix in [
                "specialized ", "@objc ", "@nonobjc ", "merged ", "partial apply for ", "partial apply forwarder for ",
                "implicit ",
            ]
            where text.hasPrefix(prefix) {
                text = text.dropFirst(prefix.count)
                changed = true
            }
            // `(5) suspend resume partial function for`: the part of an async function behind its fifth suspension point.
            for marker in ["suspend resume partial function for ", "await resume partial function for "]
            where text.hasPrefix("(") {
                if let range = text.firstRange(of: marker), text[..<range.lowerBound].utf8.count <= 12 {
                    text = text[range.upperBound...]
                    changed = true
                }
            }
        }
    }

    /// What a compiler appends to a C function that it split or cloned.
    private static func stripSuffixes(_ text: inout String) {
        for marker in [".part.", ".cold", ".isra.", ".constprop.", ".llvm.", ".resume.", " [clone"] {
            if let range = text.firstRange(of: marker) { text.removeSubrange(range.lowerBound...) }
        }
    }

    private static let generatedPrefixes = [
        "outlined ", "thunk for ", "reabstraction thunk ", "dispatch thunk of ", "protocol witness for ",
        "curry thunk of ",
        "lazy protocol witness ", "base witness table ", "associated type ", "associated conformance ",
        "type metadata ",
        "metadata ", "instantiation function for ", "value witness ", "destroy for ", "assignWithCopy for ",
        "assignWithTake for ",
        "initializeWithCopy for ", "initializeWithTake for ", "initializeBufferWithCopyOfBuffer for ", "getEnumTag",
        "storeEnumTag",
        "destructiveInjectEnumTag for ", "destructiveProjectEnumData for ", "key path ", "keypath_", "objectdestroy",
        "block_copy_helper",
        "block_destroy_helper", "__swift_", "<deduplicated_symbol>",
    ]

    private static let accessors = [
        (".__deallocating_deinit", ".deinit"), (".__isolated_deallocating_deinit", ".deinit"),
        (".__allocating_init(", ".init("),
        ("async_Main", "main"),
    ]

    /// `closure #2 in closure #1 in f()` → `closure in f()`, `helper #1 (_:) in f()` → `helper(_:) in f()`.
    private static func foldingClosures(_ text: Substring) -> String {
        var parts: [Substring] = []
        for part in text.split(separator: " in ", omittingEmptySubsequences: false) {
            var part = part
            if part.hasPrefix("implicit closure #") { part = part.dropFirst("implicit ".count) }
            if let number = part.firstRange(of: " #") {
                let rest = part[number.upperBound...].drop { $0.isNumber }
                // What stands behind the number of a closure is its type, if anything.
                let isUnnamed = part.hasPrefix("closure #") || part.hasPrefix("$defer #")
                part = part[..<number.lowerBound] + (isUnnamed ? "" : rest.drop { $0 == " " })
            }
            if part == "closure", parts.last == "closure" { continue }
            parts.append(part)
        }
        return parts.joined(separator: " in ")
    }

    /// `find<A>(_:)` → `find(_:)`, `std::vector<int>::at` → `std::vector::at`; the operators `<` and `->` stay.
    private static func withoutGenerics(_ text: String) -> String {
        var kept: [UInt8] = []
        var depth = 0
        var previous: UInt8 = 0
        for byte in text.utf8 {
            defer { previous = byte }
            if byte == UInt8(ascii: "<") {
                let follows = isIdentifier(previous) && !kept.ends(with: "operator")
                if depth > 0 || follows {
                    depth += 1
                    continue
                }
            } else if byte == UInt8(ascii: ">"), depth > 0 {
                if previous != UInt8(ascii: "-") { depth -= 1 }
                continue
            }
            if depth == 0 { kept.append(byte) }
        }
        // Unbalanced: not generics after all.
        return depth == 0 ? String(decoding: kept, as: UTF8.self) : text
    }

    private static func isIdentifier(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: " "), 0x80...:
            // A blank, as in the local function `helper #1 <A>(_:)`.
            true
        default:
            false
        }
    }
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
