#if os(Linux)
    import CrashReport
    import Foundation
    import Testing
    import TestSupport

    /// The built `mayday` and a data directory of its own.
    final class Collector: Sendable {
        /// The executable beside the tests.
        static let mayday = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("mayday").path

        let temporary: TemporaryDirectory
        let data: String

        init() throws {
            temporary = try TemporaryDirectory()
            data = "\(temporary.path)/data"
        }

        /// Runs a command on the data directory to its end.
        func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> ChildProcess.Outcome {
            let environment = environment.merging(["MAYDAY_DATA": data]) { own, _ in own }
            return try await ChildProcess.run(Self.mayday, arguments, environment: environment)
        }

        /// Starts `serve` on a free port and waits until it listens.
        func serve(_ arguments: String...) async throws -> Serving {
            let child = try ChildProcess(
                Self.mayday,
                ["serve", "--data", data, "--listen", "127.0.0.1:0"] + arguments,
                limit: .seconds(120)
            )
            guard let line = await child.line(containing: "listening") else {
                let outcome = await child.outcome()
                throw Failure(description: "serve ended with \(outcome.status): \(outcome.errors)")
            }
            let port = try #require(line.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap { UInt16($0.1) })
            return Serving(child: child, port: port)
        }

        struct Failure: Error, CustomStringConvertible {
            let description: String
        }
    }

    /// A running `serve`.
    struct Serving: Sendable {
        let child: ChildProcess
        let port: UInt16

        /// Value of a line `NAME=VALUE` that the first start printed.
        func secret(_ name: String) async throws -> String {
            let line = try #require(await child.line(containing: "\(name)="))
            return String(line.dropFirst(name.count + 1))
        }

        /// The key in the DSN.
        func key() async throws -> String {
            let dsn = try await secret("MAYDAY_DSN")
            return try #require(dsn.firstMatch(of: /^http:\/\/([0-9a-f]{32})@127\.0\.0\.1:\d+\/1$/)).1.description
        }

        /// Sends a report.
        func post(_ body: [UInt8], key: String, project: Int = 1) throws -> HTTPClient.Answer {
            try HTTPClient(port: port).request(
                "POST",
                "/api/\(project)/reports",
                headers: ["Authorization": "Bearer \(key)", "Content-Type": "application/x-ndjson"],
                body: body
            )
        }

        /// Ends it in an orderly way, which digests what waits.
        func stop() async -> ChildProcess.Outcome {
            child.kill(SIGTERM)
            return await child.outcome()
        }
    }

    extension SampleReport {
        /// So long ago that lists show its date.
        static func old(
            _ seed: UInt64,
            hours: Int64 = 0,
            message: String? = "Fatal error: Index out of range",
            function: String = "Cart.total(of:)"
        ) -> SampleReport {
            SampleReport(
                seed: seed,
                isSymbolicated: true,
                message: message,
                time: Timestamp(microseconds: 1_705_300_000_000_000 + hours * 3_600_000_000),
                function: function
            )
        }
    }
#endif
