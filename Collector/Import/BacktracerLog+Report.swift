internal import CCrypto
public import CrashReport
internal import Symbolication

/// What is said of reports that come without it.
public struct ReportNaming: Sendable, Equatable {
    /// Name of the service; nil for the part of `release` before `@`, else the name of the executable.
    public var service: String?
    /// `checkout@1.4.2`.
    public var release: String?

    /// Names; what is not given is left as it is found.
    public init(service: String? = nil, release: String? = nil) {
        self.service = service
        self.release = release
    }
}

extension Report {
    /// Makes a report of what Swift's backtracer wrote as JSON.
    ///
    /// The id is made of the text, white space aside: the same text is the same report, whatever it is named or stands among.
    ///
    /// - Parameters:
    ///   - text: the one object.
    ///   - before: the log before it, for the message that the runtime wrote there.
    public init(
        backtracer text: [UInt8],
        before: [UInt8] = [],
        naming: ReportNaming = ReportNaming()
    ) throws(BacktracerLogError) {
        let log = try BacktracerLog(text)
        guard let time = Timestamp(log.time), let id = ReportID.make(at: time, of: text) else {
            throw BacktracerLogError(problem: "timestamp: expected a time from 1970 on")
        }
        let crashed = log.threads.firstIndex(where: \.crashed) ?? 0
        let said = BacktracerMessage(before: before, address: log.threads[crashed].frames.first?.address)
        let images = BacktracerImages(log)
        let signal = log.signal(said: said?.signal)
        let sender = log.sender(signal)
        let executable = images.executable ?? log.threads[0].name

        self.init(
            header: ReportHeader(
                id: id,
                kind: .crash,
                time: "\(time)",
                service: naming.service ?? naming.release.map { String($0.prefix { $0 != "@" }) } ?? executable,
                release: naming.release,
                // 0 where it is not known.
                process: ProcessFacts(
                    pid: sender.flatMap { $0.isOwn ? $0.pid : nil } ?? 0,
                    name: executable,
                    path: images.executablePath
                ),
                host: HostFacts(os: log.operatingSystem, arch: log.architecture),
                sdk: SDKFacts(name: SDKFacts.swiftBacktracer, version: "json")
            )
        )
        crash = Crash(
            signal: signal,
            faultAddress: sender == nil && !log.isSent(signal) ? log.faultAddress : nil,
            sender: sender.map { SignalSender(pid: $0.pid, uid: $0.uid) },
            thread: crashed + 1,
            message: said?.message,
            messageSource: said?.message == nil ? nil : "swift",
            registers: log.threads[crashed].registers
        )
        // Numbered from 1 in their order: it says no ids.
        let stacks = log.threads.enumerated().map { number, thread in
            ThreadStack(backtracer: thread, id: number + 1, images: images)
        }
        threads = [stacks[crashed]] + stacks[..<crashed] + stacks[(crashed + 1)...]
        self.images = images.images
        let seconds = min(log.duration ?? 0, 86_400)
        end = CaptureEnd(durationMicroseconds: Int(seconds * 1_000_000), unwinder: SDKFacts.swiftBacktracer)
        if let omitted = log.omittedThreads, omitted > 0 {
            end?.cut = [CutStage(stage: "threads", reason: "the backtracer was told to leave out \(omitted)")]
        }
    }
}

extension BacktracerLog {
    /// Who sent the signal, when one was sent; the "fault address" is the `si_pid` and `si_uid` in its place then.
    fileprivate func sender(_ signal: CrashSignal) -> (pid: Int, uid: Int, isOwn: Bool)? {
        let function = threads.first(where: \.crashed)?.frames.first?.function
        let isOwn = function.map(Self.raising.contains) ?? false
        guard isOwn || function != nil && isSent(signal) else { return nil }
        let pid = Int(UInt32(truncatingIfNeeded: faultAddress))
        guard pid > 0, pid <= Int32.max else { return nil }
        return (pid, Int(faultAddress >> 32), isOwn)
    }

    /// True for a signal that no fault raises.
    fileprivate func isSent(_ signal: CrashSignal) -> Bool { ["SIGABRT", "SIGQUIT"].contains(signal.name) }

    /// Where a thread is that sends a signal to itself or to its process.
    private static let raising: Set<String> = [
        "__pthread_kill_implementation", "__pthread_kill_internal", "pthread_kill", "raise", "gsignal", "__GI_raise",
        "kill", "__kill", "tgkill", "abort",
    ]

    /// The signal, by its number in the log, else by what it is described as.
    ///
    /// A trap with a reason (`Swift runtime failure: …`) is described by the reason: which signal it is, the processor decides.
    fileprivate func signal(said number: Int?) -> CrashSignal {
        let trap = architecture.hasPrefix("x86") || architecture.hasPrefix("i386") ? 4 : 5
        let number =
            number ?? Self.numbers[description] ?? (description.hasPrefix("Swift runtime failure: ") ? trap : 0)
        // The code is not known, and has no name then.
        return CrashSignal(number: number, name: Self.names[number] ?? description, code: 0)
    }

    private static let numbers = [
        "Illegal instruction": 4, "System trap": 5, "Aborted": 6, "Bus error": 7, "Floating point exception": 8,
        "Bad pointer dereference": 11, "Terminated": 3, "Bad system call": 31,
    ]

    /// As Linux has them on x86-64 and aarch64.
    private static let names = [
        3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV", 31: "SIGSYS",
    ]

    /// `Linux (Debian GNU/Linux 12 (bookworm))` without what is said of every report.
    fileprivate var operatingSystem: String {
        guard platform.hasPrefix("Linux ("), platform.hasSuffix(")") else { return platform }
        return String(platform.dropFirst(7).dropLast())
    }
}

extension BacktracerLog.Frame {
    /// As the linker knows it, without the version that libc's have: `clock_nanosleep@@GLIBC_2.17`.
    fileprivate var function: String? {
        guard let symbol, !symbol.isEmpty, symbol != "<unknown>" else { return nil }
        guard !symbol.hasPrefix("$"), let at = symbol.firstIndex(of: "@"), at != symbol.startIndex else {
            return symbol
        }
        return String(symbol[..<at])
    }

    fileprivate var frameSymbol: FrameSymbol? {
        guard let function else { return nil }
        var text = description ?? function
        if let offset, offset != 0 {
            let suffix = offset > 0 ? " + \(offset)" : " - \(offset)"
            if text.hasSuffix(suffix) { text.removeLast(suffix.count) }
        }
        if text == symbol { text = function }
        let place = location.flatMap { $0.file.hasSuffix("<compiler-generated>") ? nil : $0 }
        return FrameSymbol(
            function: text,
            mangled: text == function ? nil : function,
            file: place?.file,
            line: place.flatMap { $0.line > 0 ? $0.line : nil },
            column: place.flatMap { $0.column > 0 ? $0.column : nil },
            inlined: inlined
        )
    }
}

extension ThreadStack {
    /// Frames that are kept of a stack that the backtracer was told not to limit, and how many of these are the outermost.
    private static let kept = (frames: 512, outermost: 64)

    fileprivate init(backtracer thread: BacktracerLog.Thread, id: Int, images: BacktracerImages) {
        self.init(id: id, name: thread.name, crashed: thread.crashed)
        var inlined: [FrameSymbol] = []
        for (index, written) in thread.frames.enumerated() {
            switch written.kind {
            case .truncated: truncated = "backtracer"
            case .omittedFrames: leaveOut(frames.count..<frames.count, written.count)
            case .programCounter, .returnAddress, .asyncResumePoint:
                if let symbol = written.frameSymbol { inlined.append(symbol) }
                // What is inlined stands before what it is inlined into, at the same address.
                let isInnermostPart =
                    written.inlined && index + 1 < thread.frames.count
                    && thread.frames[index + 1].address == written.address
                    && thread.frames[index + 1].kind == written.kind
                guard !isInnermostPart else { continue }
                if let last = inlined.indices.last { inlined[last].inlined = false }
                frames.append(images.frame(written, symbols: inlined))
                inlined = []
            }
        }
        var limit = Self.kept.frames
        while true {
            if frames.count > limit {
                leaveOut(limit - Self.kept.outermost..<frames.count - Self.kept.outermost, 0)
            }
            guard size > ReportLimits.standard.lineBytes * 3 / 4, limit > 2 * Self.kept.outermost else { break }
            limit /= 2
        }
    }

    /// Takes frames away, in whose place `more` were left out by the backtracer already; one gap is all that a report has.
    private mutating func leaveOut(_ range: Range<Int>, _ more: Int?) {
        var range = range
        var count = more
        if let omitted {
            range = min(range.lowerBound, omitted.index)..<max(range.upperBound, omitted.index)
            count = omitted.count.flatMap { known in more.map { Self.sum(known, $0) } }
        }
        frames.removeSubrange(range)
        omitted = OmittedFrames(index: range.lowerBound, count: count.map { Self.sum($0, range.count) })
    }

    private static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }

    /// About the bytes of the line.
    private var size: Int {
        frames.reduce(0) { size, frame in
            frame.symbols.reduce(size + 96) { size, symbol in
                size + 80 + symbol.function.utf8.count + (symbol.mangled?.utf8.count ?? 0)
                    + (symbol.file?.utf8.count ?? 0)
            }
        }
    }
}

/// The images, and which of them an address is in.
private struct BacktracerImages {
    let images: [Image]
    /// Name and path of the service's executable.
    let executable: String?
    let executablePath: String?
    private let byBase: [Int]

    init(_ log: BacktracerLog) {
        let written = log.images ?? []
        images = written.map { image in
            Image(
                path: image.path ?? image.name ?? "[unknown]",
                base: image.base,
                size: image.end - image.base,
                buildID: image.buildID
            )
        }
        let images = images
        byBase = images.indices.sorted { images[$0].base < images[$1].base }
        // Linux cuts the name of a process after 15 bytes, and that of the main thread is the process's until somebody changes it.
        let name = log.threads[0].name ?? ""
        let paths = images.map(\.path).filter { !Self.isLibrary($0) }
        let path = paths.first { !name.isEmpty && Self.baseName($0).hasPrefix(name) } ?? paths.first
        executablePath = path
        let named = log.threads.lazy.flatMap(\.frames).compactMap(\.image).first { !Self.isLibrary($0) }
        executable = path.map(Self.baseName) ?? named
    }

    private static func baseName(_ path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }

    private static func isLibrary(_ path: String) -> Bool {
        path.hasPrefix("[") || baseName(path).contains(".so") || FrameOrigin(imagePath: path) != .service
    }

    func frame(_ written: BacktracerLog.Frame, symbols: [FrameSymbol]) -> Frame {
        let trust: FrameTrust =
            switch written.kind {
            case .asyncResumePoint: .await
            case .returnAddress: .fp
            case .programCounter, .omittedFrames, .truncated: .context
            }
        var frame = Frame(address: written.address, trust: trust, symbols: symbols)
        // A call may be the last instruction of an image.
        let place = trust.isReturnAddress ? written.address &- 1 : written.address
        if let index = image(at: place) {
            frame.image = index
            frame.offset = written.address &- images[index].base
        } else if let name = written.image, FrameOrigin(imagePath: name) != .service {
            frame.origin = FrameOrigin(imagePath: name)
        }
        return frame
    }

    private func image(at address: UInt64) -> Int? {
        var low = 0
        var high = byBase.count
        while low < high {
            let middle = (low + high) / 2
            if images[byBase[middle]].base <= address { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let index = byBase[low - 1]
        return address - images[index].base < images[index].size ? index : nil
    }
}

extension ReportID {
    /// An id that a text always has: its time is the first part, SHA-256 of the text without white space the rest.
    fileprivate static func make(at time: Timestamp, of text: [UInt8]) -> String? {
        let milliseconds = time.microseconds / 1_000
        guard time.microseconds >= 0, milliseconds < 1 << 48 else { return nil }
        let dense = text.filter { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        SHA256(dense, dense.count, &digest)
        var bytes = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> Int64(40 - 8 * $0)) } + digest[..<10]
        bytes[6] = 0x70 | bytes[6] & 0x0f
        bytes[8] = 0x80 | bytes[8] & 0x3f
        return bytes.enumerated().reduce(into: "") { id, byte in
            if [4, 6, 8, 10].contains(byte.offset) { id += "-" }
            id += String(byte.element >> 4, radix: 16) + String(byte.element & 15, radix: 16)
        }
    }
}
