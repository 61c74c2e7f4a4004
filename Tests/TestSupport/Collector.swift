#if os(Linux)
    import Foundation

    /// The built `mayday` and a store of its own.
    public final class Collector: Sendable {
        /// The executable beside the tests.
        public static let mayday = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("mayday").path

        /// Where the data directory is, with room for other files.
        public let temporary: TemporaryDirectory
        /// The data directory.
        public let data: String

        /// URL of the database it uses instead of the data directory.
        private let database: String?

        /// A data directory that is not there yet, or an empty database.
        public init(database: String? = nil) throws {
            temporary = try TemporaryDirectory()
            data = "\(temporary.path)/data"
            self.database = database
        }

        /// Runs a command on the store to its end.
        public func run(_ arguments: String..., environment: [String: String] = [:]) async throws
            -> ChildProcess.Outcome
        {
            let place = database.map { ["MAYDAY_STORE": $0] } ?? ["MAYDAY_DATA": data]
            let environment = environment.merging(place) { own, _ in own }
            return try await ChildProcess.run(Self.mayday, arguments, environment: environment)
        }

        /// Starts `serve` on a free port and waits until it listens.
        ///
        /// - Parameters:
        ///   - other: a data directory that is not the usual one.
        ///   - wrapper: a program that becomes the collector, with its arguments.
        ///   - environment: variables that it gets.
        ///   - limit: how long it may live.
        public func serve(
            _ arguments: String...,
            data other: String? = nil,
            through wrapper: [String] = [],
            environment: [String: String] = [:],
            limit: Duration = Patience.server
        ) async throws -> Serving {
            let words =
                wrapper + [Self.mayday, "serve", "--listen", "127.0.0.1:0"]
                + (database.map { ["--store", $0] } ?? ["--data", other ?? data]) + arguments
            let child = try ChildProcess(
                words[0],
                Array(words.dropFirst()),
                environment: environment,
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

        /// True when it says that reports wait for digestion; false when it cannot say so.
        private var hasPending: Bool {
            let metrics = try? HTTPClient(port: port).request("GET", "/metrics").body
            return metrics?.firstMatch(of: /mayday_undigested_reports\{state="pending"\} [1-9]/) != nil
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

        /// Ends it in an orderly way, once nothing waits for digestion: at its end it gives what waits only a few seconds.
        ///
        /// - Parameter waits: false where it cannot digest any more.
        public func stop(whenDigested waits: Bool = true) async -> ChildProcess.Outcome {
            if waits { _ = await eventually { !hasPending } }
            child.kill(SIGTERM)
            return await child.outcome()
        }
    }
#endif
