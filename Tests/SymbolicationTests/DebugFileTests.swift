import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Symbolication

/// Where debug information is looked for, and what is said when it is not there.
@Suite struct DebugFileTests {
    private static let function = "$s7Fixture9checksumsySays5Int32VGSayAA4ItemVGF"
    private static let name = FrameSymbol(function: "checksums(_:)", mangled: function)

    /// The fixture stripped, and its debug information beside it, in a directory of its own.
    private struct Split {
        let directory = Result { try TemporaryDirectory() }
        let whole: SymbolFile
        let stripped: String
        let debugFile: String
        let frames: [(UInt64, FrameTrust)]

        init() async throws {
            whole = try SymbolFile(try await Fixture.shared.path(.optimized))
            frames = try whole.function(DebugFileTests.function).map { ($0, .context) }
            let objcopy = try #require(Tool.ofToolchain("llvm-objcopy"))
            stripped = try directory.get().path + "/service"
            debugFile = try directory.get().path + "/service.debug"
            try objcopy.run(["--only-keep-debug", whole.path, debugFile])
            try objcopy.run(["--strip-all", whole.path, stripped])
        }

        /// The report, as if the stripped file had crashed.
        func report(_ path: String? = nil) -> Report {
            var report = whole.report(frames)
            report.images[0].path = path ?? stripped
            report.header.process.path = path ?? stripped
            return report
        }

        var expected: [[FrameSymbol]] {
            Symbolicator().symbolicate(whole.report(frames)).report.threads[0].frames.map(\.symbols)
        }
    }

    private func symbols(_ result: SymbolicatedReport) -> [[FrameSymbol]] {
        result.report.threads[0].frames.map(\.symbols)
    }

    @Test func strippedFileDoesNotStandInTheWayOfAWholeOne() async throws {
        let split = try await Split()
        let symbolicator = Symbolicator(debugDirectories: [])
        let poor = symbolicator.symbolicate(split.report())
        #expect(poor.notes.map(\.reason) == [.stripped])
        let whole = symbolicator.symbolicate(split.report(split.whole.path))
        #expect(whole.report.threads[0].frames.map(\.symbols) == split.expected)
        #expect(whole.notes.isEmpty)
        // And what was found once serves the stripped one as well.
        #expect(symbolicator.symbolicate(split.report()).notes.isEmpty)
    }

    @Test func strippedFileSaysWhatIsMissing() async throws {
        let split = try await Split()
        let result = Symbolicator(debugDirectories: []).symbolicate(split.report())
        #expect(symbols(result).allSatisfy { $0.isEmpty })
        #expect(result.notes.map(\.reason) == [.stripped])
        #expect(
            result.notes.map(\.description) == [
                "\(split.stripped): stripped; give its debug file, build id \(split.whole.buildID), to `mayday symbols add`"
            ]
        )
    }

    @Test func symbolTableAloneGivesFunctionsWithoutLines() async throws {
        let split = try await Split()
        let objcopy = try #require(Tool.ofToolchain("llvm-objcopy"))
        try objcopy.run(["--strip-debug", split.whole.path, split.stripped])
        let result = Symbolicator(debugDirectories: []).symbolicate(split.report())
        #expect(symbols(result).allSatisfy { $0 == [Self.name] })
        #expect(result.notes.map(\.reason) == [.noDebugInformation])
    }

    @Test func buildIDDirectory() async throws {
        let split = try await Split()
        let root = try split.directory.get().path + "/root"
        let id = split.whole.buildID
        try FileManager.default.createDirectory(
            atPath: "\(root)/.build-id/\(id.prefix(2))",
            withIntermediateDirectories: true
        )
        try FileManager.default.moveItem(
            atPath: split.debugFile,
            toPath: "\(root)/.build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug"
        )
        let symbolicator = { Symbolicator(debugDirectories: [root]) }
        #expect(symbols(symbolicator().symbolicate(split.report())) == split.expected)
        // The object itself is not needed.
        let gone = symbolicator().symbolicate(split.report("/nonexistent/service"))
        #expect(symbols(gone) == split.expected)
        #expect(gone.notes == [])
    }

    @Test(arguments: ["", ".debug/", "root/"])
    func debugLink(_ place: String) async throws {
        let split = try await Split()
        let directory = try split.directory.get().path
        let objcopy = try #require(Tool.ofToolchain("llvm-objcopy"))
        try objcopy.run(["--add-gnu-debuglink=\(split.debugFile)", split.stripped])
        // In a directory of debug files the object's own path is repeated.
        let target = "\(directory)/\(place)\(place == "root/" ? String(directory.dropFirst()) + "/" : "")"
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        if !place.isEmpty {
            try FileManager.default.moveItem(atPath: split.debugFile, toPath: target + "service.debug")
        }
        let result = Symbolicator(debugDirectories: ["\(directory)/root"]).symbolicate(split.report())
        #expect(symbols(result) == split.expected)
    }

    @Test(arguments: ["zlib", "relocated"])
    func otherFormsOfDebugFiles(_ form: String) async throws {
        let split = try await Split()
        let objcopy = try #require(Tool.ofToolchain("llvm-objcopy"))
        if form == "zlib" { try objcopy.run(["--compress-debug-sections=zlib", split.whole.path, split.stripped]) }
        if form == "relocated" {
            try FileManager.default.moveItem(atPath: split.debugFile, toPath: split.stripped + "2")
        }
        let result = Symbolicator(debugDirectories: []).symbolicate(
            split.report(form == "zlib" ? nil : split.stripped + "2")
        )
        #expect(symbols(result) == split.expected)
    }

    /// Debug information that is there and is not read is no damage: nobody has to build anything again.
    @Test func sharedDebugInformation() async throws {
        let split = try await Split()
        let directory = try split.directory.get().path
        let objcopy = try #require(Tool.ofToolchain("llvm-objcopy"))
        // What dwz leaves in a file: the path of another one, which must not be opened, and its build id.
        try Data("\(directory)/shared\0abcd".utf8).write(to: URL(fileURLWithPath: "\(directory)/link"))
        try objcopy.run([
            "--add-section=.gnu_debugaltlink=\(directory)/link", split.whole.path, split.stripped,
        ])
        let result = Symbolicator(debugDirectories: []).symbolicate(split.report())
        #expect(symbols(result).allSatisfy { $0 == [Self.name] })
        #expect(result.notes.map(\.reason) == [.shared])
        // A library of the system is as good without.
        var library = split.report()
        library.header.process.path = "/srv/other"
        library.images[0].path = "/usr/lib/nothing.so"
        let root = "\(directory)/root/.build-id/\(split.whole.buildID.prefix(2))"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try FileManager.default.moveItem(
            atPath: split.stripped,
            toPath: "\(root)/\(split.whole.buildID.dropFirst(2)).debug"
        )
        #expect(Symbolicator(debugDirectories: ["\(directory)/root"]).symbolicate(library).notes == [])
        // And one from before, in a symbol store, is better.
        let store = "\(directory)/store"
        let path = try #require(SymbolStorePath.file(of: split.whole.buildID))
        try FileManager.default.createDirectory(
            atPath: "\(store)/\(split.whole.buildID.prefix(2))",
            withIntermediateDirectories: true
        )
        try FileManager.default.copyItem(atPath: split.debugFile, toPath: "\(store)/\(path)")
        let both = Symbolicator(debugDirectories: ["\(directory)/root"], symbolStore: store)
        #expect(symbols(both.symbolicate(split.report("/nonexistent/service"))) == split.expected)
    }

    @Test func zstd() async throws {
        let split = try await Split()
        let objcopy = Tool(path: "/usr/bin/objcopy")
        guard try objcopy.run(["--help"]).contains("zstd") else {
            print("not tested: the objcopy of this machine knows no zstd")
            return
        }
        try objcopy.run(["--compress-debug-sections=zstd", split.whole.path, split.stripped])
        let result = Symbolicator(debugDirectories: []).symbolicate(split.report())
        // The libdw of this machine decides which.
        if result.notes.isEmpty {
            #expect(symbols(result) == split.expected)
        } else {
            #expect(result.notes.map(\.reason) == [.compressed])
            #expect(symbols(result).allSatisfy { $0 == [Self.name] })
        }
    }

    @Test func anotherBuildIsNotUsed() async throws {
        let split = try await Split()
        let other = try SymbolFile(try await Fixture.shared.path(.debug))
        let result = Symbolicator(debugDirectories: []).symbolicate(split.report(other.path))
        #expect(symbols(result).allSatisfy { $0.isEmpty })
        #expect(result.notes.map(\.reason) == [.otherBuild(other.buildID)])
        #expect(result.notes.first?.description.contains("another build (\(other.buildID))") == true)
    }

    @Test func unusableFiles() async throws {
        let split = try await Split()
        let directory = try split.directory.get().path
        try Data("no object".utf8).write(to: URL(fileURLWithPath: directory + "/text"))
        #expect(mkfifo(directory + "/pipe", 0o600) == 0)
        let reasons: [(String, ImageNote.Reason)] = [
            ("\(directory)/text", .notAnObject), ("\(directory)/pipe", .notAnObject), (directory, .notAnObject),
            ("/dev/zero", .notAnObject), ("\(directory)/none", .notFound("no such file or directory")),
            ("service", .notFound("no absolute path")),
        ]
        for (path, reason) in reasons {
            let result = Symbolicator(debugDirectories: []).symbolicate(split.report(path))
            #expect(result.notes.map(\.reason) == [reason], "\(path)")
            #expect(result.report.threads[0].frames.allSatisfy { $0.symbols.isEmpty && $0.origin == .service })
        }
    }

    @Test(arguments: [nil, "", "0000000000000000000000000000000000000000"] as [String?])
    func withoutABuildIDNothingIsLookedUp(_ id: String?) async throws {
        let split = try await Split()
        var report = split.whole.report(split.frames)
        report.images[0].buildID = id
        #expect(Symbolicator().symbolicate(report).notes.map(\.reason) == [.noBuildID])
    }

    /// A build id is a part of a path: it must not lead out of the directory.
    @Test func hostileBuildIDs() async throws {
        let split = try await Split()
        for id in ["../../etc/passwd", "ab/../../x", "a", "zz", String(repeating: "f", count: 10_000)] {
            var report = split.whole.report(split.frames)
            report.images[0].buildID = id
            report.images[0].path = "/nonexistent"
            #expect(Symbolicator().symbolicate(report).notes.map(\.reason) == [.notFound("no such file or directory")])
        }
    }
}
