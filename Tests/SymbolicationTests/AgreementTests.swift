import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Symbolication

/// Functions, files, lines, columns and inline chains at thousands of addresses, against the toolchain's `llvm-symbolizer`.
@Suite struct AgreementTests {
    @Test(arguments: Fixture.Variant.allCases)
    func fixture(_ variant: Fixture.Variant) async throws {
        try compare(try await Fixture.shared.path(variant), count: 4000)
    }

    /// The program that runs these tests: code that nobody arranged for symbolication, whole packages of it.
    @Test func testBundle() throws {
        try compare(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"), count: 4000)
    }

    /// The service of the examples in the builds that `make test` makes of it, the static one with all of Swift in it.
    @Test(arguments: ["MAYDAY_DEBUG_BUILD", "MAYDAY_RELEASE_BUILD", "MAYDAY_STATIC_BUILD"])
    func service(_ build: String) throws {
        let name = build.dropFirst("MAYDAY_".count).dropLast("_BUILD".count).lowercased()
        let usual = name == "debug" ? "debug" : "\(name)-build/release"
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent(".build/\(usual)").path
        let path = "\(ProcessInfo.processInfo.environment[build] ?? root)/CheckoutService"
        guard access(path, R_OK) == 0 else {
            #expect(ProcessInfo.processInfo.environment["MAYDAY_REQUIRE_ALL_BUILDS"] == nil, "no \(path)")
            print("not compared: there is no \(path), which `make test` builds")
            return
        }
        try compare(path, count: 4000)
    }

    /// A stripped program and what was split off from it answer as the whole does.
    @Test(arguments: [Fixture.Variant.debug, .optimized, .staticStandardLibrary])
    func splitDebugInformation(_ variant: Fixture.Variant) async throws {
        let whole = try await Fixture.shared.path(variant)
        let directory = try TemporaryDirectory()
        let (stripped, split) = ("\(directory.path)/fixture", "\(directory.path)/fixture.debug")
        let objcopy = try #require(Tool.ofToolchain("llvm-objcopy"))
        try objcopy.run(["--only-keep-debug", whole, split])
        try objcopy.run(["--strip-all", whole, stripped])
        let module = DebugModule(object: try ELFFile(path: stripped), debugFile: try ELFFile(path: split))
        try compare(whole, count: 4000, with: module)
    }

    /// At least this share must be equal in every function, file, line and column.
    private static let floor = 0.999

    /// How many answers were equal, by what of them.
    private struct Shares {
        var functions = 0
        var places = 0
        var chains = 0
        var all = 0
    }

    private func compare(_ path: String, count: Int, with split: DebugModule? = nil) throws {
        guard let peer = LLVMSymbolizer() else {
            print("not compared: the toolchain has no llvm-symbolizer")
            return
        }
        let file = try ELFFile(path: path)
        let addresses = Self.sample(file.code.ranges, count: count)
        let expected = try peer.answers(path, addresses)
        try #require(expected.count == count)
        let module = split ?? DebugModule(object: file, debugFile: nil)
        let unsized = try Self.unsizedSymbols(path)
        var differences: [String] = []
        var shares = Shares()
        var (inlined, stretched) = (0, 0)
        for (address, answer) in zip(addresses, expected) {
            let own = module.answer(at: address, isCall: false).symbols.map {
                Line(function: $0.mangled ?? $0.function, file: $0.file, line: $0.line, column: $0.column)
            }
            if answer.count > 1 { inlined += 1 }
            // The peer stretches a symbol without a size to the next one: it says `_init` for the whole table of jumps to other
            // libraries. Here an address behind a symbol's end has no name.
            let isStretched =
                own.isEmpty && answer.count == 1 && answer[0].file == nil && unsized.contains(answer[0].function)
            if isStretched { stretched += 1 }
            if isStretched || own.first?.function == answer.first?.function { shares.functions += 1 }
            if isStretched || own.first?.place == answer.first?.place { shares.places += 1 }
            if isStretched || own.map(\.function) == answer.map(\.function) { shares.chains += 1 }
            if isStretched || own == answer {
                shares.all += 1
            } else {
                differences.append("0x\(String(address, radix: 16)): \(own) instead of \(answer)")
            }
        }
        func percent(_ part: Int) -> String { String(format: "%.2f %%", 100 * Double(part) / Double(count)) }
        print(
            "\(path)\(split == nil ? "" : ", stripped and split"): \(count) addresses, \(inlined) with inlined functions; equal to "
                + "llvm-symbolizer: function \(percent(shares.functions)), file and line \(percent(shares.places)), chain "
                + "\(percent(shares.chains)), all with columns \(percent(shares.all)); \(stretched) behind a symbol's end"
        )
        #expect(
            Double(shares.all) >= Self.floor * Double(count),
            "\(differences.prefix(20).joined(separator: "\n"))"
        )
    }

    private static func unsizedSymbols(_ path: String) throws -> Set<String> {
        let nm = try #require(Tool.ofToolchain("llvm-nm"))
        return Set(
            try nm.run(["--print-size", path]).split(separator: "\n").compactMap { line in
                let fields = line.split(separator: " ")
                return fields.count == 4 && UInt64(fields[1], radix: 16) == 0 ? String(fields[3]) : nil
            }
        )
    }

    /// Addresses drawn evenly from `ranges`, the same in every run.
    private static func sample(_ ranges: [Range<UInt64>], count: Int) -> [UInt64] {
        var random = SeededGenerator(seed: 20_261_130)
        let total = ranges.reduce(0) { $0 + UInt64($1.count) }
        return (0..<count).map { _ in
            var place = random.next() % total
            for range in ranges {
                if place < UInt64(range.count) { return range.lowerBound + place }
                place -= UInt64(range.count)
            }
            return 0
        }
    }
}
