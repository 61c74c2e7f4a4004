internal import BackendSupport
internal import CrashReport

/// A stack as Sentry has it: the outermost function first, each inlined function a frame of its own.
struct SentryStack {
    private let thread: ThreadStack
    private let report: Report

    init(_ thread: ThreadStack, in report: Report) {
        self.thread = thread
        self.report = report
    }

    /// Writes the member `stacktrace`.
    func write(registers: [Register] = [], to json: inout JSONWriter) {
        json.key("stacktrace")
        json.object { json in
            json.key("frames")
            json.array { json in
                for frame in thread.frames.reversed() {
                    for symbol in frame.symbols.reversed() { json.object { write(frame, symbol, to: &$0) } }
                    if frame.symbols.isEmpty { json.object { write(frame, nil, to: &$0) } }
                }
            }
            guard !registers.isEmpty else { return }
            json.key("registers")
            json.object { json in
                for register in registers {
                    json.key(register.name)
                    json.hex(register.value)
                }
            }
        }
    }

    private func write(_ frame: Frame, _ symbol: FrameSymbol?, to json: inout JSONWriter) {
        json.member("function", symbol?.function.cut(to: 500))
        json.member("raw_function", symbol?.mangled?.cut(to: 500))
        json.member("filename", symbol?.file.map { String($0.fileName) })
        json.member("abs_path", symbol?.file)
        if let line = symbol?.line {
            json.key("lineno")
            json.integer(line)
        }
        if let column = symbol?.column {
            json.key("colno")
            json.integer(column)
        }
        json.key("instruction_addr")
        json.hex(frame.address)
        if let image = report.image(of: frame) {
            json.member("package", image.path)
            json.key("image_addr")
            json.hex(image.base)
        }
        json.member("in_app", (frame.origin ?? .service) == .service)
        json.member("trust", trust(of: frame))
    }

    /// In the protocol's words, where it has one.
    private func trust(of frame: Frame) -> String? {
        switch frame.trust {
        case .context, .cfi, .fp: frame.trust.rawValue
        case .await: nil
        }
    }
}
