import Foundation
import TestSupport
import Testing

@testable import CrashGallery

/// Every kind of crash, on every kind of thread, in every build: a real child each, beside the same child without Mayday.
@Suite(Matrix.Trait()) struct CrashMatrixTests {
    @Test(arguments: MatrixCase.all)
    func reportSaysWhatHappened(_ test: MatrixCase) async throws {
        let seen = try await #require(Matrix.current).sighting(of: test)
        #expect(seen.bare.status == .signalled(try number(of: test.kind.signal)))
        #expect(seen.crash.status == seen.bare.status)
        #expect(seen.spooled == [], "the collector has it, the spool has not; without Mayday there is nothing")
        #expect(seen.crash.errors.contains("mayday: \(test.kind.signal)"))
        // What the C++ runtime prints of an exception is printed still.
        if test.kind.name.hasPrefix("cxx-") { #expect(seen.crash.errors.hasPrefix(seen.bare.errors)) }

        let report = seen.shown
        #expect(report.state == "done")
        #expect(report.warnings == [])
        #expect(report.end != nil && report.end?.cut == nil)
        #expect(report.crash.signal.name == test.kind.signal)
        #expect(test.message.isMet(by: report.crash.message), "the message is \(report.crash.message ?? "missing")")
        #expect(test.culprits.contains(report.plainCulprit ?? "missing"), "\(test.culprits)")
        checkThreads(report, test.stage)
        checkTask(report, test)
        checkAccesses(report, test)
        #if arch(x86_64)
            checkAwaiting(report, test)
        #endif
    }

    @Test(
        .enabled(if: Build.missing.isEmpty, "the table is of all builds; `make test` makes them"),
        .enabled(if: CapturedTable.isOfThisMachine, "the table is of x86_64, where async callers are found")
    )
    func tableOfTheREADMEIsTheMatrix() async throws {
        let matrix = try #require(Matrix.current)
        var table = CapturedTable()
        for test in MatrixCase.all { table.add(test, try await matrix.sighting(of: test)) }
        let difference = try Golden.difference(
            table.lines(),
            part: CapturedTable.name,
            of: "\(Package.root)/README.md"
        )
        #expect(difference == nil)
    }

    /// Where a kind can happen in several places, in the first of them.
    @Test(
        .enabled(
            if: ShownText.isOfThisToolchain,
            "the texts name functions of x86_64 Linux and of Swift 6.3's libraries"
        ),
        arguments: MatrixCase.all.filter { $0.build != .static && $0.stage == $0.kind.stages.first }
    )
    func personReads(_ test: MatrixCase) async throws {
        let text = try await #require(Matrix.current).text(of: test)
        #expect(!text.contains("\u{1b}"))
        #expect(text.split(separator: "\n").filter { $0.count > 80 } == [])
        let name = "\(test.build.rawValue)/\(test.kind.name).txt"
        #expect(try Golden.difference(ShownText(text).lines, name) == nil)
    }

    /// The crashed thread is the first, and of the kind that was asked for; the others have their stacks as well.
    private func checkThreads(_ report: ShownReport, _ stage: Stage) {
        #expect(report.threads.map { $0.crashed ?? false } == [true] + report.threads.dropFirst().map { _ in false })
        #expect(Set(report.threads.map(\.id)).count == report.threads.count)
        guard let crashed = report.threads.first else { return }
        #expect(crashed.truncated == nil)
        let functions = crashed.functions
        #expect((crashed.id == report.process.pid) == (stage == .main))
        #expect(functions.contains("main") == (stage == .main))
        #expect(functions.contains("start_thread") == (stage != .main))
        #expect(functions.contains("_dispatch_worker_thread") == (stage == .dispatch || stage == .task))
        #expect(functions.contains("swift_job_run") == (stage == .task))
        #expect(report.hasBystander)
        if stage != .main {
            let main = report.threads.first { $0.id == report.process.pid }
            // While it is in pthread_create, libc blocks every signal, and it has no stack.
            #expect(main?.frames.isEmpty == true || main?.functions.contains("Stage.run(_:_:)") == true)
        }
    }

    /// The gallery gives its task the name of the kind. A toolchain whose runtime keeps names elsewhere fails here.
    private func checkTask(_ report: ShownReport, _ test: MatrixCase) {
        #expect(report.threads.dropFirst().allSatisfy { $0.task == nil })
        let task = report.threads.first?.task
        #expect((task != nil) == (test.stage == .task))
        #expect(task?.name == (test.stage == .task ? test.kind.name : nil))
        #expect(task.map { $0.id > 0 } ?? true)
    }

    /// Where the two accesses of a conflict began, and of which kind each is. A toolchain whose runtime says it otherwise
    /// fails here.
    private func checkAccesses(_ report: ShownReport, _ test: MatrixCase) {
        let conflict = report.threads.first?.access_conflict
        #expect((conflict != nil) == (test.kind.name == "exclusivity"))
        guard let conflict else { return }
        #expect(conflict.address.hasPrefix("0x"))
        #expect(conflict.previous.kind == "modification")
        #expect(conflict.current.kind == "read")
        #expect(conflict.previous.place == CrashMarkers.places(of: "exclusivity, previous access").first)
        #expect(conflict.current.place == CrashMarkers.places(of: "exclusivity").first)
    }

    /// The async callers are behind the async function that crashed, or called what did, in their order; the executor's
    /// frames follow. Elsewhere there are none.
    private func checkAwaiting(_ report: ShownReport, _ test: MatrixCase) {
        let frames = report.threads.first?.frames ?? []
        let awaiting = frames.filter { $0.trust == "await" }
        #expect(report.end?.stages.contains("await") == true)
        #expect(awaiting.isEmpty == (test.stage != .task))
        guard let first = frames.firstIndex(where: { $0.trust == "await" }) else { return }
        #expect(frames[first...].prefix(awaiting.count).allSatisfy { $0.trust == "await" })
        #expect(frames[..<first].contains { $0.origin == "service" })
        #expect(frames[first...].contains { $0.trust == "cfi" })
        // What runs the gallery's body awaits too, in an order that is the optimiser's.
        let names = awaiting.compactMap(\.asyncFunction)
        #expect(Array(names.prefix(test.kind.awaitedBy.count)) == test.kind.awaitedBy, "\(names)")
        for frame in awaiting.prefix(test.kind.awaitedBy.count) {
            #expect(frame.symbol?.file?.hasSuffix("/ConcurrencyKinds.swift") == true)
            #expect(frame.symbol?.line != nil)
        }
    }

    private func number(of signal: String) throws -> Int32 {
        let numbers = [
            "SIGQUIT": SIGQUIT, "SIGILL": SIGILL, "SIGTRAP": SIGTRAP, "SIGABRT": SIGABRT, "SIGBUS": SIGBUS,
            "SIGFPE": SIGFPE, "SIGSEGV": SIGSEGV, "SIGSYS": SIGSYS,
        ]
        return try #require(numbers[signal])
    }
}

extension MatrixCase {
    /// What the message must be.
    var message: ExpectedMessage {
        ExpectedMessage(part: build.isOptimised ? kind.message.release : kind.message.debug)
    }

    struct ExpectedMessage {
        /// Part of the text; nil when there must be none.
        let part: String?

        func isMet(by message: String?) -> Bool {
            part.map { message?.contains($0) == true } ?? (message == nil)
        }
    }

    /// Where the issue may say that it crashed: function, file and line.
    var culprits: [String] {
        let places = CrashMarkers.places(of: kind.name).map { "\(kind.function) (\($0))" }
        return places + (kind.mayHaveNoLine ? [kind.function] : [])
    }
}

extension ShownReport {
    /// An optimised build may crash in the copy that the compiler made for the types at hand.
    var plainCulprit: String? { culprit?.replacing("specialized ", with: "") }

    /// The thread that has nothing to do with the crash is there by name, with its stack down to the line.
    var hasBystander: Bool {
        let found = threads.filter { $0.name == "night-watch" }
        let symbols = found.flatMap(\.frames).compactMap(\.symbol)
        return found.count == 1
            && symbols.contains {
                $0.function == "keep_watch" && $0.file?.hasSuffix("/Bystander.c") == true && $0.line != nil
            }
    }
}

extension ShownReport.Thread {
    var functions: [String] { frames.compactMap { $0.symbol?.function } }
}

extension ShownReport.AccessConflict.Access {
    /// `Till.swift:12`, of the innermost function that has a place.
    var place: String? {
        frame?.symbols?.lazy.compactMap { symbol in
            guard let file = symbol.file, let line = symbol.line else { return nil }
            return "\(file.split(separator: "/").last ?? ""):\(line)"
        }.first
    }
}

extension ShownReport.Frame {
    /// The function that a frame is part of: an async one is compiled in pieces, one for each suspension point.
    var asyncFunction: String? {
        symbol?.function.replacing(#/^\(\d+\) (?:await|suspend) resume partial function for /#, with: "")
    }
}
