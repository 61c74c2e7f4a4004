#if os(Linux)

    import CrashReport
    import Foundation
    import TestSupport
    import Testing

    /// What a process may live with: it ends as without us, and its report is there.
    @Suite(.notEmulated("it is about this machine's kernel"))
    struct HostTests {
        private func crash(_ kind: String, _ options: [String] = [], _ environment: [String: String] = [:]) async throws
            -> (report: Report, outcome: ChildProcess.Outcome)
        {
            let run = try await CaptureRun(kind, options, environment: environment)
            let plain = try await CaptureRun.plain(kind, options, environment: environment)
            #expect(run.outcome.status == plain.status)
            return (try run.onlyReport(), run.outcome)
        }

        // MARK: Memory

        @Test(arguments: ["address-space", "data"])
        func memoryIsUsedUp(limit: String) async throws {
            let report = try await crash(limit).report
            #expect(report.crash?.faultAddress == 0x18)
            #expect(report.end?.cut == [])
        }

        @Test(arguments: ["tiny-stack", "tiny-stack-overflow"])
        func smallestStackThereIs(kind: String) async throws {
            let report = try await crash(kind).report
            #expect(report.crash?.signal.name == "SIGSEGV")
            #expect(report.threads.count == 2)
            #expect(report.end?.cut == [])
        }

        /// Less stack than the main thread has elsewhere.
        @Test func lowStackLimit() async throws {
            let spool = try TemporaryDirectory()
            let outcome = try await ChildProcess.run(
                "/bin/sh",
                ["-c", "ulimit -s 128; exec \"$@\"", "sh", CaptureRun.child, "--spool", spool.path, "overflow"],
                environment: CaptureRun.environment
            )
            #expect(outcome.status == .signalled(SIGSEGV))
            let files = try FileManager.default.contentsOfDirectory(atPath: spool.path)
                .filter { !$0.hasPrefix("last-") }
            #expect(files.count == 1)
            let report = try CaptureRun.report(at: "\(spool.path)/\(files[0])")
            #expect(report.end?.cut == [])
            #expect(report.crashedThread?.frames.last?.image != nil)
        }

        // MARK: Children

        /// The reporter is a child as well: whoever ignores or takes all children changes nothing.
        @Test(arguments: [["--children", "ignore"], ["--children", "no-wait"], []])
        func nobodyWaitsForChildren(options: [String]) async throws {
            let out = try TemporaryDirectory()
            for kind in ["segv", "reaper"] {
                let run = try await CaptureRun(kind, options + ["--reporter", "ok", "--out", out.path])
                #expect(run.outcome.status == .signalled(SIGSEGV))
                #expect(try run.files == [])
                #expect(try CaptureRun.report(at: "\(out.path)/delivered").crash != nil)
                #expect(run.outcome.errors.hasSuffix("\nreporter: delivered\n"), "\(run.outcome.errors)")
                try FileManager.default.removeItem(atPath: "\(out.path)/delivered")
            }
        }

        /// Delivered from memory, and the process knows it.
        @Test(arguments: ["ignore", "no-wait"])
        func childrenAreIgnoredAndThereIsNoSpool(mode: String) async throws {
            let out = try TemporaryDirectory()
            let outcome = try await ChildProcess.run(
                CaptureRun.child,
                ["--children", mode, "--reporter", "ok", "--out", out.path, "segv"],
                environment: CaptureRun.environment
            )
            #expect(outcome.status == .signalled(SIGSEGV))
            #expect(outcome.errors.hasSuffix("\nreporter: delivered\n"), "\(outcome.errors)")
        }

        /// Another program's crash is not ours.
        @Test(arguments: ["fork-exec", "spawn"])
        func executedChildHasNoReport(how: String) async throws {
            let run = try await CaptureRun(how, environment: ["CHILD_KIND": "segv"])
            #expect(run.outcome.status == .exited(0))
            #expect(run.outcome.output.hasSuffix("\nchild ended by signal 11, status -1\n"))
            #expect(try run.files == [])
            #expect(run.outcome.errors == "")
        }

        @Test(arguments: ["fork-exec", "spawn"])
        func executedChildInheritsNoDescriptor(how: String) async throws {
            let run = try await CaptureRun(how, environment: ["CHILD_KIND": "descriptors"])
            let counts = run.outcome.output.split(separator: "\n").prefix(2).map { $0.split(separator: " ") }
            #expect(counts.map(\.first) == ["before", "descriptors"])
            #expect(counts[0].last == counts[1].last)
        }

        /// A child of vfork() shares the memory: it has its report, and its parent one later.
        @Test func childThatSharesTheMemory() async throws {
            let run = try await CaptureRun("vfork")
            #expect(run.outcome.status == .signalled(SIGABRT))
            #expect(run.outcome.output == "child ended by signal 11, status -1\n")
            let reports = try run.files.sorted().map { try CaptureRun.report(at: "\(run.spool.path)/\($0)") }
            try #require(reports.count == 2)
            #expect(reports.map(\.crash?.signal.name) == ["SIGSEGV", "SIGABRT"])
            #expect(reports.map(\.header.process.forked) == [true, false])
            #expect(reports.allSatisfy { $0.end?.cut == [] && $0.threads.count == 1 })
        }

        /// Threads are in the middle of it: until the child executes, it shares the memory and the thread that made it waits.
        @Test func othersStartPrograms() async throws {
            for _ in 0..<10 {
                let report = try await crash("spawners:4").report
                #expect(report.threads.count == 5)
                #expect(report.end?.cut == [])
            }
        }

        // MARK: Handlers

        /// As a library does that restores what it found and has the signal come again.
        @Test(arguments: ["segv", "kill:11"])
        func laterHandlerThatPutsOursBack(kind: String) async throws {
            let run = try await CaptureRun(kind, ["--after", "put-back"])
            #expect(run.outcome.output == "after\n")
            if kind == "segv" {
                #expect(run.outcome.status == .signalled(SIGSEGV))
                #expect(try run.onlyReport().crash?.faultAddress == 0x18)
            } else {
                // What was sent does not come again: it was that handler's.
                #expect(run.outcome.status == .exited(0))
                #expect(try run.files == [])
            }
        }

        @Test func laterHandlerThatCallsOurs() async throws {
            let run = try await CaptureRun("segv", ["--after", "chain"])
            #expect(run.outcome.status == .signalled(SIGSEGV))
            #expect(run.outcome.output == "after\n")
            #expect(try run.onlyReport().crash?.faultAddress == 0x18)
        }

        /// It replaces ours: there is no report, and the process ends as that handler wants.
        @Test(arguments: ["segv", "abort"])
        func laterHandlerThatReplacesOurs(kind: String) async throws {
            let run = try await CaptureRun(kind, ["--after", "exit"])
            #expect(run.outcome.status == .exited(43))
            #expect(try run.files == [])
        }

        // MARK: Libraries

        /// Compiles a library.
        private func library(_ source: String, as name: String, in directory: TemporaryDirectory) async throws -> String
        {
            let path = "\(directory.path)/library.so"
            let file = "\(directory.path)/\(name)"
            try Data(source.utf8).write(to: URL(fileURLWithPath: file))
            let outcome = try await ChildProcess.run(
                "/usr/bin/env",
                [
                    name.hasSuffix(".cpp") ? "clang++" : "clang", "-shared", "-fPIC", "-O0", "-pthread", "-o", path,
                    file,
                ],
                environment: ProcessInfo.processInfo.environment
            )
            try #require(outcome.status == .exited(0), "\(outcome.errors)")
            return path
        }

        /// One with a constructor that crashes when CHILD_CONSTRUCTOR is set.
        private func library(in directory: TemporaryDirectory) async throws -> String {
            let source = """
                #include <stdlib.h>
                void library_crash(void) { *(volatile int *)0x18 = 1; }
                __attribute__((constructor)) static void begin(void) { if (getenv("CHILD_CONSTRUCTOR")) library_crash(); }
                """
            return try await library(source, as: "library.c", in: directory)
        }

        /// In a function of it, and in its constructor, while the loader's lock is held.
        @Test(arguments: [false, true])
        func insideALibraryThatWasOpenedLater(constructor: Bool) async throws {
            let directory = try TemporaryDirectory()
            let path = try await library(in: directory)
            var environment = ["CHILD_LIBRARY": path]
            if constructor { environment["CHILD_CONSTRUCTOR"] = "1" }
            let report = try await crash("library", [], environment).report
            let image = try #require(report.images.firstIndex { $0.path == path })
            let frames = try #require(report.crashedThread?.frames)
            #expect(frames.first?.image == image)
            #expect(frames.contains { $0.image == 0 })
            #expect(frames.dropFirst().allSatisfy { $0.trust == .cfi })
            #expect(report.end?.cut == [])
        }

        @Test func insideALibraryThatWasClosed() async throws {
            let directory = try TemporaryDirectory()
            let path = try await library(in: directory)
            let report = try await crash("library-gone", [], ["CHILD_LIBRARY": path]).report
            #expect(!report.images.contains { $0.path == path })
            let frames = try #require(report.crashedThread?.frames)
            #expect(frames.first?.image == nil)
            #expect(frames.dropFirst().first?.image == 0, "the caller is found all the same")
            #expect(report.end?.cut == [])
        }

        /// Exceptions that are thrown in `throw_one`, and caught ten frames below. What their unwinding runs may crash.
        private static let exceptions = """
            #include <atomic>
            #include <stdexcept>
            #include <string>
            extern "C" {
            std::atomic<int> library_done{0}, library_workers{0};
            }
            static thread_local bool crashes = false;
            struct Local {
                ~Local() { if (crashes) *(volatile int *)0x18 = 1; }
            };
            static void throw_one(int depth) {
                Local local;
                if (depth == 0) throw std::runtime_error("number " + std::to_string(library_done));
                throw_one(depth - 1);
            }
            static void catch_one() {
                try { throw_one(10); } catch (const std::exception &) { library_done++; }
            }
            extern "C" void library_work() {
                library_workers++;
                for (;;) catch_one();
            }
            extern "C" void library_crash() { crashes = true; catch_one(); }
            """

        /// Threads stand still while their exceptions are being unwound, with whatever the C++ runtime holds then.
        @Test func othersThrow() async throws {
            let directory = try TemporaryDirectory()
            let path = try await library(Self.exceptions, as: "library.cpp", in: directory)
            for _ in 0..<10 {
                let report = try await crash("library-beside:8", [], ["CHILD_LIBRARY": path]).report
                #expect(report.threads.count == 9)
                #expect(report.threads.allSatisfy { $0.truncated == nil })
                #expect(report.end?.cut == [])
            }
        }

        /// The destructor of a local variable crashes, while an exception passes by.
        @Test func inTheMiddleOfAnException() async throws {
            let directory = try TemporaryDirectory()
            let path = try await library(Self.exceptions, as: "library.cpp", in: directory)
            let report = try await crash("library", [], ["CHILD_LIBRARY": path]).report
            let frames = try #require(report.crashedThread?.frames)
            #expect(frames.first?.image.map { report.images[$0].path } == path)
            #expect(frames.dropFirst().allSatisfy { $0.trust == .cfi })
            #expect(frames.contains { $0.image == 0 })
            #expect(report.end?.cut == [])
        }

        // MARK: File systems

        /// Runs a shell script with the child as `$1`, in mounts of its own.
        private func inMounts(_ script: String, _ arguments: [String]) async throws -> ChildProcess.Outcome? {
            let unshare = "/usr/bin/unshare"
            let probe = try await ChildProcess.run(unshare, ["-m", "true"], environment: CaptureRun.environment)
            guard probe.status == .exited(0) else {
                print("skipped: unshare -m is not allowed here: \(probe.errors)")
                return nil
            }
            return try await ChildProcess.run(
                unshare,
                ["-m", "sh", "-c", script, "sh", CaptureRun.child] + arguments,
                environment: CaptureRun.environment
            )
        }

        /// Threads are found without the kernel's list, and without their names.
        @Test func noProc() async throws {
            let (spool, out) = (try TemporaryDirectory(), try TemporaryDirectory())
            let script = """
                mount -t tmpfs none /proc && "$1" --spool "$2" --reporter ok --out "$3" among:4; exit $?
                """
            guard let outcome = try await inMounts(script, [spool.path, out.path]) else { return }
            #expect(outcome.status == .exited(128 + SIGSEGV))
            let report = try CaptureRun.report(at: "\(out.path)/delivered")
            #expect(report.threads.count == 5)
            #expect(report.threads.dropFirst().allSatisfy { $0.name == nil && $0.frames.count > 1 })
            #expect(report.end?.cut == [CutStage(stage: "park", reason: "io")])
            #expect(report.images.count > 5)
        }

        /// A daemon that changes its root after `start`: nothing is there any more but what is held.
        @Test func otherRoot() async throws {
            guard geteuid() == 0 else { return print("skipped: only root may change its root") }
            let root = try TemporaryDirectory()
            let run = try await CaptureRun("other-root", ["--reporter", "ok"], environment: ["CHILD_ROOT": root.path])
            #expect(run.outcome.status == .signalled(SIGSEGV))
            let report = try run.onlyReport()
            #expect(report.threads.count == 5)
            #expect(report.threads.dropFirst().allSatisfy { $0.name == "idler" })
            #expect(report.end?.cut == [])
            #expect(run.outcome.errors.contains("not delivered: the reporter "), "\(run.outcome.errors)")
        }

        /// Nothing on the machine can be written to: the log takes the report.
        @Test func readOnlyRoot() async throws {
            let spool = try TemporaryDirectory()
            let script = "mount -o remount,bind,ro / && \"$1\" --spool \"$2\" --reporter fail segv; exit $?"
            guard let outcome = try await inMounts(script, [spool.path]) else { return }
            #expect(outcome.status == .exited(128 + SIGSEGV), "\(outcome.errors)")
            #expect(outcome.errors.contains(" in memory only (\(spool.path): read-only file system)\n"))
            let report = try LastResortTests.report(outcome)
            #expect(report.crash?.faultAddress == 0x18)
        }
    }

#endif
