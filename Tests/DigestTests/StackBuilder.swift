import CrashReport

@testable import Grouping

/// Crashes for tests, by their stacks.
struct Stack {
    var frames: [Frame] = []
    private static let paths = [
        "/srv/shop/Shop", "/usr/lib/x86_64-linux-gnu/libc.so.6", "/opt/swift/usr/lib/swift/linux/libswiftCore.so",
    ]

    /// Frames from functions as `function` or `function@File.swift:12`, with `libc ` or `swift ` in front when they are not the service's.
    init(_ functions: String...) { self.init(functions) }

    init(_ functions: [String], base: UInt64 = 0x5500_0000_0000) {
        for (index, text) in functions.enumerated() {
            var text = text[...]
            var image = 0
            for (number, word) in ["libc ", "swift "].enumerated() where text.hasPrefix(word) {
                text = text.dropFirst(word.count)
                image = number + 1
            }
            let origin: FrameOrigin = [.service, .system, .runtime][image]
            let parts = text.split(separator: "@", maxSplits: 1)
            let place = parts.count > 1 ? parts[1].split(separator: ":") : []
            let offset = UInt64(0x1000 + index * 0x40)
            let symbol = FrameSymbol(
                function: parts.first.map(String.init) ?? "",
                file: place.first.map { "/src/\($0)" },
                line: place.last.flatMap { Int($0) }
            )
            frames.append(
                Frame(
                    address: base + offset,
                    image: image,
                    offset: offset,
                    trust: index == 0 ? .context : .cfi,
                    symbols: symbol.function == "?" ? [] : [symbol],
                    origin: origin
                )
            )
        }
    }

    /// A report of a crash with this stack.
    func report(_ crash: Crash = .trap()) -> Report {
        var report = Report(
            header: ReportHeader(
                id: "01a22bb5-57c6-7356-a87f-2b2e6b40795b",
                kind: .crash,
                time: "2026-11-30T09:07:14.502997Z",
                process: ProcessFacts(pid: 4711, path: "/srv/shop/Shop"),
                sdk: SDKFacts(name: "mayday-swift", version: "0.1.0")
            )
        )
        report.crash = crash
        report.threads = frames.isEmpty ? [] : [ThreadStack(id: 4711, crashed: true, frames: frames)]
        report.images = Self.paths.enumerated().map { index, path in
            Image(path: path, base: 0x5500_0000_0000 + UInt64(index) << 32, size: 0x10_0000, buildID: nil)
        }
        return report
    }

    /// The fingerprint, as `Digester` makes it of a report that has its symbols.
    func fingerprint(_ crash: Crash = .trap()) -> Fingerprint {
        Fingerprint(of: report(crash))
    }
}

extension Crash {
    static func trap(_ message: String? = nil) -> Crash {
        signal(4, "SIGILL", code: 2, "ILL_ILLOPN", message: message)
    }

    static func signal(
        _ number: Int,
        _ name: String,
        code: Int = 1,
        _ codeName: String? = nil,
        address: UInt64? = nil,
        sender: SignalSender? = nil,
        message: String? = nil
    ) -> Crash {
        Crash(
            signal: CrashSignal(number: number, name: name, code: code, codeName: codeName),
            faultAddress: address,
            sender: sender,
            thread: 4711,
            message: message,
            messageSource: message == nil ? nil : "swift",
            registers: []
        )
    }
}

extension Headline {
    init(of report: Report) { self.init(of: report, calls: Call.calls(in: report, names: NameCache())) }
}

extension Fingerprint {
    init(of report: Report) {
        let calls = Call.calls(in: report, names: NameCache())
        self.init(of: report, kind: Headline(of: report, calls: calls).kind, calls: calls)
    }
}
