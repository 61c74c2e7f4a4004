#if os(Linux)

    import CrashReport
    import Foundation
    import TestSupport
    import Testing

    /// Places that take no report, or only a part of it.
    @Suite struct SpoolTests {
        /// Runs a shell script with the child as `$1`, in mounts and processes of its own.
        private func inNamespace(_ flags: [String], _ script: String, _ arguments: [String]) async throws
            -> ChildProcess.Outcome?
        {
            let probe = try await ChildProcess.run(
                "/usr/bin/unshare",
                flags + ["true"],
                environment: CaptureRun.environment
            )
            guard probe.status == .exited(0) else {
                print("skipped: unshare \(flags.joined(separator: " ")) is not allowed here: \(probe.errors)")
                return nil
            }
            return try await ChildProcess.run(
                "/usr/bin/unshare",
                flags + ["sh", "-c", script, "sh", CaptureRun.child] + arguments,
                environment: CaptureRun.environment
            )
        }

        /// Without process_vm_readv, pidfd_open, close_range and timers.
        @Test func sandboxThatRefusesNewerCalls() async throws {
            let out = try TemporaryDirectory()
            let run = try await CaptureRun("among:4", ["--sandbox", "yes", "--reporter", "ok", "--out", out.path])
            #expect(run.outcome.status == .signalled(SIGSEGV))
            #expect(run.outcome.errors.hasSuffix("delivered\n"))
            #expect(run.outcome.output.contains("descriptors 0\n"))
            let report = try CaptureRun.report(at: "\(out.path)/delivered")
            #expect(report.threads.count == 5)
            #expect(report.images.count > 10)
            #expect(report.end?.cut == [])
        }

        @Test func missingDirectory() async throws {
            let out = try TemporaryDirectory()
            let outcome = try await ChildProcess.run(
                CaptureRun.child,
                ["--spool", "\(out.path)/none", "--reporter", "ok", "--out", out.path, "segv"],
                environment: CaptureRun.environment
            )
            #expect(outcome.status == .signalled(SIGSEGV))
            #expect(
                outcome.errors.hasSuffix(" in memory only (\(out.path)/none: no such directory)\nreporter: delivered\n")
            )
            #expect(try CaptureRun.report(at: "\(out.path)/delivered").crash != nil)
        }

        @Test func directoryThatCameBack() async throws {
            let parent = try TemporaryDirectory()
            let spool = "\(parent.path)/spool"
            try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: false)
            let child = try ChildProcess(
                CaptureRun.child,
                ["--spool", spool, "wait:900"],
                environment: CaptureRun.environment
            )
            #expect(await child.line(containing: "ready") != nil)
            try FileManager.default.removeItem(atPath: spool)
            try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: false)
            child.kill(SIGABRT)
            #expect(await child.outcome().status == .signalled(SIGABRT))
            #expect(try FileManager.default.contentsOfDirectory(atPath: spool).count { $0.hasSuffix(".gz") } == 1)
        }

        @Test(arguments: [("size=64k", "fill", "no space left on the device"), ("ro", "true", "read-only file system")])
        func fullOrReadOnlyFileSystem(option: String, prepare: String, text: String) async throws {
            let out = try TemporaryDirectory()
            let spool = try TemporaryDirectory()
            let script = """
                fill() { dd if=/dev/zero of="$2/filler" bs=4k 2>/dev/null; true; }
                mount -t tmpfs -o \(option) none "$2" && \(prepare) "$1" "$2" &&
                "$1" --spool "$2" --reporter ok --out "$3" abort; status=$?; ls "$2" >&2; exit $status
                """
            guard let outcome = try await inNamespace(["-m"], script, [spool.path, out.path]) else { return }
            #expect(outcome.status == .exited(128 + SIGABRT))
            #expect(outcome.errors.contains(" in memory only (\(spool.path): \(text))\nreporter: delivered\n"))
            #expect(!outcome.errors.contains(".part\n"))
            #expect(try CaptureRun.report(at: "\(out.path)/delivered").crash?.signal.name == "SIGABRT")
        }

        /// The status line meets a broken pipe, and SIGPIPE must not end the process in the crash's place.
        @Test func deadStandardError() async throws {
            let spool = try TemporaryDirectory()
            // Writes until the reader is gone, then becomes the child.
            let script = """
                ( trap '' PIPE; while printf x; do :; done 2>/dev/null; trap - PIPE; exec "$1" --spool "$2" abort 2>&1 ) |
                true; exit ${PIPESTATUS[0]}
                """
            let outcome = try await ChildProcess.run(
                "/bin/bash",
                ["-c", script, "bash", CaptureRun.child, spool.path],
                environment: CaptureRun.environment
            )
            #expect(outcome.status == .exited(128 + SIGABRT))
            #expect(try FileManager.default.contentsOfDirectory(atPath: spool.path).count { $0.hasSuffix(".gz") } == 1)
        }

        /// The status line meets a full pipe that nobody reads.
        @Test func stalledStandardError() async throws {
            let spool = try TemporaryDirectory()
            let script = """
                mkfifo "$2/fifo" && exec 9<>"$2/fifo"
                dd if=/dev/zero of="$2/fifo" oflag=nonblock bs=4k 2>/dev/null
                "$1" --spool "$2" abort 2>&9; exit $?
                """
            let outcome = try await ChildProcess.run(
                "/bin/bash",
                ["-c", script, "bash", CaptureRun.child, spool.path],
                environment: CaptureRun.environment
            )
            #expect(outcome.status == .exited(128 + SIGABRT))
            #expect(try FileManager.default.contentsOfDirectory(atPath: spool.path).count { $0.hasSuffix(".gz") } == 1)
        }

        /// As the first process of a container, where the kernel drops default signals that the process sends itself.
        @Test(arguments: [
            ("segv", 139), ("ill", 132), ("bus", 135), ("trap", 133), ("abort", nil), ("overflow", 139),
            ("double-free", nil),
            ("kill:11", 139), ("raise:3", 131),
        ])
        func firstProcessOfAContainer(kind: String, status: Int32?) async throws {
            let spool = try TemporaryDirectory()
            let script = "exec \"$1\" --spool \"$2\" \(kind)"
            guard let outcome = try await inNamespace(["-pf"], script, [spool.path]) else { return }
            let plain = try await inNamespace(["-pf"], "exec \"$1\" --no-capture \(kind)", [])
            if let status {
                #expect(outcome.status.shellStatus == status)
            } else {
                #expect(outcome.status == plain?.status)
            }
            #expect(outcome.errors.contains("written to \(spool.path)"))
        }
    }

    extension ChildProcess.Status {
        /// As a shell would say it.
        fileprivate var shellStatus: Int32 {
            switch self {
            case .exited(let code): code
            case .signalled(let number): 128 + number
            case .timedOut: -1
            }
        }
    }

#endif
