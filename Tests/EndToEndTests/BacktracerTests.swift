import Foundation
import Testing
import TestSupport

/// Real crashes that Swift's own backtracer writes of, in services without Mayday.
@Suite("Crashes that Swift's backtracer wrote of")
struct BacktracerTests {
    /// A kind of the gallery, and what the collector says of it.
    struct Kind: Sendable, CustomTestStringConvertible {
        var name: String
        var signal: String
        /// The service's own function on top; nil where frame pointers do not lead to it.
        var function: String?
        /// Only with debug information, in release.
        var message: String?
        var testDescription: String { name }
    }

    private static let kinds = [
        Kind(name: "fatal-error", signal: "SIGILL", function: "warehouse(of:)"),
        Kind(name: "index-out-of-range", signal: "SIGILL", message: "Index out of range"),
        Kind(name: "integer-overflow", signal: "SIGILL", function: "cents(of:)", message: "arithmetic overflow"),
        Kind(name: "null-write", signal: "SIGSEGV", function: "parcel_move"),
        Kind(name: "stack-overflow", signal: "SIGSEGV", function: "depth(of:)"),
        Kind(name: "abort", signal: "SIGABRT"),
        Kind(name: "cxx-noexcept", signal: "SIGABRT"),
    ]

    /// Where the toolchain has it, seen from the library that looks for it.
    private static let backtracer: String? = {
        // Foundation reads no more than a page of such a file at once.
        let data = try? FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd()
        let maps = String(decoding: data ?? Data(), as: UTF8.self)
        guard let line = maps.split(separator: "\n").first(where: { $0.hasSuffix("/libswiftCore.so") }),
            let start = line.firstIndex(of: "/")
        else { return nil }
        let library = URL(filePath: String(line[start...]))
        let directory = library.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "libexec/swift/linux").path
        let files = ["swift-backtrace", "swift-backtrace-static"].map { "\(directory)/\($0)" }
        return files.allSatisfy(FileManager.default.isExecutableFile(atPath:)) ? files[1] : nil
    }()

    private struct Shown: Decodable {
        struct Crash: Decodable {
            struct Signal: Decodable { var name: String }
            var signal: Signal
            var message: String?
        }
        struct Thread: Decodable {
            struct Frame: Decodable {
                struct Symbol: Decodable {
                    var function: String
                    var line: Int?
                }
                var origin: String?
                var symbols: [Symbol]?
            }
            var frames: [Frame]
        }
        var crash: Crash
        var threads: [Thread]
    }

    @Test("are shown as Mayday's own are", arguments: Build.tested, kinds)
    func shown(build: Build, kind: Kind) async throws {
        guard let backtracer = Self.backtracer else {
            print("not tested: this toolchain has no swift-backtrace beside libswiftCore.so")
            return
        }
        let home = try TemporaryDirectory()
        for (stage, options) in [("main", "symbolicate=off"), ("task", "preset=full")] {
            let file = "\(home.path)/\(stage).json"
            var environment = Children.environment(home: home)
            environment["GALLERY_WITHOUT_MAYDAY"] = "1"
            environment["SWIFT_BACKTRACE"] =
                "enable=yes,format=json,\(options),output-to=\(file),swift-backtrace=\(backtracer)"
            let arguments = [kind.name, "--thread", stage]
            _ = try await ChildProcess.run(build.gallery, arguments, environment: environment)
            let outcome = try await ChildProcess.run(Build.mayday, ["show", "--json", file])
            try #require(outcome.status == .exited(0), "\(stage): \(outcome.errors)")
            let shown = try JSONDecoder().decode(Shown.self, from: Data(outcome.output.utf8))
            #expect(shown.crash.signal.name == kind.signal, "\(stage)")
            let own = shown.threads[0].frames.first { $0.origin == "service" }
            if let function = kind.function {
                let functions = own?.symbols?.map(\.function) ?? []
                #expect(functions.contains { $0.contains(function) }, "\(stage): \(functions)")
                // Which instruction meets the end of the stack is chance, and not each has a line.
                let frames = shown.threads[0].frames.filter { $0.origin == "service" }
                #expect(frames.contains { $0.symbols?.contains { $0.line != nil } == true }, "\(stage)")
            }
            if let message = kind.message, build.isOptimised {
                #expect(shown.crash.message?.contains(message) == true, "\(stage)")
            }
            #expect(shown.threads.count > 1 || stage == "main", "\(stage)")
        }
    }
}
