import CrashReport
import Foundation
import TestSupport
import Testing

@testable import Mayday

/// `Mayday.start` in real processes.
@Suite(.timeLimit(.minutes(3))) struct StartTests {
    private func run(_ arguments: [String] = [], _ environment: [String: String]) async throws -> ChildProcess.Outcome {
        try await ChildProcess.run(BuiltProduct.path("SDKChild"), arguments, environment: environment)
    }

    @Test func `a start is silent, and leaves a spool behind`() async throws {
        let home = try TemporaryDirectory()
        let outcome = try await run([], ["HOME": home.path, "MAYDAY_SERVICE": "cart"])
        #expect(outcome.status == .exited(0))
        #expect(outcome.output == "started\n")
        #expect(outcome.errors == "")
        #expect(access("\(home.path)/.local/state/mayday/cart", F_OK) == 0)
    }

    @Test func `a second start changes nothing and says so`() async throws {
        let home = try TemporaryDirectory()
        let outcome = try await run(["start-again"], ["HOME": home.path])
        #expect(outcome.status == .exited(0))
        #expect(outcome.output == "Mayday.start was called before: call it once, as the first line of main\n")
    }

    @Test func `not enabled is not there`() async throws {
        let home = try TemporaryDirectory()
        let outcome = try await run([], ["HOME": home.path, "MAYDAY_ENABLED": "no"])
        #expect(outcome.output == "started\n")
        #expect(outcome.errors == "")
        #expect(access("\(home.path)/.local", F_OK) != 0)
    }

    @Test(arguments: [
        (["MAYDAY_DELIVERY_DEADLINE": "soon"], "MAYDAY_DELIVERY_DEADLINE is \"soon\": write seconds from 0 to 60"),
        (["MAYDAY_SPOOL": "spool"], "MAYDAY_SPOOL is \"spool\": write an absolute path"),
        (["MAYDAY_DSN": "http://h/1"], "the DSN in MAYDAY_DSN: key is missing"),
    ])
    func `a mistake in the environment is an error that names it`(environment: [String: String], text: String)
        async throws
    {
        let outcome = try await run([], environment)
        #expect(outcome.status == .exited(2))
        #expect(outcome.output.hasPrefix("start: \(text)"))
    }

    @Test func `a value that is not UTF-8 is an error that names the variable`() async throws {
        let shell = "MAYDAY_SERVICE=$(printf 'a\\377b') exec \"$1\""
        let outcome = try await ChildProcess.run("/bin/sh", ["-c", shell, "sh", BuiltProduct.path("SDKChild")])
        #expect(outcome.status == .exited(2))
        #expect(outcome.output == "start: MAYDAY_SERVICE is \"a\u{fffd}b\": write it in UTF-8\n")
    }

    @Test func `without a spool the service starts, and one line says what that means`() async throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o777)
        let outcome = try await run([], ["MAYDAY_SPOOL": directory.path])
        #expect(outcome.status == .exited(0))
        #expect(outcome.output == "started\n")
        #expect(
            outcome.errors == """
                mayday: warning: reports live in memory only, and one that cannot be delivered at the crash goes to \
                standard error, for `mayday import`: \(directory.path) is writable by others (mode 0777); set MAYDAY_SPOOL \
                to a directory that does not exist yet, below one that this user may write to

                """
        )
    }

    @Test func `nothing runs at rest`() async throws {
        let home = try TemporaryDirectory()
        let outcome = try await run(["measure"], ["HOME": home.path])
        #expect(outcome.output.hasSuffix("threads 1\n"))
    }

    @Test func `without libunwind the service starts, and one line says what to install`() async throws {
        let home = try TemporaryDirectory()
        try Data("not a library".utf8).write(to: URL(fileURLWithPath: "\(home.path)/libunwind.so.8"))
        let outcome = try await run([], ["HOME": home.path, "LD_LIBRARY_PATH": home.path])
        #expect(outcome.output == "started\n")
        #expect(outcome.errors.hasPrefix("mayday: warning: stacks are found by frame pointers"))
        #expect(outcome.errors.contains("install libunwind8"))
    }
}
