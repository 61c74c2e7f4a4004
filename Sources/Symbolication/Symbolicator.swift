public import CrashReport

/// Fills in the functions, files and lines of a report's frames.
///
/// Debug files are looked up on the local file system by build id and stay open for the next report, least recently used first out.
/// Never goes to the network. Not thread-safe and not `Sendable`, as libdw's handles are neither: one symbolicator belongs to one
/// thread, queue or actor.
public final class Symbolicator {
    private let finder: DebugFileFinder
    private let demangler = Demangler()
    private var modules: [String: OpenModule] = [:]
    private var clock = 0
    private var imageInUse = -1

    /// Builds whose files are not opened, and what they did: it is said in the image's note.
    public var leftOut: [String: String] = [:]
    /// Called with the index of an image before its files are looked at, and when it changes.
    public var onUse: ((Int) -> Void)?

    private struct OpenModule {
        var module: DebugModule
        var lastUse: Int
    }

    /// Bytes of files kept open; a service with its libraries takes some tens of megabytes.
    private static let openBytesLimit = 1 << 30

    /// A symbolicator with no debug files open.
    ///
    /// - Parameters:
    ///   - debugDirectories: Where debug files are besides the images' own paths, laid out as `/usr/lib/debug` is.
    ///   - symbolStore: Directory of packed files by build id (`SymbolStorePath`), which is asked last.
    public init(debugDirectories: [String] = ["/usr/lib/debug"], symbolStore: String? = nil) {
        finder = DebugFileFinder(debugDirectories: debugDirectories, symbolStore: symbolStore)
    }

    /// The report with `symbols` and `origin` on every frame that could be resolved, and why others could not.
    public func symbolicate(_ report: Report) -> SymbolicatedReport {
        var report = report
        clock += 1
        imageInUse = -1
        var images = report.images.indices.map {
            ImageState(report.images[$0], index: $0, executable: report.header.process.path)
        }
        for thread in report.threads.indices {
            for frame in report.threads[thread].frames.indices {
                let isBehind = frame == 0 && report.threads[thread].crashed && Self.isBehindBreakpoint(report.crash)
                resolve(&report.threads[thread].frames[frame], isBehind: isBehind, in: &images)
            }
            resolve(&report.threads[thread].accessConflict, in: &images)
        }
        evict()
        RuntimeFailure.promote(in: &report)
        return SymbolicatedReport(report: report, notes: images.compactMap(\.note))
    }

    /// What is known of an image while one report is worked on.
    private struct ImageState {
        let image: Image
        let index: Int
        let owner: FrameOrigin
        var module: DebugModule?
        var isLookedUp = false
        var note: ImageNote?

        init(_ image: Image, index: Int, executable: String?) {
            self.image = image
            self.index = index
            owner = image.path == executable ? .service : FrameOrigin(imagePath: image.path)
        }
    }

    /// x86 saves the address behind a breakpoint instruction (`int3`, code SI_KERNEL), where all other faults and other
    /// processors save that of the instruction itself.
    private static func isBehindBreakpoint(_ crash: Crash?) -> Bool {
        guard let crash, crash.signal.name == "SIGTRAP", crash.signal.code == 0x80 else { return false }
        return crash.registers.contains { $0.name == "rip" }
    }

    private func resolve(_ conflict: inout AccessConflict?, in images: inout [ImageState]) {
        for access in [\AccessConflict.previous, \AccessConflict.current] {
            guard var frame = conflict?[keyPath: access].frame else { continue }
            resolve(&frame, isBehind: false, in: &images)
            conflict?[keyPath: access].frame = frame
        }
    }

    private func resolve(_ frame: inout Frame, isBehind: Bool, in images: inout [ImageState]) {
        guard let index = frame.image, images.indices.contains(index) else { return }
        if imageInUse != index {
            imageInUse = index
            onUse?(index)
        }
        lookUp(&images[index])
        frame.origin = images[index].owner
        guard let module = images[index].module else { return }
        let offset = frame.offset ?? frame.address &- images[index].image.base
        let address = module.base &+ offset &- (frame.trust.isReturnAddress || isBehind ? 1 : 0)
        let answer = module.answer(at: address, demangler: demangler)
        frame.symbols = answer.symbols
        if images[index].owner == .service, let origin = answer.origin { frame.origin = origin }
    }

    private func lookUp(_ state: inout ImageState) {
        guard !state.isLookedUp else { return }
        state.isLookedUp = true
        // The kernel's own object has no file.
        guard !state.image.path.hasPrefix("["), !state.image.path.hasPrefix("linux-vdso") else { return }
        var reason: ImageNote.Reason?
        if let buildID = state.image.buildID, buildID.utf8.contains(where: { $0 != UInt8(ascii: "0") }) {
            if let harm = leftOut[buildID.lowercased()] {
                reason = .leftOut(harm)
            } else {
                switch module(of: state.image, buildID: buildID.lowercased(), owner: state.owner) {
                case .success(let module):
                    state.module = module
                    reason = module.shortcoming
                case .failure(let failure):
                    reason = failure
                }
            }
        } else {
            reason = .noBuildID
        }
        // Libraries that are not the service's have functions and no lines everywhere: nothing to do about it.
        if reason == .noDebugInformation, state.owner != .service { reason = nil }
        state.note = reason.map {
            ImageNote(image: state.index, path: state.image.path, buildID: state.image.buildID, reason: $0)
        }
    }

    private func module(
        of image: Image,
        buildID: String,
        owner: FrameOrigin
    ) -> Result<DebugModule, ImageNote.Reason> {
        if let known = modules[buildID]?.module {
            modules[buildID]?.lastUse = clock
            // A stripped file met first, or one whose debug file came later, must not stand in the way of a better one.
            guard owner == .service, known.shortcoming != nil,
                case .success(let better) = finder.module(path: image.path, buildID: buildID),
                better.isMoreComplete(than: known)
            else { return .success(known) }
            modules[buildID] = OpenModule(module: better, lastUse: clock)
            return .success(better)
        }
        let found = finder.module(path: image.path, buildID: buildID)
        if case .success(let module) = found { modules[buildID] = OpenModule(module: module, lastUse: clock) }
        return found
    }

    /// Closes what was not used for longest until the rest is within its limit.
    private func evict() {
        var open = modules.values.reduce(0) { $0 + $1.module.size }
        while open > Self.openBytesLimit, modules.count > 1,
            let oldest = modules.min(by: { ($0.value.lastUse, $0.key) < ($1.value.lastUse, $1.key) })
        {
            open -= oldest.value.module.size
            modules[oldest.key] = nil
        }
    }
}

/// A report with symbols, and what could not be resolved.
public struct SymbolicatedReport: Sendable, Equatable {
    /// The report with `symbols` and `origin` on its frames.
    public var report: Report
    /// One note for each image that frames were found in and whose functions or lines are not all known.
    public var notes: [ImageNote]
}
