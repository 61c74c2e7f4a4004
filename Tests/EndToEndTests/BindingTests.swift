import Foundation
import TestSupport
import Testing

/// The loader looks up a function of another library at its first call, which is nothing for a dying process.
@Suite struct BindingTests {
    /// Everything that the handler may call is bound when the crash comes, whatever the service happened to call before.
    @Test(arguments: Build.tested)
    func nothingIsBoundAtTheCrash(build: Build) async throws {
        let home = try TemporaryDirectory()
        var environment = Children.environment(home: home)
        environment["MAYDAY_SPOOL"] = "\(home.path)/spool"
        environment["MAYDAY_DELIVERY_DEADLINE"] = "0"
        environment["LD_DEBUG"] = "bindings"
        environment["LD_DEBUG_OUTPUT"] = "\(home.path)/bindings"
        let crash = try await ChildProcess.run(build.gallery, ["abort"], environment: environment)
        #expect(crash.status == .signalled(SIGABRT))
        #expect(Children.reports(in: home.path).count == 1)

        let bindings = try Self.bindings(in: home.path)
        // The gallery calls it once, to crash.
        let end = try #require(bindings.firstIndex { $0.symbol == "abort" && $0.file == build.gallery })
        let before = Set(bindings[..<end].filter { $0.file == build.gallery }.map(\.symbol))
        let handler = try Self.handlerSymbols()
        let lazy = try await Self.lazilyBound(in: build.gallery)
        #expect(handler.count > 20 && lazy.count > 50)
        #expect(handler.intersection(lazy).subtracting(before) == [])
        let late = bindings[(end + 1)...].filter { binding in
            handler.contains(binding.symbol) || Self.libraries.contains { binding.file.contains($0) }
        }
        #expect(late == [])
    }

    /// Libraries that the handler calls.
    private static let libraries = ["/libz.so", "/libunwind.so", "/libswiftCore.so", "/libswift_Concurrency.so"]

    private struct Binding: Equatable {
        let file: String
        let symbol: String
    }

    /// What the loader wrote down, in the order of the first calls.
    private static func bindings(in directory: String) throws -> [Binding] {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasPrefix("bindings.") }
        let name = try #require(names.count == 1 ? names.first : nil, "\(names)")
        let text = try String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            line.firstMatch(of: #/binding file (.+?) \[\d+\] to .+ symbol `([^']+)'/#).map {
                Binding(file: String($0.1), symbol: String($0.2))
            }
        }
    }

    /// The list that `make lint` holds the handler to.
    private static func handlerSymbols() throws -> Set<String> {
        let list = try String(contentsOfFile: "\(Package.root)/scripts/async-signal-safe-symbols.txt", encoding: .utf8)
        let lines = list.split(separator: "\n").drop { $0 != "[handler]" }.dropFirst().prefix { !$0.hasPrefix("[") }
        return Set(
            lines.compactMap { $0.split(separator: "#", omittingEmptySubsequences: false).first }
                .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        )
    }

    /// Functions that are bound at their first call from a program.
    private static func lazilyBound(in program: String) async throws -> Set<String> {
        let listing = try await ChildProcess.run("/usr/bin/readelf", ["--relocs", "--wide", program])
        return Set(
            listing.output.split(separator: "\n").filter { $0.contains("JUMP_SLO") }.compactMap { line in
                line.split(separator: " ").dropFirst(4).first?.split(separator: "@").first.map(String.init)
            }
        )
    }
}
