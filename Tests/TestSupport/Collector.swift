#if os(Linux)
    import Foundation

    /// The built `mayday` and a data directory of its own.
    public final class Collector: Sendable {
        /// The executable beside the tests.
        public static let mayday = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("mayday").path

        /// Where the data directory is, with room for other files.
        public let temporary: TemporaryDirectory
        /// The data directory.
        public let data: String

        /// A data directory that is not there yet.
        public init() throws {
            temporary = try TemporaryDirectory()
            data = "\(temporary.path)/data"
        }

        /// Runs a command on the data directory to its end.
        public func run(_ arguments: String..., environment: [String: String] = [:]) async throws
            -> ChildProcess.Outcome
        {
            let environment = environment.merging(["MAYDAY_DATA": data]) { own, _ in own }
            return try await ChildProcess.run(Self.mayday, arguments, environment: environment)
        }

        /// Starts `serve` on a free port and waits until it listens.
        ///
        /// - Parameter limit: how long it may live.
        public func serve(_ arguments: String..., limit: Duration = .seconds(120)) async throws -> Serving {
            let child = try ChildProcess(
                Self.mayday,
                ["serve", "--data", data, "--listen", "127.0.0.1:0"] + arguments,
                limit: limit
            )
            guard let line = await child.line(containing: "listening") else {
                let outcome = await child.outcome()
                throw Failure(description: "serve ended with \(outcome.status): \(outcome.errors)")
            }
            guard let port = line.firstMatch(of: /127\.0\.0\.1:(\d+)/).flatMap({ UInt16($0.1) }) else {
                throw Failure(description: "no port in \(line)")
            }
            return Serving(child: child, port: port)
        }

        /// The collector did not do what was expected.
        public struct Failure: Error, CustomStringConvertible {
            /// What happened.
            public let description: String

            /// Says what happened.
            public init(description: String) { self.description = description }
        }
    }

    /// A running `serve`.
    public struct Serving: Sendable {
        /// The process.
        public let child: ChildProcess
        /// Where it listens.
        public let port: UInt16

        /// Value of a line `NAME=VALUE` that the first start printed.
        public func secret(_ name: String) async throws -> String {
            guard let line = await child.line(containing: "\(name)=") else {
                throw Collector.Failure(description: "serve printed no \(name)")
            }
            return String(line.dropFirst(name.count + 1))
        }

        /// The key in the DSN.
        public func key() async throws -> String {
            let dsn = try await secret("MAYDAY_DSN")
            guard let match = dsn.wholeMatch(of: /http:\/\/([0-9a-f]{32})@127\.0\.0\.1:\d+\/1/) else {
                throw Collector.Failure(description: "not a DSN: \(dsn)")
            }
            return String(match.1)
        }

        /// Sends a report.
        public func post(_ body: [UInt8], key: String, project: Int = 1) throws -> HTTPClient.Answer {
            try HTTPClient(port: port).request(
                "POST",
                "/api/\(project)/reports",
                headers: ["Authorization": "Bearer \(key)", "Content-Type": "application/x-ndjson"],
                body: body
            )
        }

        /// Ends it in an orderly way, which digests what waits.
        public func stop() async -> ChildProcess.Outcome {
            child.kill(SIGTERM)
            return await child.outcome()
        }
    }
#endif
