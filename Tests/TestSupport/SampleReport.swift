public import CrashReport

/// A report for tests, equal for equal parameters: a Swift service that read past the end of an array.
public struct SampleReport: Sendable {
    /// Makes id, addresses and times differ.
    public var seed: UInt64
    /// Threads, the crashed one included.
    public var threads: Int
    /// Frames of each thread.
    public var frames: Int
    /// Images; the first is the executable.
    public var images: Int
    /// True for functions, files, lines and origins on the frames.
    public var isSymbolicated: Bool
    /// `checkout@1.4.2`.
    public var release: String?
    /// The fatal message; nil for a trap that has none.
    public var message: String?
    /// When it crashed.
    public var time: Timestamp
    /// Function on top of the crashed stack.
    public var function: String

    /// A crash with a few threads and images; say what is to be different.
    public init(
        seed: UInt64 = 1,
        threads: Int = 3,
        frames: Int = 6,
        images: Int = 4,
        isSymbolicated: Bool = false,
        release: String? = "checkout@1.4.2",
        message: String? = "Fatal error: Index out of range",
        time: Timestamp = Timestamp(microseconds: 1_796_026_673_123_456),
        function: String = "Cart.total(of:)"
    ) {
        self.seed = seed
        self.threads = threads
        self.frames = frames
        self.images = images
        self.isSymbolicated = isSymbolicated
        self.release = release
        self.message = message
        self.time = time
        self.function = function
    }

    /// A UUIDv7 that follows from the time and the generator.
    public static func id(at time: Timestamp, _ random: inout some RandomNumberGenerator) -> String {
        let milliseconds = UInt64(time.microseconds / 1_000)
        let high = milliseconds << 16 | 0x7000 | random.next() & 0x0fff
        let low = 0x8000_0000_0000_0000 | random.next() & 0x3fff_ffff_ffff_ffff
        let digits = [high, low].map { value in
            let text = String(value, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
        var id = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { id += "-" }
            id.append(digit)
        }
        return id
    }

    /// The report.
    public func report() -> Report {
        var random = SeededGenerator(seed: seed)
        let loaded = (0..<images).map { image($0, &random) }
        var report = Report(header: header(&random))
        report.crash = Crash(
            signal: CrashSignal(number: 4, name: "SIGILL", code: 2, codeName: "ILL_ILLOPN"),
            faultAddress: (loaded.first?.base ?? 0) + 0x1a40,
            thread: 4711,
            message: message,
            messageSource: message == nil ? nil : "swift",
            registers: ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "rip"].map {
                Register(name: $0, value: random.next())
            }
        )
        report.threads = (0..<threads).map { thread($0, loaded, &random) }
        report.images = loaded
        report.end = CaptureEnd(
            stages: ["report", "crash", "thread", "threads", "images", "end"],
            durationMicroseconds: 1_840,
            unwinder: "libunwind"
        )
        return report
    }

    /// The report as a file.
    public func gzip() -> [UInt8] { report().encode() }

    private func header(_ random: inout SeededGenerator) -> ReportHeader {
        ReportHeader(
            id: Self.id(at: time, &random),
            kind: .crash,
            time: time.description,
            service: "checkout",
            release: release,
            environment: "production",
            process: ProcessFacts(
                pid: 4711,
                name: "CheckoutService",
                path: "/srv/checkout/CheckoutService",
                started: Timestamp(microseconds: time.microseconds - 3_723_000_000).description,
                uptimeMilliseconds: 3_723_000
            ),
            host: HostFacts(
                name: "web-3",
                os: "Debian GNU/Linux 13",
                kernel: "6.12.0",
                arch: "x86_64",
                cpus: 2,
                memory: 4 << 30
            ),
            sdk: SDKFacts(name: "mayday-swift", version: "0.1.0")
        )
    }

    private func image(_ index: Int, _ random: inout SeededGenerator) -> Image {
        let names = ["/usr/lib/swift/linux/libswiftCore.so", "/lib/x86_64-linux-gnu/libc.so.6"]
        let path =
            switch index {
            case 0: "/srv/checkout/CheckoutService"
            case 1...names.count: names[index - 1]
            default: "/usr/lib/x86_64-linux-gnu/lib\(index).so"
            }
        let buildID = (0..<20).map { _ in
            let text = String(UInt8.random(in: .min ... .max, using: &random), radix: 16)
            return text.count < 2 ? "0" + text : text
        }.joined()
        let base: UInt64 = index == 0 ? 0x55d0_c0de_0000 : 0x7f10_0000_0000 + UInt64(index) << 24
        return Image(path: path, base: base, size: 0x40_0000, buildID: buildID)
    }

    private func thread(_ index: Int, _ loaded: [Image], _ random: inout SeededGenerator) -> ThreadStack {
        ThreadStack(
            id: 4711 + index,
            name: index == 0 ? "CheckoutService" : "worker-\(index)",
            crashed: index == 0,
            state: index == 0 ? "R" : "S",
            frames: (0..<frames).map { frame($0, isCrashed: index == 0, loaded, &random) }
        )
    }

    /// Crashed threads: the runtime on top, then the service, then libc. Others: waiting in libc, called by the service.
    private func frame(
        _ index: Int,
        isCrashed: Bool,
        _ loaded: [Image],
        _ random: inout SeededGenerator
    ) -> Frame {
        let place: (image: Int, origin: FrameOrigin) =
            if isCrashed {
                index == 0 ? (1, .runtime) : index + 1 == frames ? (2, .system) : (0, .service)
            } else {
                index == 0 ? (2, .system) : (0, .service)
            }
        let offset = 0x1000 + UInt64(index) * 0x40 + random.next() % 0x40
        let image = place.image < loaded.count ? place.image : nil
        return Frame(
            address: (image.map { loaded[$0].base } ?? 0x7fff_0000_0000) + offset,
            image: image,
            offset: image == nil ? nil : offset,
            trust: index == 0 ? .context : .cfi,
            symbols: isSymbolicated ? symbols(index, place.origin, isCrashed: isCrashed) : [],
            origin: isSymbolicated ? place.origin : nil
        )
    }

    private func symbols(_ index: Int, _ origin: FrameOrigin, isCrashed: Bool) -> [FrameSymbol] {
        switch origin {
        case .runtime:
            return [FrameSymbol(function: "_assertionFailure(_:_:file:line:flags:)", mangled: "$ss17_assertionFailure")]
        case .system: return [FrameSymbol(function: isCrashed ? "__libc_start_main" : "epoll_wait")]
        case .service:
            let name = isCrashed && index == 1 ? function : "handler\(index)(_:)"
            let file = "/src/checkout/Sources/Checkout/Cart.swift"
            let own = FrameSymbol(
                function: name,
                mangled: "$s8Checkout\(index)",
                file: file,
                line: 40 + index,
                column: 9
            )
            guard isCrashed, index == 1 else { return [own] }
            let inlined = FrameSymbol(function: "Cart.item(at:)", file: file, line: 12, column: 16, inlined: true)
            return [inlined, own]
        }
    }
}
