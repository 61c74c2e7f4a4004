#if os(Linux)

    import CrashReport
    import Foundation
    import TestSupport
    import Testing

    /// What a container does to a process: its sandbox, and its limit of memory.
    @Suite(.notEmulated("it is about this machine's kernel"))
    struct ContainerTests {
        #if arch(x86_64)
            /// Docker's default profile. Delivery included: the reporter lives in the same sandbox.
            @Test(arguments: ["segv", "abort", "among:4", "overflow", "thread-overflow", "double-free"])
            func sandbox(kind: String) async throws {
                let out = try TemporaryDirectory()
                let run = try await CaptureRun(
                    kind,
                    ["--sandbox", "container", "--reporter", "ok", "--out", out.path]
                )
                let plain = try await CaptureRun.plain(kind, ["--sandbox", "container"])
                #expect(run.outcome.status == plain.status)
                #expect(run.outcome.errors.hasSuffix(".jsonl.gz\nreporter: delivered\n"), "\(run.outcome.errors)")
                let report = try CaptureRun.report(at: "\(out.path)/delivered")
                #expect(report.threads.count == (kind == "among:4" ? 5 : kind == "thread-overflow" ? 2 : 1))
                #expect(report.threads.allSatisfy { $0.truncated == nil })
                #expect(report.end?.unwinder == "libunwind")
                #expect(report.end?.cut == [])
            }

            /// It is Docker's in what it refuses, and how.
            @Test func sandboxIsDockers() async throws {
                let outcome = try await ChildProcess.run(
                    CaptureRun.child,
                    ["--no-capture", "--sandbox", "container", "sandbox-answers"],
                    environment: CaptureRun.environment
                )
                #expect(
                    outcome.output == """
                        getpid: allowed
                        mount: EPERM
                        unshare: EPERM
                        clone3: ENOSYS
                        clone of a namespace: EPERM
                        personality: allowed
                        other personality: EPERM
                        internet: allowed
                        vsock: EPERM
                        newer than all: ENOSYS
                        process_vm_readv: allowed

                        """
                )
            }
        #endif

        /// A control group with a limit of memory; it is removed with the last reference.
        private final class ControlGroup: Sendable {
            static let root = "/sys/fs/cgroup"
            /// The second version has one tree of groups, the first one for each of what it controls.
            static let isSecond = FileManager.default.fileExists(atPath: "\(root)/cgroup.controllers")

            let path: String

            init(limit: Int) throws {
                let parent = Self.isSecond ? Self.root : "\(Self.root)/memory"
                path = "\(parent)/mayday-test-\(UUID().uuidString)"
                guard mkdir(path, 0o755) == 0 else { throw SystemError(call: "mkdir \(path)", code: errno) }
                try Data("\(limit)".utf8).write(
                    to: URL(fileURLWithPath: "\(path)/\(Self.isSecond ? "memory.max" : "memory.limit_in_bytes")")
                )
            }

            deinit { rmdir(path) }
        }

        /// A crash in a group of which so much is left. nil, with a line that says so, where no group can be made.
        private func crash(leftKiB: Int, spool: TemporaryDirectory, _ options: [String]) async throws
            -> ChildProcess.Outcome?
        {
            let group: ControlGroup
            do {
                group = try ControlGroup(limit: 48 << 20)
            } catch {
                // RLIMIT_AS and RLIMIT_DATA are reached in HostTests.
                print("skipped: no control group can be made here: \(error)")
                return nil
            }
            let script = "echo $$ >\"$CHILD_CGROUP/cgroup.procs\" && exec \"$@\""
            return try await ChildProcess.run(
                "/bin/sh",
                ["-c", script, "sh", CaptureRun.child, "--spool", spool.path] + options + ["memory-limit:\(leftKiB)"],
                environment: CaptureRun.environment.merging(["CHILD_CGROUP": group.path]) { $1 }
            )
        }

        /// The capture needs next to nothing. In the last 100 KiB it is the kernel's choice, as out of memory: it charges groups in
        /// pieces, by processor.
        @Test(arguments: [4096, 1024])
        func memoryLimitIsReached(leftKiB: Int) async throws {
            let spool = try TemporaryDirectory()
            guard let outcome = try await crash(leftKiB: leftKiB, spool: spool, []) else { return }
            #expect(outcome.status == .signalled(SIGSEGV), "\(outcome.errors)")
            let kept = try FileManager.default.contentsOfDirectory(atPath: spool.path).filter { !$0.hasPrefix("last-") }
            try #require(kept.count == 1)
            let report = try CaptureRun.report(at: "\(spool.path)/\(kept[0])")
            #expect(report.crash?.faultAddress == 0x18)
            #expect(report.end?.cut == [])
        }

        /// The reporter is a program, and needs more. Where that is not left, the kernel ends the largest process of the group,
        /// which is the service: then what cannot be had is its own exit status.
        @Test func memoryLimitHasRoomForTheReporter() async throws {
            let (spool, out) = (try TemporaryDirectory(), try TemporaryDirectory())
            let options = ["--reporter", "ok", "--out", out.path]
            guard let outcome = try await crash(leftKiB: 8192, spool: spool, options) else { return }
            #expect(outcome.status == .signalled(SIGSEGV), "\(outcome.errors)")
            #expect(try CaptureRun.report(at: "\(out.path)/delivered").end?.cut == [])
        }
    }

#endif
