import CrashReport
import Symbolication

/// One function on a stack, inlined ones included: what grouping and headlines look at.
///
/// What is asked of few of them is looked at when it is asked.
struct Call {
    /// Name for grouping; nil when the frame has no function.
    let name: FunctionName?
    /// Whose code.
    let origin: FrameOrigin
    /// Index of the frame it is in.
    let frame: Int
    /// The function and those that it was inlined into; empty when the frame has none.
    private let symbols: ArraySlice<FrameSymbol>
    private let image: Image?
    private let offsetInImage: UInt64

    /// Functions of the stack that crashed, innermost first.
    static func calls(in report: Report, names: NameCache) -> [Call] {
        report.crashedThread.map { calls(of: $0, in: report, names: names) } ?? []
    }

    private static func calls(of thread: ThreadStack, in report: Report, names: NameCache) -> [Call] {
        var calls: [Call] = []
        calls.reserveCapacity(thread.frames.count * 2)
        for (number, frame) in thread.frames.enumerated() {
            let image = frame.image.flatMap { report.images.indices.contains($0) ? report.images[$0] : nil }
            let offset = frame.offset ?? frame.address &- (image?.base ?? 0)
            func add(_ facts: NameCache.Facts?, _ origin: FrameOrigin?, _ symbols: ArraySlice<FrameSymbol>) {
                calls.append(
                    Call(
                        name: facts?.name,
                        origin: origin ?? .service,
                        frame: number,
                        symbols: symbols,
                        image: image,
                        offsetInImage: offset
                    )
                )
            }
            if frame.symbols.isEmpty { add(nil, frame.origin, []) }
            for index in frame.symbols.indices {
                let facts = names.facts(of: frame.symbols[index])
                // In a frame of the service some functions may be the standard library's, specialised or inlined.
                add(facts, frame.origin == .service ? facts.origin : frame.origin, frame.symbols[index...])
            }
        }
        return calls
    }

    /// As people write it.
    var function: String? { symbols.first?.function }

    /// `Cart.swift:41`, when known. The compiler often has no line (line 0) for an inlined function; the nearest caller in the same
    /// frame that has one is the place.
    var place: String? {
        for symbol in symbols {
            if let file = symbol.file, let line = symbol.line { return "\(baseName(file)):\(line)" }
        }
        return nil
    }

    /// `CheckoutService+0x1a2b`: the frame without symbols.
    var offset: String? { image.map { "\(baseName($0.path))+0x\(String(offsetInImage, radix: 16))" } }

    /// True when its source was checked out by the package manager: code that the service uses, in its own binary.
    var isPackage: Bool { symbols.first?.file?.utf8.firstIndex(of: "/checkouts/") != nil }

    /// So many calls of one function on a stack are a recursion without end, whatever it happened to call last. A report keeps some
    /// two hundred frames of a deep stack, and a turn of the recursion may take several.
    static let endlessRecursion = 16

    /// True when it is the service's own and not made by the compiler.
    var isOwn: Bool { origin == .service && name?.isSignificant != false }
}

/// Last component of a path.
func baseName(_ path: String) -> Substring {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
}
