import Foundation
import TestSupport
import Testing

@testable import Symbolication

/// Object files that were cut or changed: whatever they say, symbolication ends, and this process lives.
@Suite struct DamagedFileTests {
    @Test func cutFiles() async throws {
        let bytes = try await Self.fixture()
        let directory = try TemporaryDirectory()
        var random = SeededGenerator(seed: 1)
        let headers = [0, 1, 4, 15, 16, 52, 63, 64, 65, 120, 1000]
        let others = (0..<40).map { _ in Int(random.next() % UInt64(bytes.count)) }
        for length in headers + others + [bytes.count - 1] {
            try Self.look(Array(bytes[..<length]), in: directory, "cut to \(length) bytes", &random)
        }
    }

    @Test func changedBytes() async throws {
        let bytes = try await Self.fixture()
        let directory = try TemporaryDirectory()
        let places = try Self.places(bytes, directory)
        for seed in Self.first..<Self.first + Self.rounds {
            var random = SeededGenerator(seed: seed)
            var changed = bytes
            for _ in 0..<(1 << (seed % 8)) {
                // Half of the changes in the headers and debug sections, where they are read first.
                let range = seed % 2 == 0 ? 0..<bytes.count : places[Int(random.next() % UInt64(places.count))]
                let index = range.lowerBound + Int(random.next() % UInt64(range.count))
                let interesting: [UInt8] = [0, 1, 0x7f, 0x80, 0xff]
                let choice = Int(random.next() % 8)
                changed[index] =
                    choice < interesting.count ? interesting[choice] : UInt8(truncatingIfNeeded: random.next())
            }
            try Self.look(changed, in: directory, "seed \(seed)", &random)
        }
    }

    private static let first = ProcessInfo.processInfo.environment["MAYDAY_FUZZ_FIRST"].flatMap(UInt64.init) ?? 0
    /// `MAYDAY_FUZZ_ROUNDS` asks for more than a test run can afford.
    private static let rounds = ProcessInfo.processInfo.environment["MAYDAY_FUZZ_ROUNDS"].flatMap(UInt64.init) ?? 300

    private static func fixture() async throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: try await Fixture.shared.path(.optimized))))
    }

    /// File ranges of the ELF header, the section headers and the debug sections.
    private static func places(_ bytes: [UInt8], _ directory: TemporaryDirectory) throws -> [Range<Int>] {
        let path = directory.path + "/whole"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let objdump = try #require(Tool.ofToolchain("llvm-objdump"))
        let ranges = try objdump.run(["--section-headers", path]).split(separator: "\n").compactMap {
            line -> Range<Int>? in
            let fields = line.split(separator: " ")
            guard fields.count >= 4, fields[1].hasPrefix(".debug_") || fields[1].hasSuffix("tab"),
                let size = Int(fields[2], radix: 16), size > 0,
                let start = Self.offset(of: String(fields[1]), in: bytes)
            else { return nil }
            return start..<start + size
        }
        try #require(ranges.count >= 8)
        let sectionHeaders = Int(Self.integer(bytes, 40, 8))
        return ranges + [0..<64, sectionHeaders..<bytes.count]
    }

    private static func offset(of section: String, in bytes: [UInt8]) -> Int? {
        let table = Int(integer(bytes, 40, 8))
        let count = Int(integer(bytes, 60, 2))
        let names = Int(integer(bytes, table + Int(integer(bytes, 62, 2)) * 64 + 24, 8))
        for index in 0..<count {
            let header = table + index * 64
            let name = bytes[(names + Int(integer(bytes, header, 4)))...].prefix { $0 != 0 }
            if String(decoding: name, as: UTF8.self) == section { return Int(integer(bytes, header + 24, 8)) }
        }
        return nil
    }

    private static func integer(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> UInt64 {
        (0..<size).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }

    /// Opens the file as a collector would, and asks for many addresses.
    private static func look(
        _ bytes: [UInt8],
        in directory: TemporaryDirectory,
        _ what: String,
        _ random: inout SeededGenerator
    ) throws {
        let path = directory.path + "/damaged"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        if let name = ProcessInfo.processInfo.environment["MAYDAY_FUZZ_TRACE"] {
            try what.write(toFile: name, atomically: false, encoding: .utf8)
        }
        guard let file = try? ELFFile(path: path) else { return }
        _ = file.debugLink
        let module = DebugModule(object: file, debugFile: nil)
        for range in file.code.ranges.prefix(8) {
            for _ in 0..<100 where !range.isEmpty {
                let offset = random.next() % (range.upperBound - range.lowerBound)
                _ = module.answer(at: range.lowerBound &+ offset)
            }
        }
        _ = module.answer(at: 0)
        _ = module.answer(at: .max)
        _ = module.shortcoming
    }
}
