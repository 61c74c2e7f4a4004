import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Symbolication

/// Answers that are kept for the next process.
@Suite struct AnswerFileTests {
    private let directory: TemporaryDirectory
    private let file: SymbolFile
    /// A copy, which a test may damage or take away.
    private let program: String
    private var answers: String { "\(directory.path)/symbols/answers" }
    private var path: String { "\(answers)/\(file.buildID)" }

    init() async throws {
        directory = try TemporaryDirectory()
        file = try SymbolFile(try await Fixture.shared.path(.optimized))
        program = "\(directory.path)/program"
        try FileManager.default.copyItem(atPath: file.path, toPath: program)
    }

    private func report(_ part: Int = 0, of parts: Int = 1) throws -> Report {
        let names = file.names { $0.hasPrefix("$s7Fixture") }
        let addresses = try names.flatMap { name in
            let range = try file.function(name)
            return stride(from: range.lowerBound, to: range.upperBound, by: 7)
        }
        var report = file.report(
            addresses.enumerated().filter { $0.offset % parts == part }.map { ($0.element, .context) }
        )
        report.images[0].path = program
        report.header.process.path = program
        return report
    }

    private func symbolicator() -> Symbolicator { Symbolicator(debugDirectories: [], answers: answers) }

    private func symbols(_ result: SymbolicatedReport) -> [[FrameSymbol]] {
        result.report.threads[0].frames.map(\.symbols)
    }

    private func expected(_ report: Report) -> SymbolicatedReport {
        var report = report
        report.images[0].path = file.path
        report.header.process.path = file.path
        return Symbolicator(debugDirectories: []).symbolicate(report)
    }

    @Test func secondLookNeedsNoDebugFile() throws {
        let report = try report()
        let first = symbolicator().symbolicate(report)
        #expect(symbols(first) == symbols(expected(report)) && first.notes.isEmpty)
        #expect(symbols(first).contains { $0.count > 2 && $0[0].line != nil })
        try FileManager.default.removeItem(atPath: program)
        #expect(symbolicator().symbolicate(report) == first)
        // An address that nobody asked for is not known, and why is said.
        var other = report
        other.threads[0].frames[0].offset? += 1
        let second = symbolicator().symbolicate(other)
        #expect(second.notes.map(\.reason) == [.notFound("no such file or directory")])
        #expect(symbols(second).dropFirst() == symbols(first).dropFirst())
    }

    @Test func answersOfAnotherProgramAreNotUsed() throws {
        let answer = DebugModule.Answer(symbols: [FrameSymbol(function: "wrong()")], origin: .service)
        try FileManager.default.createDirectory(atPath: "\(directory.path)/symbols", withIntermediateDirectories: true)
        let report = try report()
        let key = try #require(report.threads[0].frames[0].offset)
        AnswerFile(path: path, writer: "another").replace([(key, answer)], source: .debugInformation)
        #expect(symbols(symbolicator().symbolicate(report)) == symbols(expected(report)))
        // And its file is replaced.
        #expect(AnswerFile(path: path, writer: "another").read() == nil)
        // It may come back meanwhile: nothing is added to a file of its own.
        let own = AnswerFile(path: path, writer: "own")
        own.replace([(key, answer)], source: .debugInformation)
        AnswerFile(path: path, writer: "another").replace([(key, answer)], source: .debugInformation)
        #expect(!own.append([(key, answer)], source: .debugInformation))
    }

    @Test func betterSymbolsTakeThePlaceOfAnswers() throws {
        let objcopy = try #require(Tool.ofToolchain("llvm-objcopy"))
        try objcopy.run(["--strip-debug", file.path, program])
        let report = try report()
        let poor = symbolicator().symbolicate(report)
        #expect(poor.notes.map(\.reason) == [.noDebugInformation])
        #expect(symbols(poor).allSatisfy { $0.allSatisfy { $0.line == nil } })
        // The next process has the same to say, from the answers.
        #expect(symbolicator().symbolicate(report) == poor)
        let running = symbolicator()
        #expect(running.symbolicate(report) == poor)
        try FileManager.default.removeItem(atPath: program)
        try FileManager.default.copyItem(atPath: file.path, toPath: program)
        let whole = expected(report)
        // The one that has the lesser answers in memory, one that reads them, and one that reads what these wrote.
        for symbolicator in [running, symbolicator(), symbolicator()] {
            let result = symbolicator.symbolicate(report)
            #expect(symbols(result) == symbols(whole) && result.notes.isEmpty)
        }
        // Lesser files do not undo that.
        try objcopy.run(["--strip-all", file.path, program])
        let stripped = symbolicator().symbolicate(report)
        #expect(symbols(stripped) == symbols(whole) && stripped.notes.isEmpty)
    }

    @Test func cutAndChangedFilesNeverMislead() throws {
        let parts = try (0..<5).map { try report($0, of: 5) }
        let first = symbolicator()
        for part in parts { _ = first.symbolicate(part) }
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let expected = parts.map { symbols(self.expected($0)) }
        var damaged = 0
        for seed in 0..<60 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var data = whole
            if seed % 2 == 0 {
                data = data.prefix(Int(random.next() % UInt64(whole.count)))
            } else {
                data[Int(random.next() % UInt64(whole.count))] ^= UInt8(1 + random.next() % 255)
            }
            try data.write(to: URL(fileURLWithPath: path))
            let file = AnswerFile(path: path, writer: try #require(try ELFFile(path: "/proc/self/exe").buildID))
            if file.read()?.isWhole != true { damaged += 1 }
            let later = symbolicator()
            for (part, symbols) in zip(parts, expected) {
                #expect(self.symbols(later.symbolicate(part)) == symbols, "seed \(seed)")
            }
            #expect(file.read()?.isWhole == true, "seed \(seed): what was damaged is written anew")
        }
        #expect(damaged > 50)
    }

    @Test func severalMayWriteAtOnce() async throws {
        let parts = try (0..<40).map { try report($0, of: 40) }
        let (answers, program) = (answers, program)
        _ = symbolicator().symbolicate(parts[0])
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    let symbolicator = Symbolicator(debugDirectories: [], answers: answers)
                    for index in parts.indices { _ = symbolicator.symbolicate(parts[(index * 7 + worker * 10) % 40]) }
                }
            }
        }
        try FileManager.default.removeItem(atPath: program)
        let later = symbolicator()
        for part in parts {
            let result = later.symbolicate(part)
            #expect(symbols(result) == symbols(expected(part)) && result.notes.isEmpty)
        }
    }

    @Test func filesAreBounded() throws {
        try FileManager.default.createDirectory(atPath: "\(directory.path)/symbols", withIntermediateDirectories: true)
        let file = AnswerFile(path: path, writer: "own")
        let long = FrameSymbol(function: String(repeating: "f", count: 15 << 20))
        let answer = DebugModule.Answer(symbols: [long], origin: nil)
        file.replace([(1, answer)], source: .names)
        #expect(file.read()?.answers[1]?.symbols == [long])
        #expect(!file.append([(key: UInt64(2), answer: answer)], source: .names), "there is no room for so much")
        #expect(file.append([(key: UInt64(2), answer: DebugModule.Answer(symbols: [], origin: nil))], source: .names))
        #expect(file.read()?.answers.count == 2 && file.read()?.isWhole == true)
    }

    @Test func nothingIsMadeWhereNoStoreIs() throws {
        let answers = "\(directory.path)/no-data/symbols/answers"
        let result = Symbolicator(debugDirectories: [], answers: answers).symbolicate(try report())
        #expect(result.notes.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: "\(directory.path)/no-data"))
    }
}
