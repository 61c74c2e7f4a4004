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
        init(_ kind: String, _ options: [String] = []) async throws {
            spool = try TemporaryDirectory()
            outcome = try await ChildProcess.run(
                Self.child,
                ["--spool", spool.path] + options + [kind],
                environment: Self.environment
            )
        }

        /// The same end without the capture.
        static func plain(_ kind: String, _ options: [String] = []) async throws -> ChildProcess.Outcome {
            try await ChildProcess.run(child, ["--no-capture"] + options + [kind], environment: environment)
        }

        /// The names in the spool directory.
        var files: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: spool.path).sorted() }
        }

        /// The report, when there is exactly one file and it is whole.
        func onlyReport(sourceLocation: SourceLocation = #_sourceLocation) throws -> Report {
            let names = try files
            try #require(
                names.count == 1,
                "the spool holds \(names); stderr: \(outcome.errors)",
                sourceLocation: sourceLocation
            )
            let data = try Data(contentsOf: URL(fileURLWithPath: "\(spool.path)/\(names[0])"))
            let decoded = try Report.decode(gzip: [UInt8](data))
            #expect(decoded.isComplete, "the report was cut short", sourceLocation: sourceLocation)
            #expect(decoded.warnings == [], sourceLocation: sourceLocation)
            return decoded.report
        }

        /// Swift's own backtracer is off unless a test is about it.
        static let environment = ["SWIFT_BACKTRACE": "enable=no"]

        /// The executable beside the tests.
        static let child = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("CaptureChild").path
    }

#endif
