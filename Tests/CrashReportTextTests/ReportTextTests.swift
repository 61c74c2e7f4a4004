import CrashReport
import TestSupport
import Testing

@testable import CrashReportText

@Suite("Report text")
struct ReportTextTests {
    @Test("A crash in a service, symbolicated")
    func showsCrash() throws {
        var report = SampleReport(threads: 5, isSymbolicated: true).report()
        report.threads[3].name = "worker-1"
        report.threads[4].name = nil
        #expect(try Golden.difference(report.text(), "crash.txt") == nil)
        #expect(try Golden.difference(report.text(ReportTextOptions(color: true)), "crash-color.txt") == nil)
    }

    @Test("Two accesses that exclude each other, in a task")
    func showsAccessConflict() throws {
        var report = SampleReport(isSymbolicated: true, message: "Fatal access conflict detected.").report()
        report.crash?.signal = CrashSignal(number: 6, name: "SIGABRT", code: -6, codeName: "SI_TKILL")
        report.crash?.faultAddress = nil
        report.threads[0].task = TaskFacts(id: 12, name: "checkout \u{1b}[31m")
        let frames = report.threads[0].frames
        report.threads[0].accessConflict = AccessConflict(
            address: 0x7f50_7800_0b80,
            previous: MemoryAccess(kind: "modification", frame: frames[3]),
            current: MemoryAccess(kind: "read", frame: frames[1])
        )
        #expect(try Golden.difference(report.text(), "access-conflict.txt") == nil)
        #expect(try Report.decode(gzip: report.encode()).report == report)
        report.threads[0].task?.name = nil
        report.threads[0].accessConflict?.previous.frame?.symbols = []
        report.threads[0].accessConflict?.current = MemoryAccess()
        #expect(try Golden.difference(report.text(), "access-conflict-least.txt") == nil)
        #expect(try Report.decode(gzip: report.encode()).report == report)
    }

    @Test("Everything there is")
    func showsFull() throws {
        let lines = SampleReport.full.text(ReportTextOptions(detail: .full))
        #expect(try Golden.difference(lines, "full.txt") == nil)
    }

    @Test("A crash without symbols")
    func showsUnsymbolicated() throws {
        var report = SampleReport(images: 3, message: nil).report()
        report.header.release = nil
        report.header.host = nil
        report.images[1].buildID = nil
        report.threads[0].frames[4].image = nil
        report.crash?.faultAddress = 0
        report.crash?.signal = CrashSignal(number: 11, name: "SIGSEGV", code: 1, codeName: "SEGV_MAPERR")
        report.end?.unwinder = "frame-pointer"
        #expect(try Golden.difference(report.text(), "unsymbolicated.txt") == nil)
    }

    @Test("A stack overflow, folded, with a gap and its end missing")
    func showsDeepStack() throws {
        var report = SampleReport(threads: 1, isSymbolicated: true, message: nil).report()
        let service = report.threads[0].frames[1]
        let other = report.threads[0].frames[2]
        let recursion = (0..<40).flatMap { _ in [service, other] }
        report.threads[0].frames.insert(contentsOf: recursion, at: 3)
        report.threads[0].omitted = OmittedFrames(index: 53, count: 104_000)
        report.threads[0].truncated = "limit"
        #expect(try Golden.difference(report.text(), "deep-stack.txt") == nil)
    }

    @Test("An async stack with long names, context and breadcrumbs")
    func showsAsyncStack() throws {
        var report = SampleReport.full
        report.threads = [report.threads[0]]
        report.threads[0].omitted = nil
        let long = (0..<12).map { "Pipeline.Stage\($0)" }.joined(separator: "<")
        report.threads[0].frames[2].symbols[0].function = long
        for index in 2...4 { report.threads[0].frames[index].trust = .await }
        report.breadcrumbs = (0..<14).map { Breadcrumb(time: report.header.time, message: "step \($0)", level: "info") }
        report.crash?.message = (0..<20).map { "line \($0) of the message" }.joined(separator: "\n")
        #expect(try Golden.difference(report.text(), "async.txt") == nil)
    }

    @Test("An optimised stack: inlined library code and thunks are not the service's own")
    func showsOptimisedStack() throws {
        var report = SampleReport(threads: 1, isSymbolicated: true, message: nil).report()
        func symbol(_ function: String, _ line: Int?, inlined: Bool = false) -> FrameSymbol {
            FrameSymbol(function: function, file: line.map { _ in "/src/Cart.swift" }, line: line, inlined: inlined)
        }
        var frame = report.threads[0].frames[1]
        frame.origin = .service
        frame.symbols = [
            symbol("specialized Array.subscript.getter", nil, inlined: true),
            symbol("closure #1 in Cart.total(of:)", 12, inlined: true),
            symbol("Cart.total(of:)", 11),
        ]
        var thunk = frame
        thunk.address += 16
        thunk.symbols = [symbol("partial apply for closure #1 in Cart.total(of:)", nil)]
        var withoutLines = frame
        withoutLines.address += 32
        withoutLines.symbols = [symbol("Cart.checkout()", nil)]
        report.threads[0].frames = [frame, thunk, withoutLines]
        #expect(try Golden.difference(report.text(), "optimised.txt") == nil)
    }

    @Test("A recursion folded up to the gap on both sides: the gap is told")
    func showsGapBetweenFolds() throws {
        var report = SampleReport(threads: 1, isSymbolicated: true, message: nil).report()
        let frame = report.threads[0].frames[1]
        report.threads[0].frames = Array(repeating: frame, count: 192)
        report.threads[0].omitted = OmittedFrames(index: 128, count: 261_795)
        let text = report.text().joined(separator: "\n")
        #expect(text.contains("261,795 frames left out of a deep stack"), "\(text)")
    }

    @Test("A handled error")
    func showsError() throws {
        var report = SampleReport.full
        report.header.kind = .error
        report.header.occurrences = 1_499
        report.crash = nil
        report.threads = [report.threads[1]]
        report.threads[0].frames = []
        report.threads[0].truncated = nil
        report.threads[0].omitted = nil
        report.context = nil
        report.breadcrumbs = []
        #expect(try Golden.difference(report.text(), "error.txt") == nil)
    }

    @Test("The sentence first, source lines where there are some, threads with equal stacks once, the rest folded")
    func showsReading() throws {
        var report = SampleReport(threads: 6, isSymbolicated: true, message: "Fatal error: Index out of range").report()
        for index in [2, 3, 4] {
            report.threads[index].frames = report.threads[1].frames
            report.threads[index].name = index == 4 ? "other" : "worker-1"
        }
        let libraries = report.threads[0].frames.last.map { Array(repeating: $0, count: 3) } ?? []
        report.threads[0].frames += libraries
        for index in 4...5 { report.threads[0].frames[index].trust = .await }
        report.breadcrumbs = [
            Breadcrumb(time: "2026-11-30T08:15:00.000000Z", message: "cart loaded", category: "cart", level: "info"),
            Breadcrumb(time: "2026-11-30T08:17:51.919456Z", message: "paid", data: ["cents": .integer(5)]),
            Breadcrumb(time: "2026-11-30T08:17:53.124456Z", message: "told after it began"),
            Breadcrumb(time: "yesterday", message: "of another clock"),
        ]
        let sources: SourceExcerpt.Lookup = { file, line, context in
            guard file.hasSuffix("/Cart.swift"), line < 43 else { return nil }
            let lines = (line - context...line + context).map { "\t    line \($0) \u{1b}[2J of Cart.swift" }
            return SourceExcerpt(first: line - context, lines: lines, remark: line == 42 ? "it changed" : nil)
        }
        for detail in [ReportTextOptions.Detail.summary, .full, .raw] {
            let sentence =
                "An index was out of range in Cart.item(at:) (Cart.swift:12), and this goes on to the next line."
            let lines = report.text(ReportTextOptions(detail: detail), explanation: sentence, sources: sources)
            #expect(try Golden.difference(lines, "reading-\(detail).txt") == nil)
            #expect(!lines.contains { $0.contains("\u{1b}") })
        }
        let sentence = "An index was out of range."
        let color = report.text(ReportTextOptions(color: true), explanation: sentence, sources: sources)
        #expect(try Golden.difference(color, "reading-color.txt") == nil)
        let thread = report.text(ReportTextOptions(thread: report.threads[5].id), explanation: sentence)
        #expect(try Golden.difference(thread, "reading-thread.txt") == nil)
    }

    @Test("A report that was cut after its first line")
    func showsCut() throws {
        let report = Report(header: SampleReport().report().header)
        #expect(try Golden.difference(report.text(warnings: ["The file was cut short."]), "cut.txt") == nil)
    }

    @Test("Text from the report reaches the terminal as text only")
    func showsHostile() throws {
        let hostile = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}evil\u{2028}\u{9b}31m\r"
        var report = SampleReport.full
        report.crash?.message = "Fatal error: \(hostile)\nsecond \(hostile)"
        report.crash?.signal.name = hostile
        report.header.service = hostile
        report.header.release = hostile
        report.header.environment = hostile
        report.header.host?.name = hostile
        report.header.process.name = hostile
        report.threads[0].name = hostile
        report.threads[0].truncated = hostile
        report.threads[1].name = hostile
        report.threads[0].frames[1].symbols[0].function = hostile
        report.threads[0].frames[1].symbols[0].file = "/src/\(hostile)"
        report.threads[0].frames[2].symbols = []
        report.images[0].path = "/bin/\(hostile)"
        report.context?.tags = [hostile: hostile]
        report.breadcrumbs[0].message = hostile
        report.end?.cut = [CutStage(stage: hostile, reason: hostile)]
        for isFull in [false, true] {
            let lines = report.text(ReportTextOptions(detail: isFull ? .full : .summary), warnings: [hostile])
            for line in lines {
                let isSafe = line.unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && !$0.properties.isBidiControl && !(0x7f...0x9f ~= $0.value)
                }
                #expect(isSafe && !line.contains("\u{2028}"), "\(line.debugDescription)")
            }
            if !isFull { #expect(try Golden.difference(lines, "hostile.txt") == nil) }
        }
    }

    @Test("Numbers of a report may be any")
    func showsExtremes() throws {
        for (index, count) in [(0, Int.max), (2, .max), (2, .max - 1), (.max, .max), (6, .max)] {
            var report = SampleReport().report()
            report.threads[0].omitted = OmittedFrames(index: index, count: count)
            report.header.process.uptimeMilliseconds = .max
            report.header.host?.memory = .max
            report.crash?.sender = SignalSender(pid: .min, uid: .min)
            report.crash?.faultAddress = .max
            report.images[0].base = .max
            report.images[0].size = .max
            report.threads[0].frames[0].offset = .max
            report.threads[0].frames[1].image = .max
            for isFull in [false, true] {
                let lines = report.text(ReportTextOptions(width: .max, detail: isFull ? .full : .summary))
                if index <= 6 {
                    #expect(lines.contains { $0.contains("\(grouped(count)) frames left out") })
                }
            }
        }
    }

    @Test("Lines keep to the width, whatever it is", arguments: [50, 80, 120])
    func keepsWidth(width: Int) {
        var report = SampleReport(threads: 30, isSymbolicated: true).report()
        report.threads[0].frames[1].symbols[0].function = String(repeating: "f", count: 300)
        for line in report.text(ReportTextOptions(width: width)) { #expect(line.count <= width, "\(line)") }
    }

    @Test(
        "text is as wide as a terminal shows it",
        arguments: [
            ("", 0), ("plain", 5), ("é", 1), ("e\u{301}", 1), ("支払い", 6), ("ｶﾅ", 2), ("한", 2), ("💳", 2), ("🇩🇪", 2),
            ("👩🏽‍🚀", 2),
            ("❤", 1), ("❤️", 2), ("│→…", 3), ("𠮷", 2),
        ]
    )
    func columns(_ text: String, _ columns: Int) {
        #expect(text.columns == columns)
        #expect(StyledLine(text).width == columns)
    }

    @Test("text is cut and wrapped by columns, never within a character")
    func wideTextIsCut() {
        #expect("支払いが".shortened(to: 8) == "支払いが")
        #expect("支払いが".shortened(to: 7) == "支払い…")
        #expect("支払いが".shortened(to: 6) == "支払…")
        #expect("支払 いが".wrapped(to: 6) == ["支払", "いが"])
    }
}
