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

    /// At least this share must be equal in every function, file, line and column.
    private static let floor = 0.999

    private func compare(_ path: String, count: Int) throws {
        guard let peer = LLVMSymbolizer() else {
            print("not compared: the toolchain has no llvm-symbolizer")
            return
        }
        let file = try ELFFile(path: path)
        let addresses = Self.sample(file.code.ranges, count: count)
        let expected = try peer.answers(path, addresses)
        try #require(expected.count == count)
        let module = DebugModule(object: file, debugFile: nil)
        let unsized = try Self.unsizedSymbols(path)
        var differences: [String] = []
        var inlined = 0
        for (address, answer) in zip(addresses, expected) {
            let own = module.answer(at: address, demangler: Demangler()).symbols.map {
                Line(function: $0.mangled ?? $0.function, file: $0.file, line: $0.line, column: $0.column)
            }
            if answer.count > 1 { inlined += 1 }
            // The peer stretches a symbol without a size to the next one: it says `_init` for the whole table of jumps to other
            // libraries. Here an address behind a symbol's end has no name.
            if own.isEmpty, answer.count == 1, answer[0].file == nil, unsized.contains(answer[0].function) { continue }
            if own != answer { differences.append("0x\(String(address, radix: 16)): \(own) instead of \(answer)") }
        }
        let share = 1 - Double(differences.count) / Double(count)
        print(
            "\(path): \(count) addresses, \(inlined) with inlined functions, \(share * 100) % equal to llvm-symbolizer"
        )
        #expect(share >= Self.floor, "\(differences.prefix(20).joined(separator: "\n"))")
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
