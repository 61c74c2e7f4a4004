import CrashReport
import Symbolication

/// One function on a stack, inlined ones included: what grouping and headlines look at.
struct Call {
    /// Name for grouping; nil when the frame has no function.
    var name: FunctionName?
    /// As people write it.
    var function: String?
    /// Whose code.
    var origin: FrameOrigin
    /// `Cart.swift:41`, when known.
    var place: String?
    /// `CheckoutService+0x1a2b`: the frame without symbols.
    var offset: String?
    /// Index of the frame it is in.
    var frame = 0
    /// True when its source was checked out by the package manager: code that the service uses, in its own binary.
    var isPackage = false

    /// Functions of the stack that crashed, innermost first.
    static func calls(in report: Report, names: NameCache) -> [Call] {
        report.crashedThread.map { calls(of: $0, in: report, names: names) } ?? []
    }

    private static func calls(of thread: ThreadStack, in report: Report, names: NameCache) -> [Call] {
        thread.frames.enumerated().flatMap { number, frame -> [Call] in
            let offset = offset(of: frame, in: report)
            guard !frame.symbols.isEmpty else {
                let origin = frame.origin ?? .service
                return [Call(name: nil, function: nil, origin: origin, place: nil, offset: offset, frame: number)]
            }
            return frame.symbols.indices.map { index in
                let symbol = frame.symbols[index]
                let facts = names.facts(of: symbol)
                // In a frame of the service some functions may be the standard library's, specialised or inlined.
                let origin = frame.origin == .service ? facts.origin : frame.origin ?? .service
                return Call(
                    name: facts.name,
                    function: symbol.function,
                    origin: origin,
                    place: place(in: frame.symbols[index...]),
                    offset: offset,
                    frame: number,
                    isPackage: symbol.file?.contains("/checkouts/") ?? false
                )
            }
        }
    }

    /// So many calls of one function on a stack are a recursion without end, whatever it happened to call last. A report keeps some
    /// two hundred frames of a deep stack, and a turn of the recursion may take several.
    static let endlessRecursion = 16

    /// True when it is the service's own and not made by the compiler.
    var isOwn: Bool { origin == .service && name?.isSignificant != false }

    /// The compiler often has no line (line 0) for an inlined function; the nearest caller in the same frame that has one is the place.
    private static func place(in symbols: ArraySlice<FrameSymbol>) -> String? {
        for symbol in symbols {
            if let file = symbol.file, let line = symbol.line { return "\(baseName(file)):\(line)" }
        }
        return nil
    }

    private static func offset(of frame: Frame, in report: Report) -> String? {
        guard let index = frame.image, report.images.indices.contains(index) else { return nil }
        let image = report.images[index]
        let offset = frame.offset ?? frame.address &- image.base
        return "\(baseName(image.path))+0x\(String(offset, radix: 16))"
    }
}

/// Last component of a path.
func baseName(_ path: String) -> Substring {
    path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
}
