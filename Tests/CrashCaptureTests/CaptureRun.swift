#if os(Linux)

    import CrashReport
    import Foundation
    import TestSupport
    import Testing

    /// One run of CaptureChild, with the spool it wrote to.
    struct CaptureRun {
        /// The child's end and output.
        let outcome: ChildProcess.Outcome
        /// Its spool directory.
        let spool: TemporaryDirectory

        /// Runs the child until it ends as `kind` does.
        init(_ kind: String, _ options: [String] = [], environment: [String: String] = [:]) async throws {
            spool = try TemporaryDirectory()
            outcome = try await ChildProcess.run(
                Self.child,
                ["--spool", spool.path] + Emulation.options + options + [kind],
                environment: Self.environment.merging(environment) { $1 }
            )
        }

        /// The same end without the capture.
        static func plain(
            _ kind: String,
            _ options: [String] = [],
            environment: [String: String] = [:]
        ) async throws -> ChildProcess.Outcome {
            try await ChildProcess.run(
                child,
                ["--no-capture"] + options + [kind],
                environment: Self.environment.merging(environment) { $1 }
            )
        }

        /// A check of CaptureChild's, which survives and prints.
        static func lines(_ check: String) async throws -> [String] {
            let outcome = try await ChildProcess.run(child, [check], environment: environment)
            #expect(outcome.status == .exited(0), "\(outcome.errors)")
            return outcome.output.split(separator: "\n").map(String.init)
        }

        /// The names in the spool directory, but the word for the next start (last_crash.c).
        var files: [String] {
            get throws {
                try FileManager.default.contentsOfDirectory(atPath: spool.path).filter { !$0.hasPrefix("last-") }
                    .sorted()
            }
        }

        /// The report, when there is exactly one file and it is whole.
        func onlyReport(sourceLocation: SourceLocation = #_sourceLocation) throws -> Report {
            let names = try files
            try #require(
                names.count == 1 && names[0].hasSuffix(".jsonl.gz"),
                "the spool holds \(names); stderr: \(outcome.errors)",
                sourceLocation: sourceLocation
            )
            return try Self.report(at: "\(spool.path)/\(names[0])", sourceLocation: sourceLocation)
        }

        /// Reads a report that must be whole.
        static func report(at path: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Report {
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            let decoded = try Report.decode(gzip: [UInt8](data))
            #expect(decoded.isComplete, "the report was cut short", sourceLocation: sourceLocation)
            #expect(decoded.warnings == [], sourceLocation: sourceLocation)
            var report = decoded.report
            report.threads.removeAll(where: Emulation.isOfTheEmulator)
            return report
        }

        /// Swift's own backtracer is off unless a test is about it.
        static let environment = ["SWIFT_BACKTRACE": "enable=no", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]

        /// What is run as the child: the executable, or a script that runs it in an emulator.
        static let child = Emulation.child ?? executable

        /// The child's executable: beside the tests, unless it is for another machine.
        static let executable =
            Emulation.executable
            ?? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("CaptureChild").path

        /// Where this machine has the file of an image.
        static func onDisk(_ image: Image) -> String {
            guard let root = Emulation.root, image.path != executable else { return image.path }
            return root + image.path
        }
    }

    /// Functions of CaptureChild by address, so that a test can say which one a frame is in.
    struct ChildSymbols {
        private let functions: [(start: UInt64, name: String)]

        init() async throws {
            let outcome = try await ChildProcess.run("/usr/bin/nm", ["-n", CaptureRun.executable])
            functions = outcome.output.split(separator: "\n").compactMap { line in
                let parts = line.split(separator: " ")
                guard parts.count == 3, parts[1].lowercased() == "t", let start = UInt64(parts[0], radix: 16) else {
                    return nil
                }
                return (start, String(parts[2]))
            }
        }

        /// Names of the executable's functions in the stack, innermost first; nil for frames of libraries.
        func names(_ stack: ThreadStack) -> [String?] {
            stack.frames.map { frame in
                guard frame.image == 0, let offset = frame.offset else { return nil }
                let address = frame.trust.isReturnAddress ? offset - 1 : offset
                return functions.last { $0.start <= address }?.name
            }
        }
    }

#endif
