import CrashReport
import Foundation
import Testing

@testable import Symbolication

/// An executable's symbols by name, as `llvm-nm` lists them, and reports of frames in it.
struct SymbolFile {
    let path: String
    let buildID: String
    private let base: UInt64
    private let functions: [String: Range<UInt64>]

    init(_ path: String) throws {
        let file = try ELFFile(path: path)
        self.path = path
        base = file.base
        buildID = try #require(file.buildID)
        let nm = try #require(Tool.ofToolchain("llvm-nm"))
        var functions: [String: Range<UInt64>] = [:]
        for line in try nm.run(["--print-size", "--defined-only", path]).split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count == 4, "tT".contains(fields[2]), let start = UInt64(fields[0], radix: 16),
                let size = UInt64(fields[1], radix: 16), size > 0
            else { continue }
            functions[String(fields[3])] = start..<start + size
        }
        self.functions = functions
    }

    /// Addresses, in the file, of the function with that mangled name.
    func function(_ name: String) throws -> Range<UInt64> {
        try #require(functions[name], "no \(name) in \(path)")
    }

    /// Mangled names that `predicate` holds for, sorted.
    func names(_ predicate: (String) -> Bool) -> [String] { functions.keys.filter(predicate).sorted() }

    /// A crash with frames at these addresses of the file, loaded somewhere else.
    func report(_ frames: [(address: UInt64, trust: FrameTrust)], buildID: String?? = nil) -> Report {
        let loaded: UInt64 = 0x5555_5555_4000
        var report = Report(
            header: ReportHeader(
                id: "01a22bb5-57c6-7356-a87f-2b2e6b40795b",
                kind: .crash,
                time: "2026-11-30T09:07:14.502997Z",
                process: ProcessFacts(pid: 4711, path: path),
                sdk: SDKFacts(name: "mayday-swift", version: "0.1.0")
            )
        )
        report.crash = Crash(
            signal: CrashSignal(number: 4, name: "SIGILL", code: 2, codeName: "ILL_ILLOPN"),
            thread: 4711,
            registers: []
        )
        report.images = [Image(path: path, base: loaded, size: 0x10_0000, buildID: buildID ?? self.buildID)]
        report.threads = [
            ThreadStack(
                id: 4711,
                crashed: true,
                frames: frames.map { address, trust in
                    Frame(address: loaded &+ address &- base, image: 0, offset: address &- base, trust: trust)
                }
            )
        ]
        return report
    }
}
