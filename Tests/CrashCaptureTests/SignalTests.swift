#if os(Linux)

    import CrashReport
    import Foundation
    import TestSupport
    import Testing

    /// Every signal in a real child: the process ends as without us, and the report says what happened.
    @Suite struct SignalTests {
        @Test(arguments: [
            ("segv", "SIGSEGV", "SEGV_MAPERR", true),
            ("ill", "SIGILL", nil, true),
            ("bus", "SIGBUS", "BUS_ADRERR", true),
            ("fpe", "SIGFPE", nil, nil),
            ("trap", "SIGTRAP", nil, nil),
        ])
        func fault(kind: String, signal: String, code: String?, hasAddress: Bool?) async throws {
            let run = try await CaptureRun(kind)
            let plain = try await CaptureRun.plain(kind)
            #expect(run.outcome.status == plain.status)

            let report = try run.onlyReport()
            let crash = try #require(report.crash)
            #expect(crash.signal.name == signal)
            if let code { #expect(crash.signal.codeName == code) }
            if let hasAddress { #expect((crash.faultAddress != nil) == hasAddress) }
            #expect(crash.message == nil)
            #expect(report.end?.cut == [])
            #expect(
                report.end?.stages == [
                    "header", "park", "loader", "unwind", "await", "task", "stack", "images", "threads",
                ]
            )
            #expect(report.end?.unwinder == "libunwind")
            #expect(report.crashedThread?.id == crash.thread)
        }

        /// A system call that a sandbox refuses.
        @Test(.notEmulated("qemu-user has no seccomp")) func refusedCall() async throws {
            try await fault(kind: "sys", signal: "SIGSYS", code: "SYS_SECCOMP", hasAddress: false)
        }

        @Test(arguments: ["kill", "raise"], [3, 4, 5, 6, 7, 8, 11, 31])
        func sentSignal(kind: String, number: Int) async throws {
            let run = try await CaptureRun("\(kind):\(number)")
            let plain = try await CaptureRun.plain("\(kind):\(number)")
            #expect(run.outcome.status == plain.status)
            #expect(run.outcome.status == .signalled(Int32(number)))

            let report = try run.onlyReport()
            let crash = try #require(report.crash)
            #expect(crash.signal.number == number)
            #expect(crash.signal.codeName == (kind == "kill" ? "SI_USER" : "SI_TKILL"))
            #expect(crash.faultAddress == nil)
            #expect(crash.sender?.pid == report.header.process.pid)
        }

        @Test func faultAddressIsTheOneTouched() async throws {
            let crash = try #require(try await CaptureRun("segv").onlyReport().crash)
            #expect(crash.faultAddress == 0x18)
            let names = crash.registers.map(\.name)
            if Emulation.isAarch64 {
                #expect(names == (0...30).map { "x\($0)" } + ["sp", "pc", "pstate"])
            } else {
                #expect(names.contains("rip"))
                #expect(crash.registers.first { $0.name == "cr2" }?.value == 0x18)
            }
        }

        @Test(arguments: [
            ("double-free", "free(): double free detected"),
            ("assert", "Assertion `capture_child_opaque(0) != NULL' failed."),
        ])
        func abortTextOfLibc(kind: String, text: String) async throws {
            let run = try await CaptureRun(kind)
            #expect(run.outcome.status == .signalled(SIGABRT))
            let crash = try #require(try run.onlyReport().crash)
            #expect(crash.message?.contains(text) == true)
            #expect(crash.message?.hasSuffix("\n") == false)
            #expect(crash.messageSource == "glibc")
            #expect(run.outcome.errors.contains("mayday: SIGABRT: "))
            #expect(run.outcome.errors.contains(text))
        }

        /// What faulted is there by the time the handler returns: the process ends all the same.
        @Test(.needsReporter) func faultThatWouldNotRepeat() async throws {
            let out = try TemporaryDirectory()
            let run = try await CaptureRun(
                "bus-once",
                ["--reporter", "mend", "--out", out.path],
                environment: ["CHILD_OUT": out.path]
            )
            #expect(run.outcome.errors.contains("reporter: delivered\n"))
            #expect(run.outcome.status == .signalled(SIGBUS))
        }

        /// The kernel ends a process at a fault whose signal is blocked, without calling a handler.
        /// (Arithmetic raises no SIGFPE on aarch64: there it can only be sent.)
        @Test(arguments: ["segv", "ill", "abort", "together"] + (Emulation.isAarch64 ? [] : ["fpe"]))
        func startedWithEverySignalBlocked(kind: String) async throws {
            let run = try await CaptureRun(kind, ["--blocked", "yes"])
            let plain = try await CaptureRun.plain(kind, ["--blocked", "yes"])
            #expect(run.outcome.status == plain.status)
            #expect(try run.onlyReport().crashedThread?.frames.isEmpty == false)
        }

        @Test func killedFromOutside() async throws {
            let spool = try TemporaryDirectory()
            for backtracer in ["enable=no", "enable=yes,color=no"] {
                let child = try ChildProcess(
                    CaptureRun.child,
                    ["--spool", spool.path, "wait:900"],
                    environment: CaptureRun.environment.merging(["SWIFT_BACKTRACE": backtracer]) { $1 }
                )
                #expect(await child.line(containing: "ready") != nil)
                child.kill(SIGSEGV)
                // Under Swift's backtracer alone it would live on.
                #expect(await child.outcome().status == .signalled(SIGSEGV))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: spool.path).count { $0.hasSuffix(".gz") } == 2)
        }

        /// An allocator that ends the process with 99 when the capture comes to it.
        @Test(arguments: [
            "segv", "abort", "double-free", "among:4", "overflow", "thread-overflow", "null-call", "bad-stack",
        ])
        func handlerDoesNotAllocate(kind: String) async throws {
            let run = try await CaptureRun(kind, ["--trap-allocations", "yes"])
            #expect(run.outcome.status == (try await CaptureRun.plain(kind)).status)
            #expect(try run.onlyReport().end?.stages.contains("threads") == true)
        }

        /// The same below the runtimes of Swift and C++, whose messages are read.
        @Test(
            .notEmulated("there is neither a Swift runtime nor libstdc++ for that machine here"),
            arguments: ["fatal-error", "terminate"]
        )
        func handlerDoesNotAllocateBelowRuntimes(kind: String) async throws {
            let run = try await CaptureRun(kind, ["--trap-allocations", "yes"])
            #expect(run.outcome.status == (try await CaptureRun.plain(kind)).status)
            let report = try run.onlyReport()
            #expect(report.crash?.message?.hasSuffix(kind == "terminate" ? "uncaught int" : "asked to end") == true)
            #expect(report.crash?.messageSource == (kind == "terminate" ? "terminate" : "swift"))
            #expect(report.end?.stages.contains("task") == true)
            #expect(report.end?.stages.contains("threads") == true)
        }

        @Test func trapForAllocationsWorks() async throws {
            let options = ["--trap-allocations", "yes"]
            #expect(try await CaptureRun.plain("allocate-in-capture", options).status == .exited(99))
            #expect(try await CaptureRun.plain("allocate-in-capture").status == .exited(0))
        }

        @Test func headerSaysWhatWasPrepared() async throws {
            let run = try await CaptureRun("segv")
            let header = try run.onlyReport().header
            #expect(header.version == 1)
            #expect(header.kind == .crash)
            #expect(header.release == "capture-child@1")
            #expect(header.sdk == SDKFacts(name: "mayday-swift", version: "0.1.0"))
            #expect(header.process.name == "CaptureChild")
            #expect(header.process.uptimeMilliseconds != nil)
            #expect(header.process.forked == false)
            #expect(try run.files == ["\(header.id).jsonl.gz"])
            #expect(
                run.outcome.errors.contains("; report \(header.id) written to \(run.spool.path)/\(header.id).jsonl.gz")
            )
        }

        @Test func reportIsPrivate() async throws {
            let run = try await CaptureRun("segv")
            let name = try #require(try run.files.first)
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(run.spool.path)/\(name)")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

#endif
