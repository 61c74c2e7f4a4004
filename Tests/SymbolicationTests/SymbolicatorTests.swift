import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Symbolication

/// Whole reports of the compiled fixture.
@Suite struct SymbolicatorTests {
    private static let checksums = "$s7Fixture9checksumsySays5Int32VGSayAA4ItemVGF"

    /// A caller's pc is behind its call, which may be behind its last instruction; the pc of a crash and of an await is exact.
    @Test(arguments: [Fixture.Variant.debug, .optimized, .fixedAddress])
    func returnAddressesAreLookedUpOneByteBefore(_ variant: Fixture.Variant) async throws {
        let file = try SymbolFile(try await Fixture.shared.path(variant))
        let range = try file.function(Self.checksums)
        let report = file.report([
            (range.lowerBound, .context), (range.upperBound, .cfi), (range.upperBound, .fp), (range.lowerBound, .await),
            (range.upperBound, .context), (range.lowerBound, .cfi),
        ])
        let frames = try #require(Symbolicator().symbolicate(report).report.crashedThread).frames
        let names = frames.map { $0.symbols.last?.function }
        #expect(names.prefix(4).allSatisfy { $0 == "checksums(_:)" }, "\(names)")
        #expect(!names.suffix(2).contains("checksums(_:)"), "\(names)")
        let outermost = try #require(frames[0].symbols.last)
        #expect(outermost.mangled == Self.checksums)
        #expect(outermost.file?.hasSuffix("/SymbolicationTests/Fixture/Shop.swift") == true)
        #expect(outermost.file?.hasPrefix("/") == true)
        #expect(!outermost.inlined)
        #expect(frames[0].origin == .service)
    }

    @Test func inlinedFunctionsComeInnermostFirst() async throws {
        let file = try SymbolFile(try await Fixture.shared.path(.optimized))
        let range = try file.function("shop_checksum")
        let report = file.report(range.map { ($0, .context) })
        let chains = try #require(Symbolicator().symbolicate(report).report.crashedThread).frames.map(\.symbols)
        let deepest = try #require(chains.max { $0.count < $1.count })
        #expect(deepest.map(\.function) == ["shop_mix", "shop_fold", "shop_checksum"])
        #expect(deepest.map(\.inlined) == [true, true, false])
        // C has no mangled names.
        #expect(deepest.map(\.mangled) == [nil, nil, nil])
        #expect(deepest.allSatisfy { $0.file?.hasSuffix("/CShop.c") == true && $0.line != nil })
    }

    @Test func entryPointIsCalledMain() async throws {
        let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let file = try SymbolFile(try await Fixture.shared.path(.debug))
        let report = file.report([(try file.function("main").lowerBound, .context)])
        #expect(Symbolicator().symbolicate(report).report.crashedThread?.frames[0].symbols.last?.function == "main")
        // SwiftPM renames it; see whether it still does, in the executables that the tests are linked with.
        let gallery = try SymbolFile(URL(fileURLWithPath: path).deletingLastPathComponent().path + "/CrashGallery")
        let entry = try gallery.function("CrashGallery_main")
        let symbol = Symbolicator().symbolicate(gallery.report([(entry.lowerBound, .context)])).report.crashedThread?
            .frames[0].symbols
        #expect(symbol?.last?.function == "main")
        #expect(symbol?.last?.mangled == "CrashGallery_main")
    }

    /// The trap of an overflow has no text at run time in any build; the debug information has.
    @Test func runtimeFailureBecomesTheMessage() async throws {
        let file = try SymbolFile(try await Fixture.shared.path(.optimized))
        let module = DebugModule(object: try ELFFile(path: file.path), debugFile: nil)
        let range = try file.function("$s7Fixture5cents2ofS2i_tF")
        let trap = try #require(
            range.first {
                module.answer(at: $0).symbols.first?.function.hasPrefix("Swift runtime failure")
                    == true
            }
        )
        var report = file.report([(trap, .context), (trap + 1, .cfi)])
        let result = Symbolicator().symbolicate(report).report
        #expect(result.crash?.message == "arithmetic overflow")
        #expect(result.crash?.messageSource == "runtime_failure")
        for frame in try #require(result.crashedThread).frames {
            #expect(frame.symbols.last?.function == "cents(of:)")
            #expect(!frame.symbols.contains { $0.function.hasPrefix("Swift runtime failure") })
        }
        // A message from the process itself is the better one.
        report.crash?.message = "Fatal error: boom"
        report.crash?.messageSource = "swift"
        #expect(Symbolicator().symbolicate(report).report.crash?.message == "Fatal error: boom")
        // A caller that would overflow next did not.
        let caller = file.report([(range.lowerBound, .context), (trap + 1, .cfi)])
        #expect(Symbolicator().symbolicate(caller).report.crash?.message == nil)
    }

    /// The compiler gives the calls that check an access in a closure line 0: what stands before them in the function has theirs.
    @Test func callsWithoutALineHaveTheOneBefore() async throws {
        let file = try SymbolFile(try await Fixture.shared.path(.debug))
        let module = DebugModule(object: try ELFFile(path: file.path), debugFile: nil)
        let source = try String(contentsOfFile: Fixture.source("Shop.swift"), encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex { $0.hasPrefix("    till.change { total in") }) + 1
        func innermost(_ address: UInt64, isCall: Bool) -> FrameSymbol? {
            module.answer(at: address, isCall: isCall).symbols.first
        }
        var found = 0
        for address in try file.function("$s7Fixture6nestedySiAA4TillCFySizXEfU_") {
            let (exact, call) = (innermost(address, isCall: false), innermost(address, isCall: true))
            #expect(call?.function == exact?.function)
            if exact?.line != nil || exact?.inlined == true {
                // A trap that stands for several has no line, called or not.
                #expect(call == exact)
            } else {
                found += 1
                #expect((first...first + 3).contains(call?.line ?? 0), "\(String(address, radix: 16))")
            }
        }
        #expect(found > 0)
    }

    @Test func repeatedReportsGetTheSameAnswers() async throws {
        let file = try SymbolFile(try await Fixture.shared.path(.optimized))
        let report = file.report(try file.function(Self.checksums).map { ($0, .context) })
        let symbolicator = Symbolicator()
        let first = symbolicator.symbolicate(report)
        #expect(symbolicator.symbolicate(report) == first)
        #expect(Symbolicator().symbolicate(report) == first)
        #expect(symbolicator.symbolicate(first.report) == first)
    }

    @Test func framesWithoutAnImageAreLeftAlone() async throws {
        let file = try SymbolFile(try await Fixture.shared.path(.debug))
        var report = file.report([(0, .context), (0, .cfi), (.max, .fp), (0, .cfi)])
        report.threads[0].frames[0].image = nil
        report.threads[0].frames[1].image = 7
        report.threads[0].frames[3].image = -1
        let frames = Symbolicator().symbolicate(report).report.threads[0].frames
        #expect(frames.map(\.origin) == [nil, nil, .service, nil])
        #expect(frames.allSatisfy { $0.symbols.isEmpty })
    }
}
