public import CrashReport

/// Fills in the functions, files and lines of a report's frames.
///
/// Debug files are looked up on the local file system by build id and stay open for the next report, least recently used first out.
/// Never goes to the network. Not thread-safe and not `Sendable`, as libdw's handles are neither: one symbolicator belongs to one
/// thread, queue or actor.
public final class Symbolicator {
    private let finder: DebugFileFinder
    private var builds: [String: KnownBuild] = [:]
    /// Whose code images are, by their paths.
    private var owners: [String: FrameOrigin] = [:]
    private static let ownersLimit = 4_096
    /// Of functions that Swift's backtracer found.
    private let names = FunctionNames()
    private var clock = 0
    private var imageInUse = -1

    /// Builds whose files are not opened, and what they did: it is said in the image's note.
    public var leftOut: [String: String] = [:]
    /// Called with the index of an image before its files are looked at, and when it changes.
    public var onUse: ((Int) -> Void)?

    private struct KnownBuild {
        var build: Build
        var lastUse: Int
    }

    /// Directory in which answers are kept by build id.
    private let answers: String?
    /// The program that answers, by its own build id: another may answer otherwise.
    private let program: String?

    /// Bytes of files kept open; a service with its libraries takes some tens of megabytes.
    private static let openBytesLimit = 1 << 30

    /// A symbolicator with no debug files open.
    ///
    /// - Parameters:
    ///   - debugDirectories: Where debug files are besides the images' own paths, laid out as `/usr/lib/debug` is.
    ///   - symbolStore: Directory of packed files by build id (`SymbolStorePath`), which is asked last.
    ///   - answers: Directory in which answers are kept for later processes; several may use one. What it is in is made too, but
    ///     nothing above that.
    ///   - mapsFiles: Only what is looked at of a file is read. A file that somebody cuts short meanwhile ends the process, by SIGBUS.
    public init(
        debugDirectories: [String] = ["/usr/lib/debug"],
        symbolStore: String? = nil,
        answers: String? = nil,
        mapsFiles: Bool = false
    ) {
        finder = DebugFileFinder(
            debugDirectories: debugDirectories,
            symbolStore: symbolStore,
            mapsFiles: mapsFiles
        )
        program = answers == nil ? nil : (try? ELFFile(path: "/proc/self/exe"))?.buildID
        self.answers = program == nil ? nil : answers
    }

    /// The report with `symbols` and `origin` on every frame that could be resolved, and why others could not.
    public func symbolicate(_ report: Report) -> SymbolicatedReport {
        var report = report
        clock += 1
        imageInUse = -1
        let isBacktracers = report.header.sdk.name == SDKFacts.swiftBacktracer
        var images = report.images.indices.map {
            ImageState(report.images[$0], index: $0, owner: owner(of: report.images[$0], in: report))
        }
        for thread in report.threads.indices {
            for frame in report.threads[thread].frames.indices {
                let isBehind = frame == 0 && report.threads[thread].crashed && Self.isBehindBreakpoint(report.crash)
                let isChecked = report.threads[thread].accessConflict != nil
                if isBacktracers { name(&report.threads[thread].frames[frame].symbols) }
                resolve(&report.threads[thread].frames[frame], isBehind: isBehind, isChecked: isChecked, in: &images)
            }
            resolve(&report.threads[thread].accessConflict, in: &images)
        }
        for state in images { state.build?.save() }
        evict()
        RuntimeFailure.promote(in: &report)
        return SymbolicatedReport(report: report, notes: images.compactMap(\.note))
    }

    /// What is known of an image while one report is worked on.
    private struct ImageState {
        let image: Image
        let index: Int
        let owner: FrameOrigin
        var build: Build?
        var isLookedUp = false
        /// Why nothing is looked up.
        var failure: ImageNote.Reason?

        /// What is missing, as far as the frames of this report showed.
        var note: ImageNote? {
            guard let reason = failure ?? build?.shortcoming else { return nil }
            // Libraries that are not the service's have functions and no lines everywhere: nothing to do about it.
            if reason == .noDebugInformation || reason == .shared, owner != .service { return nil }
            return ImageNote(image: index, path: image.path, buildID: image.buildID, reason: reason)
        }

        init(_ image: Image, index: Int, owner: FrameOrigin) {
            self.image = image
            self.index = index
            self.owner = owner
        }
    }

    /// Reports of a service have the same paths, and to look at them all takes longer than to find them.
    private func owner(of image: Image, in report: Report) -> FrameOrigin {
        if image.path == report.header.process.path { return .service }
        if let owner = owners[image.path] { return owner }
        if owners.count >= Self.ownersLimit { owners.removeAll(keepingCapacity: true) }
        let owner = FrameOrigin(imagePath: image.path)
        owners[image.path] = owner
        return owner
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
            resolve(&frame, isBehind: false, isChecked: true, in: &images)
            conflict?[keyPath: access].frame = frame
        }
    }

    /// - Parameters:
    ///   - isBehind: the address is that of the next instruction.
    ///   - isChecked: the check of an access ended the thread, so that its calls without a line may be that check.
    private func resolve(_ frame: inout Frame, isBehind: Bool, isChecked: Bool, in images: inout [ImageState]) {
        guard let index = frame.image, images.indices.contains(index) else {
            if frame.origin == nil { frame.origin = FrameOrigin(of: frame.symbols) }
            return
        }
        if imageInUse != index {
            imageInUse = index
            onUse?(index)
        }
        lookUp(&images[index])
        frame.origin = images[index].owner
        if frame.origin == .service, let origin = FrameOrigin(of: frame.symbols) { frame.origin = origin }
        guard let build = images[index].build else { return }
        let offset =
            (frame.offset ?? frame.address &- images[index].image.base)
            &- (frame.trust.isReturnAddress || isBehind ? 1 : 0)
        let isCall = frame.trust.isReturnAddress && isChecked
        guard let answer = build.answer(at: offset, isCall: isCall) else { return }
        // Who wrote the report may have had debug information that is not here.
        guard answer.symbols.contains(where: { $0.file != nil }) || !frame.symbols.contains(where: { $0.file != nil })
        else { return }
        frame.symbols = answer.symbols
        if images[index].owner == .service, let origin = answer.origin { frame.origin = origin }
    }

    /// Names that Swift's backtracer found, as short as ours.
    private func name(_ symbols: inout [FrameSymbol]) {
        for index in symbols.indices {
            guard let mangled = symbols[index].mangled else { continue }
            symbols[index].function = names.named(mangled).text
        }
    }

    private func lookUp(_ state: inout ImageState) {
        guard !state.isLookedUp else { return }
        state.isLookedUp = true
        // The kernel's own object has no file.
        guard !state.image.path.hasPrefix("["), !state.image.path.hasPrefix("linux-vdso") else { return }
        guard let buildID = state.image.buildID, buildID.utf8.contains(where: { $0 != UInt8(ascii: "0") }) else {
            state.failure = .noBuildID
            return
        }
        if let harm = leftOut[buildID.lowercased()] {
            state.failure = .leftOut(harm)
            return
        }
        state.build = build(of: state.image, buildID: buildID.lowercased(), owner: state.owner)
    }

    private func build(of image: Image, buildID: String, owner: FrameOrigin) -> Build {
        if let known = builds[buildID]?.build {
            builds[buildID]?.lastUse = clock
            // A stripped file met first, or one whose debug file came later, must not stand in the way of a better one.
            if owner == .service, known.shortcoming != nil,
                case .success(let better) = finder.module(path: image.path, buildID: buildID)
            {
                known.takeIfMoreComplete(better)
            }
            return known
        }
        var file: AnswerFile?
        if let answers, let program, SymbolStorePath.file(of: buildID) != nil {
            file = AnswerFile(path: "\(answers)/\(buildID)", writer: program)
        }
        let build = Build(file: file) { [finder] in finder.module(path: image.path, buildID: buildID) }
        // What was not found is looked for again with the next report.
        if !build.isEmpty { builds[buildID] = KnownBuild(build: build, lastUse: clock) }
        return build
    }

    /// Closes what was not used for longest until the rest is within its limit.
    private func evict() {
        var open = builds.values.reduce(0) { $0 + $1.build.size }
        while open > Self.openBytesLimit, builds.count > 1,
            let oldest = builds.min(by: { ($0.value.lastUse, $0.key) < ($1.value.lastUse, $1.key) })
        {
            open -= oldest.value.build.size
            builds[oldest.key] = nil
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
