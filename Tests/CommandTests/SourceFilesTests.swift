import CrashReport
import CrashReportText
import Foundation
import TestSupport
import Testing

@testable import Query

@Suite("Source lines beside a stack")
struct SourceFilesTests {
    private let directory: TemporaryDirectory
    private let file: String

    init() throws {
        directory = try TemporaryDirectory()
        file = "\(directory.path)/src/Cart.swift"
        try FileManager.default.createDirectory(atPath: "\(directory.path)/src", withIntermediateDirectories: true)
        try Data("one\ntwo\r\nthree\nfour\n\u{1b}[2Jfive".utf8).write(to: URL(fileURLWithPath: file))
    }

    private func report(time: String = "2099-01-01T00:00:00Z") -> Report {
        var report = SampleReport().report()
        report.header.time = time
        return report
    }

    @Test("lines around one, as far as the file goes")
    func lines() {
        let sources = SourceFiles(of: report())
        #expect(
            sources.excerpt(file: file, line: 2, context: 1) == SourceExcerpt(first: 1, lines: ["one", "two", "three"])
        )
        #expect(sources.excerpt(file: file, line: 1, context: 2)?.lines == ["one", "two", "three"])
        #expect(sources.excerpt(file: file, line: 5, context: 0)?.lines == ["\u{1b}[2Jfive"])
        for line in [0, -1, 6, .max, .min] { #expect(sources.excerpt(file: file, line: line, context: 2) == nil) }
        #expect(sources.excerpt(file: file, line: 3, context: .max)?.lines.count == 5)
    }

    @Test("a file that is newer than the crash is said to be")
    func changed() {
        let sources = SourceFiles(of: report(time: "2001-01-01T00:00:00Z"))
        #expect(sources.excerpt(file: file, line: 1, context: 0)?.remark?.contains("changed after the build") == true)
        #expect(SourceFiles(of: report()).excerpt(file: file, line: 1, context: 0)?.remark == nil)
    }

    @Test("a file that is newer than the binary is said to be, and a binary that is newer than the crash is not asked")
    func changedSinceTheBuild() throws {
        let binary = "\(directory.path)/service"
        try Data().write(to: URL(fileURLWithPath: binary))
        var report = report()
        report.header.process.path = binary
        func modify(_ path: String, _ seconds: Double) throws {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: seconds)],
                ofItemAtPath: path
            )
        }
        func remark() -> String? { SourceFiles(of: report).excerpt(file: file, line: 1, context: 0)?.remark }
        try modify(file, 1_000)
        try modify(binary, 2_000)
        #expect(remark() == nil)
        try modify(file, 3_000)
        #expect(remark() != nil)
        try modify(binary, 5_000_000_000)
        #expect(remark() == nil)
    }

    @Test("sources elsewhere are found by the end of their path")
    func root() throws {
        let root = "\(directory.path)/src"
        let sources = SourceFiles(of: report(), root: root)
        #expect(sources.excerpt(file: "/build/checkout/Cart.swift", line: 1, context: 0)?.lines == ["one"])
        #expect(sources.excerpt(file: "/build/checkout/Other.swift", line: 1, context: 0) == nil)
        #expect(sources.excerpt(file: "/build/../src/Cart.swift", line: 1, context: 0) == nil)
    }

    @Test(
        "what is no source is not opened",
        arguments: ["/etc/passwd", "/proc/self/environ", "relative.swift", "/", ""]
    )
    func refused(path: String) {
        #expect(SourceFiles(of: report(), root: directory.path).excerpt(file: path, line: 1, context: 0) == nil)
    }

    @Test("a pipe and a directory that are named like sources take nobody's time")
    func notFiles() throws {
        let pipe = "\(directory.path)/pipe.swift"
        #expect(mkfifo(pipe, 0o600) == 0)
        try FileManager.default.createDirectory(
            atPath: "\(directory.path)/folder.swift",
            withIntermediateDirectories: true
        )
        for path in [pipe, "\(directory.path)/folder.swift"] {
            #expect(SourceFiles(of: report()).excerpt(file: path, line: 1, context: 0) == nil)
        }
    }
}
