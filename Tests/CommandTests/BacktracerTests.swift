#if os(Linux)
    import Foundation
    import Testing
    import TestSupport

    @Suite("What Swift's backtracer wrote, imported and shown")
    struct BacktracerTests {
        private let directory: TemporaryDirectory

        init() throws { directory = try TemporaryDirectory() }

        private func write(_ text: String, _ name: String) throws -> String {
            let path = "\(directory.path)/\(name)"
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            return path
        }

        private func shown(_ outcome: ChildProcess.Outcome) throws -> [String] {
            try #require(outcome.status == .exited(0), "\(outcome.errors)")
            return outcome.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { String($0) }
        }

        @Test("a file and a log are shown without a store")
        func files() async throws {
            let file = try write(BacktracerSample.fatalError, "crash.json")
            let alone = try shown(try await ChildProcess.run(Collector.mayday, ["show", file]))
            #expect(try Golden.difference(alone, "show-backtracer.txt") == nil)
            let log = try write("listening\n\(BacktracerSample.before)\(BacktracerSample.fatalError)", "checkout.log")
            let full = try shown(try await ChildProcess.run(Collector.mayday, ["show", "--full", log]))
            #expect(try Golden.difference(full, "show-backtracer-full.txt") == nil)
            let two = try write(BacktracerSample.fatalError + BacktracerSample.deep(3), "two.json")
            let outcome = try await ChildProcess.run(Collector.mayday, ["show", two])
            #expect(outcome.status == .exited(1))
            #expect(outcome.errors.contains("two.json holds 2 crashes: `mayday import` takes them all"))
        }

        @Test("twice is once, from a directory, a log or standard input; it is named, listed, grouped and shown")
        func imported() async throws {
            let collector = try Collector()
            #expect(await (try await collector.serve()).stop().status == .exited(0))
            _ = try write(BacktracerSample.fatalError, "checkout-17-0.0.json")
            _ = try write(BacktracerSample.fatalError.replacing("055357", with: "055358") + "\n", "other.json")
            _ = try write("{ \"timestamp\": 3 }", "none.json")
            let first = try await collector.run("import", "--release", "till@1.4.2", directory.path)
            #expect(first.status == .exited(0), "\(first.errors)")
            #expect(first.output == "2 imported\n")
            let log = try write(
                BacktracerSample.before + BacktracerSample.fatalError
                    + BacktracerSample.fatalError.replacing("055357", with: "055359").dropLast(14) + "\nbye\n",
                "checkout.log"
            )
            let again = try await collector.run("import", log)
            #expect(again.status == .exited(1))
            #expect(again.output == "1 there already, 1 damaged\n")
            #expect(
                again.errors.contains(
                    "checkout.log: not what Swift's backtracer writes: the text ends before it does; give it"
                ),
                "\(again.errors)"
            )
            let list = try await collector.run("list", "--json", "--release", "till@1.4.2")
            #expect(list.output.contains(#""count":2"#), "\(list.output)")
            #expect(list.output.contains("price(_:) (Cart.swift:3)"), "\(list.output)")
            let issue = try await collector.run("show", "1")
            #expect(issue.output.contains("Service   till@1.4.2"), "\(issue.output)")
            #expect(issue.output.contains("Source    written by Swift's backtracer"))
        }
    }
#endif
