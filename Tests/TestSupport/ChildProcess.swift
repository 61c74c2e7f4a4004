#if os(Linux)

    import Foundation
    import Synchronization

    /// A real child process, whose output and end can be waited for.
    ///
    /// It is killed at its time limit, and when the last reference goes.
    public final class ChildProcess: Sendable {
        /// How a child ended.
        public enum Status: Sendable, Equatable, CustomStringConvertible {
            /// By `exit` or by returning from `main`.
            case exited(Int32)
            /// By a signal.
            case signalled(Int32)
            /// By us, at its time limit.
            case timedOut

            /// `exit 3`, `signal 11`.
            public var description: String {
                switch self {
                case .exited(let code): "exit \(code)"
                case .signalled(let number): "signal \(number)"
                case .timedOut: "killed at its time limit"
                }
            }
        }

        /// A child that ended.
        public struct Outcome: Sendable {
            /// How it ended.
            public let status: Status
            /// True when the kernel wrote a core file.
            public let dumpedCore: Bool
            /// All of its standard output.
            public let output: String
            /// All of its standard error.
            public let errors: String
        }

        /// Its process id.
        public let pid: Int32
        private let watch: Watch

        /// Starts `path`, found as it is, with nothing of this process's environment.
        ///
        /// - Parameters:
        ///   - descriptors: what it inherits, by the number it has there.
        ///   - limit: how long it may live.
        public init(
            _ path: String,
            _ arguments: [String] = [],
            environment: [String: String] = [:],
            descriptors: [Int32: Int32] = [:],
            limit: Duration = Patience.wait
        ) throws {
            let output = try Pipe()
            let errors = try Pipe()
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, output.write, 1)
            posix_spawn_file_actions_adddup2(&actions, errors.write, 2)
            for (number, own) in descriptors { posix_spawn_file_actions_adddup2(&actions, own, number) }
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            var none = sigset_t()
            sigemptyset(&none)
            posix_spawnattr_setsigmask(&attributes, &none)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

            var pid: pid_t = 0
            let code = withCStrings([path] + arguments) { arguments in
                withCStrings(environment.map { "\($0)=\($1)" }) { environment in
                    starting.withLock { _ in posix_spawn(&pid, path, &actions, &attributes, arguments, environment) }
                }
            }
            close(output.write)
            close(errors.write)
            guard code == 0 else {
                close(output.read)
                close(errors.read)
                throw SystemError(call: "posix_spawn \(path)", code: code)
            }
            self.pid = pid
            watch = try Watch(pid: pid, output: output.read, errors: errors.read, limit: limit)
        }

        deinit {
            watch.kill(SIGKILL)
        }

        /// For children that run to their end. All tests begin at once: more children than the machine can run would only wait for each
        /// other, and come to the end of their own times.
        public static let turnstile = Turnstile(ProcessInfo.processInfo.activeProcessorCount * 6)

        /// Starts a child when it has its turn, and waits for its end.
        ///
        /// - Parameter turnstile: another one for children of another kind; nil where they have their turn already.
        public static func run(
            _ path: String,
            _ arguments: [String] = [],
            environment: [String: String] = [:],
            turnstile: Turnstile? = turnstile
        ) async throws -> Outcome {
            func run() async throws -> Outcome {
                try await ChildProcess(path, arguments, environment: environment).outcome()
            }
            guard let turnstile else { return try await run() }
            return try await turnstile.pass(run)
        }

        /// Waits for its end.
        public func outcome() async -> Outcome {
            await watch.outcome()
        }

        /// One of the child's two outputs.
        public enum Stream: Sendable {
            /// Standard output.
            case output
            /// Standard error.
            case errors
        }

        /// Waits until an output holds a line that contains `text`, or so many of them, and returns the last of these; nil when the
        /// child ended without it.
        public func line(containing text: String, number: Int = 1, in stream: Stream = .output) async -> String? {
            await watch.line(containing: text, number: number, in: stream)
        }

        /// Sends it a signal, if it still lives.
        public func kill(_ signal: Int32) {
            watch.kill(signal)
        }
    }

    /// Held while a pipe is made and while a child is started: no child inherits another's.
    private let starting = Mutex(())

    /// A pipe that no child of this file inherits. Reading does not block.
    struct Pipe {
        let read: Int32
        let write: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            let code = starting.withLock { _ -> Int32 in
                guard pipe(&ends) == 0 else { return errno }
                for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
                return 0
            }
            guard code == 0 else { throw SystemError(call: "pipe", code: code) }
            (read, write) = (ends[0], ends[1])
            _ = fcntl(read, F_SETFL, O_NONBLOCK)
        }
    }

    /// Calls `body` with a NULL-terminated array of C strings.
    private func withCStrings<Result>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let copies: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
        defer { copies.forEach { free($0) } }
        return body(copies)
    }

#endif
