#if os(Linux)
    import Foundation
    import Synchronization

    /// A PostgreSQL server that lives as long as the process of the tests: Debian's, on a socket in a temporary directory.
    ///
    /// It does not wait for the disk (`fsync=off`), since no test takes the power away, and any user may come in, since the
    /// socket lies in a directory of its own.
    public final class PostgresServer: Sendable {
        private let process: Process
        /// Closed by the kernel when this process ends, which ends the server.
        private let lifeline: Foundation.Pipe
        private let temporary: TemporaryDirectory
        private let schemas = Atomic(0)

        private static let shared = Mutex<Result<PostgresServer, any Error>?>(nil)

        /// The one server of these tests, started when it is first asked for.
        public static func running() throws -> PostgresServer {
            try shared.withLock { shared in
                let server = shared ?? Result { try PostgresServer(in: try TemporaryDirectory(in: "/tmp")) }
                shared = server
                return try server.get()
            }
        }

        /// A server of its own on a file system of so many bytes, to be ended by `end`; nil, and why is printed, where none can be
        /// mounted.
        public static func onSmallDisk(bytes: Int) throws -> PostgresServer? {
            let directory = try TemporaryDirectory(in: "/tmp")
            guard mount("tmpfs", directory.path, "tmpfs", 0, "size=\(bytes),mode=755") == 0 else {
                print("no tmpfs for a test of the full disk (\(String(cString: strerror(errno)))); it needs root")
                return nil
            }
            do { return try PostgresServer(in: directory) } catch {
                umount2(directory.path, Int32(MNT_DETACH))
                throw error
            }
        }

        /// Ends a server on a disk of its own, and takes the disk away.
        public func end() {
            try? lifeline.fileHandleForWriting.close()
            process.waitUntilExit()
            umount2(directory, Int32(MNT_DETACH))
        }

        /// What it has lies in there.
        public var directory: String { temporary.path }

        /// URL of a schema that nobody else uses, empty as yet. It belongs to a user of its own, of the same name.
        public func freshURL() throws -> String {
            let name = "test\(schemas.add(1, ordering: .relaxed).newValue)"
            try run("CREATE ROLE \(name) LOGIN", "CREATE SCHEMA AUTHORIZATION \(name)")
            return "postgres://\(name)@/postgres?host=\(socket)"
        }

        /// Closes the connections of a URL and refuses new ones, or lets them in again.
        public func letIn(_ mayConnect: Bool, to url: String) throws {
            guard let name = url.firstMatch(of: /test\d+/)?.0 else { throw Failure(description: "not ours: \(url)") }
            try run(
                "ALTER ROLE \(name) \(mayConnect ? "LOGIN" : "NOLOGIN")",
                mayConnect
                    ? "SELECT 1"
                    : "SELECT pg_terminate_backend(pid, 600000) FROM pg_stat_activity WHERE usename = '\(name)'"
            )
        }

        /// Runs SQL as the server's owner.
        private func run(_ sql: String...) throws {
            let psql = Process()
            psql.executableURL = URL(fileURLWithPath: try Self.program("psql"))
            psql.arguments =
                [
                    "-X", "-q", "-o", "/dev/null", "-v", "ON_ERROR_STOP=1", "-d",
                    "postgres://mayday@/postgres?host=\(socket)",
                ]
                + sql.flatMap { ["-c", $0] }
            psql.environment = Self.environment
            try psql.run()
            psql.waitUntilExit()
            guard psql.terminationStatus == 0 else {
                throw Failure(description: "psql ended with \(psql.terminationStatus): \(sql)")
            }
        }

        private var socket: String { temporary.path }
        private static let environment = ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8"]

        /// The path of a socket is short, and another user must come to the directory.
        private init(in directory: TemporaryDirectory) throws {
            temporary = directory
            let control = try Self.program("pg_ctl")
            // The shell waits for the end of its input, which comes however these tests end, and then ends the server.
            let script = """
                set -e
                cd \(temporary.path)
                trap '' INT TERM
                \(control) -s -D data initdb -o '-A trust -U mayday -E UTF8 --locale=C.UTF-8 -N' >log 2>&1
                \(control) -s -w -t 900 -D data -l log start -o "-k \(temporary.path) -c listen_addresses= \
                -c fsync=off -c max_connections=300" >>log 2>&1
                echo ready
                cat >/dev/null || true
                \(control) -s -D data -m immediate stop >>log 2>&1 || true
                rm -rf \(temporary.path)
                """
            lifeline = Foundation.Pipe()
            _ = fcntl(lifeline.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
            process = Process()
            // PostgreSQL refuses to run as root.
            let change = geteuid() == 0 ? try Self.changeUser(temporary.path) : []
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = change + ["/bin/sh", "-c", script]
            process.environment = Self.environment
            process.standardInput = lifeline
            let output = Foundation.Pipe()
            process.standardOutput = output
            try process.run()
            guard output.fileHandleForReading.availableData == Data("ready\n".utf8) else {
                let said = (try? String(contentsOfFile: "\(temporary.path)/log", encoding: .utf8)) ?? "no log"
                throw Failure(description: "PostgreSQL did not start: \(said)")
            }
        }

        /// The command that runs another as a user of no rights, who gets the directory.
        private static func changeUser(_ directory: String) throws -> [String] {
            for name in ["postgres", "nobody"] {
                guard let user = getpwnam(name)?.pointee else { continue }
                guard chown(directory, user.pw_uid, user.pw_gid) == 0, chmod(directory, 0o755) == 0 else {
                    throw SystemError(call: "chown \(directory)", code: errno)
                }
                return ["setpriv", "--reuid=\(user.pw_uid)", "--regid=\(user.pw_gid)", "--clear-groups"]
            }
            throw Failure(description: "PostgreSQL does not run as root, and there is no user postgres or nobody")
        }

        /// A program of the newest PostgreSQL that is installed as Debian does.
        private static func program(_ name: String) throws -> String {
            let base = "/usr/lib/postgresql"
            let versions = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
            let newest = versions.compactMap { Int($0) }.sorted(by: >).map { "\(base)/\($0)/bin/\(name)" }
            guard let path = newest.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
                throw Failure(description: "no \(name) in \(base)/*/bin: run scripts/install-packages")
            }
            return path
        }

        /// The server did not do what was expected.
        public struct Failure: Error, CustomStringConvertible {
            /// What happened.
            public let description: String
        }
    }
#endif
