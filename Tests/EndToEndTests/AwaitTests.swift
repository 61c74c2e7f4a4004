import Foundation
import TestSupport
import Testing

/// The handler finds async callers by how the compiler begins async functions, which is no ABI.
@Suite struct AwaitTests {
    /// push rbp; push r14; lea rbp, [rsp + 8], perhaps behind `sub rsp, N`. The same bytes are in Sources/CrashCapture/async_function.c.
    static let prologue: [UInt8] = [0x55, 0x41, 0x56, 0x48, 0x8d, 0x6c, 0x24, 0x08]

    /// A toolchain that begins async functions in another way fails here, and not by stacks that lack their callers.
    @Test(
        .enabled(if: isX86, "async callers are found on x86_64 only"),
        arguments: Build.tested
    )
    func partsOfAsyncFunctionsBeginAsTheHandlerExpects(build: Build) async throws {
        let symbols = try await ChildProcess.run("/usr/bin/nm", ["--defined-only", build.gallery])
        let parts = symbols.output.split(separator: "\n").compactMap { line -> (address: UInt64, name: Substring)? in
            let fields = line.split(separator: " ")
            guard fields.count == 3, let name = fields.last, name.wholeMatch(of: /\$s.*T[YQ]\d*_/) != nil else {
                return nil
            }
            return UInt64(fields[0], radix: 16).map { ($0, name) }
        }
        #expect(parts.count > 20, "the gallery has async functions")
        let file = try #require(FileManager.default.contents(atPath: build.gallery))
        let code = try await codeSegment(of: build.gallery)
        for part in parts {
            let start = Int(part.address - code.address + code.offset)
            let begin = Array(file[start..<(start + 7 + Self.prologue.count)])
            let room = begin.starts(with: [0x48, 0x83, 0xec]) ? 4 : begin.starts(with: [0x48, 0x81, 0xec]) ? 7 : 0
            #expect(begin.dropFirst(room).starts(with: Self.prologue), "\(part.name): \(begin)")
        }
    }

    private static let isX86: Bool = {
        #if arch(x86_64)
            true
        #else
            false
        #endif
    }()

    /// Where the code is in the file and in memory.
    private func codeSegment(of path: String) async throws -> (offset: UInt64, address: UInt64) {
        let headers = try await ChildProcess.run("/usr/bin/readelf", ["--wide", "--segments", path])
        let line = headers.output.split(separator: "\n").first { $0.contains("LOAD") && $0.contains(" R E ") }
        let fields = try #require(line).split(separator: " ")
        let offset = try #require(UInt64(fields[1].dropFirst(2), radix: 16))
        let address = try #require(UInt64(fields[2].dropFirst(2), radix: 16))
        return (offset, address)
    }
}
