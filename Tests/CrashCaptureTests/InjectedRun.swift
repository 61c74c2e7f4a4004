#if os(Linux) && arch(x86_64)

    import CrashReport
    import Foundation
    import TestSupport
    import Testing

    /// One crash in which one thing was broken (Tests/FaultInjector), and what came of it.
    struct InjectedRun: Sendable {
        /// Where: nothing was broken when it is nil, since the crash was over before.
        let place: String?
        /// How the process ended: `signal 6`.
        let end: String
        /// All that is left of the report, in the spool or with its receiver, by file name.
        let reports: [String: Result<DecodedReport, any Error>]
        /// What the injector said.
        let lines: [String]
        /// Standard error of the process.
        let errors: String

        /// They are by far the most, and others come to their turn beside them.
        static let turnstile = Turnstile(ProcessInfo.processInfo.activeProcessorCount * 3)

        /// Runs FaultChild, or another program, until it crashes as `kind` does, and breaks `target` (`--call ROLE:N`, `--function OFFSET`) in
        /// its handler by `fault`.
        init(
            _ target: [String],
            _ fault: String,
            kind: String,
            options: [String],
            program: String = "FaultChild",
            turnstile: Turnstile = turnstile
        ) async throws {
            let spool = try TemporaryDirectory()
            let out = try TemporaryDirectory()
            let outcome = try await ChildProcess.run(
                BuiltProduct.path("FaultInjector"),
                target + ["--with", fault, BuiltProduct.path(program), "--spool", spool.path, "--out", out.path]
                    + options + [kind],
                environment: CaptureRun.environment,
                turnstile: turnstile
            )
            lines = outcome.output.split(separator: "\n").filter { $0.hasPrefix("injector: ") }.map {
                String($0.dropFirst("injector: ".count))
            }
            place = lines.first { $0.hasPrefix("at ") || $0.hasPrefix("exempt ") }
            let ended = lines.last { $0.hasPrefix("ended by ") }?.dropFirst("ended by ".count)
            end = ended.map(String.init) ?? "\(outcome.status)"
            errors = outcome.errors
            var reports: [String: Result<DecodedReport, any Error>] = [:]
            for directory in [spool, out] {
                for name in try FileManager.default.contentsOfDirectory(atPath: directory.path)
                where !name.hasPrefix("last-") && name != ".delivered" {
                    reports[name] = Result {
                        let data = try Data(contentsOf: URL(fileURLWithPath: "\(directory.path)/\(name)"))
                        return try Report.decode(gzip: [UInt8](data))
                    }
                }
            }
            self.reports = reports
        }

        /// Why nothing could be broken here, if so.
        var refusal: String? { lines.first { $0.hasPrefix("ptrace is refused") } }

        /// The report, when there is one.
        func onlyReport() throws -> Report {
            try #require(reports.count == 1, "\(reports.keys.sorted()); \(errors.suffix(300))")
            return try #require(reports.values.first).get().report
        }

        /// The functions of Sources/CrashCapture, by their offset in the child.
        static func functions() async throws -> [String: String] {
            let listing = try await ChildProcess.run(
                "/usr/bin/nm",
                ["--defined-only", "--line-numbers", BuiltProduct.path("FaultChild")]
            )
            var names: [String: String] = [:]
            for line in listing.output.split(separator: "\n") where line.contains("/Sources/CrashCapture/") {
                let parts = line.split(whereSeparator: \.isWhitespace)
                if parts[1].lowercased() == "t", let offset = UInt64(parts[0], radix: 16) {
                    names[String(offset, radix: 16)] = String(parts[2])
                }
            }
            return names
        }

        /// What is wrong with the end and the report; empty when all is as it must be.
        ///
        /// Every stage must have been completed, or be named in `cut`; beside the stage that was broken, only those may be
        /// missing that cannot do without it.
        func faults(whole: Bool = true, end expected: String = "signal 6") -> [String] {
            var faults: [String] = []
            if end != expected { faults.append("ended by \(end), not \(expected)") }
            if reports.count != 1 {
                faults.append("\(reports.count) reports: \(reports.keys.sorted()); \(errors.suffix(300))")
            }
            for (name, result) in reports {
                switch result {
                case .failure(let error): faults.append("\(name) cannot be read: \(error)")
                case .success(let decoded): faults += Self.faults(decoded, whole: whole).map { "\(name) \($0)" }
                }
                if name.hasSuffix(".part") { faults.append("\(name) was left behind") }
            }
            return faults
        }

        private static func faults(_ decoded: DecodedReport, whole: Bool) -> [String] {
            var faults: [String] = decoded.warnings.map { "warns: \($0)" }
            if decoded.report.crash?.signal.name != "SIGABRT" { faults.append("has no crash") }
            guard whole else { return faults }
            guard let end = decoded.report.end else { return faults + ["has no end"] }
            // The details of two accesses are looked for when the message was found, and is whole.
            let message = decoded.report.crash?.message
            let expected = stages + (message == "Fatal access conflict detected." ? ["accesses"] : [])
            let missing = expected.filter { !end.stages.contains($0) }
            let cut = Set(end.cut.map(\.stage))
            for stage in missing where !cut.contains(stage) {
                faults.append("does not say that \(stage) was cut short")
            }
            // Without the unwinder there are no async callers, and without reads neither the task nor the accesses.
            if missing.count > 1, missing != ["unwind", "await"], missing != ["task", "accesses"] {
                faults.append("lacks \(missing)")
            }
            return faults
        }

        private static let stages = [
            "header", "park", "loader", "unwind", "await", "task", "stack", "images", "threads",
        ]
    }

#endif
