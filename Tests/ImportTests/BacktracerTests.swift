import CrashReport
import Testing
import TestSupport

@testable import Import

@Suite("What Swift's backtracer writes")
struct BacktracerTests {
    private let sample = BacktracerSample.fatalError

    private func found(_ text: String, pieces: Int = .max) -> [BacktracerScanner.Finding] {
        var scanner = BacktracerScanner()
        var found: [BacktracerScanner.Finding] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            found += scanner.feed(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
        }
        return found + scanner.finish()
    }

    private func report(_ text: String, before: String = "", naming: ReportNaming = ReportNaming()) throws -> Report {
        try Report(backtracer: Array(text.utf8), before: Array(before.utf8), naming: naming)
    }

    private func problem(_ text: String) -> String {
        do {
            _ = try report(text)
            return "none"
        } catch {
            return "\(error)"
        }
    }

    // MARK: Found

    @Test("alone, twice, among lines, without spaces, and in pieces of any size", arguments: [1, 7, 256, 4096, .max])
    func scanned(pieces: Int) throws {
        let line = sample.dropLast()
        let dense = line.replacing(" ", with: "")
        let text =
            "GET / {\"a\": 1}\n10:00 checkout | \(line)\n{ \"timestamp\": \"x\", \"kind\": \"other\" }\n\(dense)\(line)"
        let texts = try found(text, pieces: pieces).map { finding in
            guard case .whole(let bytes, _) = finding else { throw BacktracerLogError(problem: "\(finding)") }
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(texts == [String(line), String(dense), String(line)])
    }

    @Test("one that is cut is said, and the next one is found")
    func cut() throws {
        let half = String(sample.prefix(sample.count / 2))
        #expect(found(half) == [.cut("the text ends before it does")])
        let texts = found("\(half)\n\(sample)", pieces: 100)
        #expect(texts.count == 2)
        let problem: [BacktracerScanner.Finding] = [
            .cut("another one begins before it ends"), .cut("a line ends within a text of it"),
        ]
        #expect(problem.contains(texts[0]))
        guard case .whole(let bytes, _) = texts[1] else { throw BacktracerLogError(problem: "\(texts[1])") }
        #expect(bytes == Array(sample.dropLast().utf8))
        let inText = sample.prefix(upTo: try #require(sample.firstRange(of: "gal instr")).lowerBound)
        #expect(found("\(inText)\n\(sample)").first == .cut("a line ends within a text of it"))
    }

    // MARK: Read

    @Test("threads, frames, images, registers, time and host")
    func converted() throws {
        let report = try report(sample)
        #expect(report.header.time == "2026-11-30T21:15:51.055357Z")
        #expect(ReportID.isValid(report.header.id))
        #expect(ReportID.time(of: report.header.id)?.description == "2026-11-30T21:15:51.055000Z")
        #expect(report.header.service == "checkout")
        #expect(report.header.process.path == "/srv/bin/checkout")
        #expect(report.header.host == HostFacts(os: "Debian GNU/Linux 12 (bookworm)", arch: "x86_64"))
        let crash = try #require(report.crash)
        #expect(crash.signal == CrashSignal(number: 4, name: "SIGILL", code: 0))
        #expect(crash.faultAddress == 0x7f34_b176_df7f)
        #expect(crash.thread == 2)
        #expect(crash.message == nil)
        #expect(crash.registers.map(\.name) == ["rax", "rsp", "rip"])
        #expect(report.threads.map(\.id) == [2, 1])
        #expect(report.threads.map(\.name) == ["oot.default-qos", "checkout"])
        #expect(report.threads[1].frames.map { $0.symbols.map(\.function) } == [["clock_nanosleep"]])
        let frames = report.threads[0].frames
        #expect(frames.map(\.trust) == [.context, .fp, .await])
        #expect(frames.map(\.image) == [2, 0, 0])
        #expect(frames.map(\.offset) == [0x16df7f, 0x31a0, 0x2193])
        #expect(
            frames[1].symbols == [
                FrameSymbol(
                    function: "price(_:)",
                    mangled: "$s8checkout5priceyS2iF",
                    file: "/srv/src/Cart.swift",
                    line: 3,
                    column: 60,
                    inlined: true
                ),
                FrameSymbol(
                    function: "total(_:)",
                    mangled: "$s8checkout5totalyS2iYaFTY1_",
                    file: "/srv/src/Cart.swift",
                    line: 9
                ),
            ]
        )
        #expect(report.images[0].buildID == "b8d2f2b6e756dd47224e5c3d271ff5d05f6724c9")
        #expect(report.images[0].size == 0x3db0)
        #expect(report.end?.durationMicroseconds == 11_174)
        // What was in memory is nobody's business.
        #expect(!String(decoding: report.jsonLines, as: UTF8.self).contains("00000000000000000000000000000000"))
        #expect(try Report.decode(gzip: report.encode()).report == report)
    }

    @Test("the id is that of the text, whatever it is named and however it is spaced")
    func ids() throws {
        let id = try report(sample).header.id
        let other = try report(
            sample.replacing(", \"", with: ",\n  \""),
            before: BacktracerSample.before,
            naming: ReportNaming(release: "till@1.4.2")
        )
        #expect(other.header.id == id)
        #expect(other.header.service == "till")
        #expect(other.header.release == "till@1.4.2")
        #expect(try report(sample.replacing("055357", with: "055358")).header.id != id)
    }

    @Test("the message and the signal's number are those of the lines before, when these are of this crash")
    func messages() throws {
        let before = BacktracerSample.before
        let crash = try #require(try report(sample, before: before).crash)
        #expect(crash.message == "Checkout/Cart.swift:3: Fatal error: no price for tea")
        #expect(crash.messageSource == "swift")
        let prefixed = before.split(separator: "\n", omittingEmptySubsequences: false).map { "10:00 pod-1 | \($0)" }
        #expect(
            try report(sample, before: prefixed.joined(separator: "\n")).crash?.message
                == "Checkout/Cart.swift:3: Fatal error: no price for tea"
        )
        let long = before.replacing("for tea", with: "for tea,\nnor for coffee")
        #expect(try report(sample, before: long).crash?.message?.hasSuffix("no price for tea,\nnor for coffee") == true)
        let otherPlace = before.replacing("0x7f34b176df7f", with: "0x7f34b176df7e")
        #expect(try report(sample, before: otherPlace).crash?.message == nil)
        let otherLine = before.replacing("\n\n***", with: "\nGET / 200\n\n***").replacing(
            "Checkout",
            with: "9 | Checkout"
        )
        let mixed = otherLine.replacing("***", with: "9 | ***", maxReplacements: 1)
        #expect(try report(sample, before: mixed).crash?.message == nil)
        #expect(
            try report(sample, before: before.replacing("Signal 4", with: "Signal 5")).crash?.signal.name == "SIGTRAP"
        )
    }

    @Test(
        "signals by what they are described as",
        arguments: [
            ("Bad pointer dereference", "x86_64", "SIGSEGV"), ("Aborted", "x86_64", "SIGABRT"),
            ("Swift runtime failure: Index out of range", "x86_64", "SIGILL"),
            ("Swift runtime failure: Index out of range", "arm64", "SIGTRAP"),
            ("Signal 99", "x86_64", "Signal 99"),
        ]
    )
    func signals(description: String, architecture: String, name: String) throws {
        let text = sample.replacing("Illegal instruction", with: description).replacing("x86_64", with: architecture)
        #expect(try report(text).crash?.signal.name == name)
    }

    @Test("a signal that was sent has a sender in the place of an address; the process's own makes its id known")
    func sent() throws {
        let text = sample.replacing("Illegal instruction", with: "Aborted")
            .replacing("\"faultAddress\": \"0x00007f34b176df7f\"", with: "\"faultAddress\": \"0x000003e800000007\"")
        let outside = try report(text)
        #expect(outside.crash?.sender == SignalSender(pid: 7, uid: 1_000))
        #expect(outside.crash?.faultAddress == nil)
        #expect(outside.header.process.pid == 0)
        let mangled = "$ss17_assertionFailure__4file4line5flagss5NeverOs12StaticStringV_A2HSus6UInt32VtF"
        let own = try report(text.replacing(mangled, with: "__pthread_kill_implementation"))
        #expect(own.crash?.sender == SignalSender(pid: 7, uid: 1_000))
        #expect(own.header.process.pid == 7)
    }

    @Test("frames left out: by the backtracer, by us where a stack has too many or too long names, by both")
    func leftOut() throws {
        let few = try report(BacktracerSample.deep(100)).threads[0]
        #expect(few.frames.count == 103)
        #expect(few.omitted == nil)
        let many = try report(BacktracerSample.deep(5_000)).threads[0]
        #expect(many.frames.count == 512)
        #expect(many.omitted == OmittedFrames(index: 448, count: 5_003 - 512))
        let long = try report(BacktracerSample.deep(400, name: "$s" + String(repeating: "x", count: 6_000)))
        #expect(long.threads[0].frames.count < 200)
        #expect(try Report.decode(gzip: long.encode()).report == long)
        let gap = #"{ "kind": "omittedFrames", "count": 1000 }, "#
        let place = #"{ "kind": "asyncResumePoint""#
        let both = try report(BacktracerSample.deep(600).replacing(place, with: gap + place)).threads[0]
        #expect(both.frames.count == 448 + 1)
        #expect(both.omitted == OmittedFrames(index: 448, count: 1_000 + 603 - 449))
    }

    // MARK: Refused

    @Test(
        "what it does not write is refused, with the field named",
        arguments: [
            (#""timestamp": "2026-11-30T21"#, #""timestamp": "30 Nov"#, "timestamp: expected a time in RFC 3339"),
            ("2026-11-30T21", "1026-11-30T21", "timestamp: expected a time from 1970 on"),
            (#""crashReport""#, #""hangReport""#, #"kind: expected "crashReport""#),
            (#""architecture": "x86_64", "#, "", "architecture: missing"),
            (#""crashed": true, "#, "", "threads: expected one thread that crashed"),
            (
                #""0x000055f1fc2e31a0", "inlined""#, #"94500000000, "inlined""#,
                "threads[1].frames[1].address: expected a hex"
            ),
            (#""kind": "truncated""#, #""kind": "sideways""#, "threads[0].frames[1].kind: expected one of"),
            (
                #""line": 3,"#, #""line": -3,"#,
                "threads[1].frames[1].sourceLocation.line: expected an integer of 0 or more"
            ),
            (#""rax": "0x"#, #""rax": "0y"#, "threads[1].registers.rax: expected a hex string"),
            (#""buildId": "b8"#, #""buildId": "zz"#, "images[0].buildId: expected a build id"),
            (
                #""endOfText": "0x000055f1fc2e3db0""#, #""endOfText": "0x1""#,
                "images[0].endOfText: expected an address behind"
            ),
            (#""backtraceTime": 0"#, #""backtraceTime": -0"#, "backtraceTime: expected a number of 0 or more"),
            (#""omittedImages": 11"#, #""platform": "macOS""#, "the key \"platform\" is there twice"),
        ]
    )
    func refused(part: String, other: String, problem expected: String) {
        let text = problem(sample.replacing(part, with: other, maxReplacements: 1))
        #expect(text.contains("not what Swift's backtracer writes: ") && text.contains(expected), "\(text)")
        #expect(text.hasSuffix("give it as `SWIFT_BACKTRACE=format=json` wrote it, whole"))
    }

    @Test("nesting, frames and counts are bounded")
    func bounded() throws {
        let nested = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(
            problem(sample.replacing("\"omittedImages\": 11", with: "\"x\": \(nested)")).contains("nested too deep")
        )
        let deep = Array(BacktracerSample.deep(100).utf8)
        #expect(throws: BacktracerLogError.self) { try BacktracerLog(deep, maximumFrames: 100) }
        #expect(try BacktracerLog(deep, maximumFrames: 108).threads.count == 2)
        let gap = #"{ "kind": "omittedFrames", "count": 9223372036854775807 }, "#
        let place = #"{ "kind": "asyncResumePoint""#
        let endless = try report(sample.replacing(place, with: gap + gap + place))
        #expect(endless.threads[0].omitted?.count == .max)
        #expect(try Report.decode(gzip: endless.encode()).report == endless)
    }

    @Test("no damage ends the reader: what it takes is a report that can be read again", arguments: 1...8)
    func damaged(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var taken = 0
        for _ in 0..<400 {
            var bytes = Array((BacktracerSample.before + sample).utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let at = Int.random(in: bytes.indices, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[at] = UInt8.random(in: .min ... .max, using: &generator)
                case 1: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...40, using: &generator)))
                case 2: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + 60)], at: at)
                default: bytes[at] = Array("{}[]\",:\\0".utf8)[Int.random(in: 0..<9, using: &generator)]
                }
            }
            var scanner = BacktracerScanner()
            for finding in scanner.feed(bytes) + scanner.finish() {
                do {
                    let report = try finding.report()
                    taken += 1
                    #expect(try Report.decode(gzip: report.encode(level: 1)).report == report)
                } catch let error as BacktracerLogError {
                    #expect(!error.description.isEmpty && error.description.utf8.count < 2_000)
                }
            }
        }
        #expect(taken > 0)
    }
}
