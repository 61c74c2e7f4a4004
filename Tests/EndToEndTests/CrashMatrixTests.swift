import CrashReport
import Grouping
import Foundation
import TestSupport
import Testing

@testable import CrashGallery

/// Every kind of crash, on every kind of thread, in every build: a real child each, beside the same child without Mayday.
@Suite struct CrashMatrixTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let kind: CrashKind
        let stage: Stage
        let build: Build

        var testDescription: String { "\(kind.name) on \(stage.rawValue), \(build.rawValue)" }

        static let all = Build.tested.flatMap { build in
            gallery.filter { $0.inRelease || !build.isOptimised }.flatMap { kind in
                kind.stages.map { Case(kind: kind, stage: $0, build: build) }
            }
        }
    }

    @Test(arguments: Case.all)
    func reportSaysWhatHappened(_ test: Case) async throws {
        try await Children.turnstile.pass {
            let bare = try await crash(test, ["GALLERY_WITHOUT_MAYDAY": "1"])
            #expect(bare.outcome.status == .signalled(try number(of: test.kind.signal)))
            #expect(bare.reports.isEmpty)

            let crash = try await crash(test, [:])
            #expect(crash.outcome.status == bare.outcome.status)
            #expect(crash.outcome.errors.contains(test.kind.signal))
            // What the C++ runtime prints of an exception is printed still.
            if test.kind.name.hasPrefix("cxx-") { #expect(crash.outcome.errors.hasPrefix(bare.outcome.errors)) }
            let file = try #require(crash.reports.first, "no report; \(crash.outcome.errors)")
            #expect(crash.reports.count == 1)
            #expect(
                crash.outcome.errors.contains(String(file.suffix(45).prefix(36))),
                "the status line names the report"
            )

            let decoded = try Report.decode(gzip: try Children.bytes(of: "\(crash.spool.path)/\(file)"))
            #expect(decoded.isComplete)
            #expect(decoded.warnings == [])
            #expect(decoded.report.end?.cut == [])
            #expect(decoded.report.crash?.signal.name == test.kind.signal)
            await check(SharedDigester.shared.digest(decoded.report), test)
        }
    }

    private func check(_ digested: DigestedReport, _ test: Case) {
        let message = digested.report.crash?.message
        if let expected = test.build.isOptimised ? test.kind.message.release : test.kind.message.debug {
            #expect(message?.contains(expected) == true, "the message is \(message ?? "missing")")
        } else {
            #expect(message == nil)
        }
        let function = test.kind.function
        var culprits = CrashMarkers.places(of: test.kind.name).map { "\(function) (\($0))" }
        if test.kind.mayHaveNoLine { culprits.append(function) }
        // An optimised build may crash in the copy that the compiler made for the types at hand.
        let culprit = digested.culprit?.replacing("specialized ", with: "") ?? "missing"
        #expect(culprits.contains(culprit))
        #if arch(x86_64)
            checkAwaiting(digested.report, test)
        #endif
    }

    /// The async callers are behind the async function that crashed, or called what did, in their order; the executor's frames follow.
    private func checkAwaiting(_ report: Report, _ test: Case) {
        let frames = report.crashedThread?.frames ?? []
        let awaiting = frames.filter { $0.trust == .await }
        guard case .suspending = test.kind.body else { return }
        #expect(report.end?.stages.contains("await") == true)
        // What runs the gallery's body awaits too, in an order that is the optimiser's.
        let names = awaiting.compactMap { Self.name($0) }
        #expect(Array(names.prefix(test.kind.awaitedBy.count)) == test.kind.awaitedBy, "\(names)")
        for frame in awaiting.prefix(test.kind.awaitedBy.count) {
            #expect(frame.symbols.last?.file?.hasSuffix("/ConcurrencyKinds.swift") == true)
            #expect(frame.symbols.last?.line != nil)
        }
        guard let first = frames.firstIndex(where: { $0.trust == .await }) else {
            Issue.record("no async callers")
            return
        }
        #expect(frames[first...].prefix(awaiting.count).allSatisfy { $0.trust == .await })
        #expect(frames[..<first].contains { $0.origin == .service })
        #expect(frames[first...].contains { $0.trust == .cfi })
    }

    /// The function that a frame is part of: an async one is compiled in pieces, one for each suspension point.
    private static func name(_ frame: Frame) -> String? {
        frame.symbols.last?.function.replacing(#/^\(\d+\) (?:await|suspend) resume partial function for /#, with: "")
    }

    private struct Crash {
        var outcome: ChildProcess.Outcome
        var spool: TemporaryDirectory
        var reports: [String]
    }

    private func crash(_ test: Case, _ extra: [String: String]) async throws -> Crash {
        let spool = try TemporaryDirectory()
        var environment = Children.environment(home: spool)
        environment["MAYDAY_SPOOL"] = "\(spool.path)/spool"
        // Nothing is delivered: what the handler wrote stays in the spool.
        environment["MAYDAY_DELIVERY_DEADLINE"] = "0"
        let outcome = try await ChildProcess.run(
            test.build.gallery,
            [test.kind.name, "--thread", test.stage.rawValue],
            environment: environment.merging(extra) { $1 },
            limit: .seconds(30)
        )
        return Crash(outcome: outcome, spool: spool, reports: Children.reports(in: spool.path))
    }

    private func number(of signal: String) throws -> Int32 {
        let numbers = [
            "SIGQUIT": SIGQUIT, "SIGILL": SIGILL, "SIGTRAP": SIGTRAP, "SIGABRT": SIGABRT, "SIGBUS": SIGBUS,
            "SIGFPE": SIGFPE, "SIGSEGV": SIGSEGV, "SIGSYS": SIGSYS,
        ]
        return try #require(numbers[signal])
    }
}
