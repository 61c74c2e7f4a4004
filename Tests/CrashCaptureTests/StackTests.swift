#if os(Linux)

    import CrashReport
    import Foundation
    import TestSupport
    import Testing

    /// The crashed thread's stack: right where unwinding is easy, and still a report where it is not.
    @Suite struct StackTests {
        @Test func framesOfAPlainCrash() async throws {
            let report = try await CaptureRun("segv").onlyReport()
            let stack = try #require(report.crashedThread)
            let names = try await ChildSymbols().names(stack)
            #expect(names.prefix(3) == ["capture_child_segv", "run", "capture_child_main"])
            #expect(stack.frames.map(\.trust).first == .context)
            #expect(stack.frames.dropFirst().allSatisfy { $0.trust == .cfi })
            #expect(stack.truncated == nil)
            #expect(names.last == "_start")
        }

        @Test(arguments: ["null-call", "wild-call"])
        func callThroughABadPointerKeepsTheCaller(kind: String) async throws {
            let run = try await CaptureRun(kind)
            #expect(run.outcome.status == .signalled(SIGSEGV))
            let report = try run.onlyReport()
            let stack = try #require(report.crashedThread)
            let names = try await ChildSymbols().names(stack)
            let function = kind == "null-call" ? "capture_child_null_call" : "capture_child_wild_call"
            #expect(stack.frames.first?.address == report.crash?.faultAddress)
            #expect(names.dropFirst().first == function)
            #expect(names.last == "_start")
        }

        @Test func deepStackKeepsFirstAndLastFrames() async throws {
            let report = try await CaptureRun("deep:1000").onlyReport()
            let stack = try #require(report.crashedThread)
            let names = try await ChildSymbols().names(stack)
            #expect(stack.frames.count == 192)
            #expect(stack.omitted?.index == 128)
            // 1,001 frames of the recursion, the crash, and those below.
            let below = try #require(names.lastIndex(of: "capture_child_recurse")).distance(to: names.count) - 1
            #expect(stack.omitted?.count == 1 + 1001 + below - 192)
            #expect(names.last == "_start")
            #expect(stack.truncated == nil)
        }

        @Test(arguments: ["overflow", "thread-overflow", "thread-overflow-small", "thread-overflow-own"])
        func stackOverflowOnAnyThread(kind: String) async throws {
            let run = try await CaptureRun(kind)
            #expect(run.outcome.status == .signalled(SIGSEGV))
            let report = try run.onlyReport()
            let stack = try #require(report.crashedThread)
            let names = try await ChildSymbols().names(stack)
            #expect(names.first == "capture_child_recurse")
            #expect(names.contains(kind == "overflow" ? "capture_child_main" : "overflow_on_thread"))
            #expect(stack.frames.count == 192)
            #expect(report.end?.cut == [])
        }

        /// Also where no timer can be created: the limit of pending signals is reached, or a sandbox refuses it.
        @Test(arguments: Emulation.isOn ? [[]] : [[], ["--signal-limit", "0"], ["--sandbox", "yes"]])
        func walkIsBoundedByTheDeadline(options: [String]) async throws {
            // A fast machine comes to the limit of steps before the time is over: it gets less time.
            for deadline in Emulation.isOn ? [1200] : [120, 60, 30, 15] {
                let run = try await CaptureRun(
                    "thread-deep:8000000",
                    options + ["--capture-deadline", "\(deadline)"]
                )
                #expect(run.outcome.status == .signalled(SIGSEGV))
                let report = try run.onlyReport()
                let stack = try #require(report.crashedThread)
                #expect(stack.frames.count == 192)
                #expect(!report.images.isEmpty)
                if stack.truncated == "limit" { continue }
                #expect(stack.truncated == "deadline")
                #expect(report.end?.cut.contains(CutStage(stage: "unwind", reason: "deadline")) == true)
                return
            }
            Issue.record("no deadline ended the walk before its limit of steps")
        }

        @Test(.notEmulated("its linker puts strings on the page of the unwind tables"))
        func faultInTheUnwinderLeavesTheStageOnly() async throws {
            let run = try await CaptureRun("no-tables")
            #expect(run.outcome.status == .signalled(SIGSEGV))
            let report = try run.onlyReport()
            #expect(report.crashedThread?.truncated == "fault")
            #expect(report.crashedThread?.frames.count == 2)
            // The unwinder may hold its own lock now: nobody asks it again.
            #expect(
                report.end?.cut == [
                    CutStage(stage: "unwind", reason: "fault"), CutStage(stage: "await", reason: "fault"),
                ]
            )
            #expect(report.end?.stages == ["header", "park", "loader", "task", "stack", "images", "threads"])
            #expect(!report.images.isEmpty)
        }

        /// Contexts of async functions that go on and on, in a circle, to nowhere, and into data.
        @Test(arguments: [
            ("async:3", 3, nil), ("async:64", 64, nil), ("async:65", 64, "limit"),
            ("async-circle", 5, "unreadable"),
            ("async-wild", 3, "unreadable"), ("async-data", 3, "unreadable"),
        ])
        func asyncCallersAreBounded(kind: String, count: Int, reason: String?) async throws {
            let run = try await CaptureRun(kind)
            #expect(run.outcome.status == .signalled(SIGSEGV))
            let report = try run.onlyReport()
            let stack = try #require(report.crashedThread)
            let names = try await ChildSymbols().names(stack)
            #expect(names.prefix(2) == ["capture_child_segv", "capture_child_async"])
            #expect(names.last == "_start")
            #expect(stack.frames.dropFirst(2).prefix(count).allSatisfy { $0.trust == .await })
            #expect(stack.frames.count { $0.trust == .await } == count)
            #expect(Set(stack.frames.filter { $0.trust == .await }.map(\.address)).count == 1)
            #expect(report.end?.cut == reason.map { [CutStage(stage: "await", reason: $0)] } ?? [])
            #expect(report.end?.stages.contains("await") == (reason == nil))
        }

        /// Functions that Swift's compiler made, optimised (Tests/Emulation/AsyncFrames.swift). The second kind traps without a
        /// frame of its own.
        @Test(
            .enabled(if: Emulation.isOn, "EndToEndTests crashes real tasks"),
            arguments: [
                ("compiled", SIGSEGV, ["9innermostyS2iYaFTY0_"], ["6middleyS2iYaFTQ0_", "9outermostyS2iYaFTQ0_"]),
                ("compiled-overflow", SIGTRAP, ["11overflowingyS2iYaFTY0_"], ["8overflowyS2iYaFTQ0_"]),
            ]
        )
        func asyncCallersOfCompiledFunctions(kind: String, signal: Int32, pieces: [String], callers: [String])
            async throws
        {
            let run = try await CaptureRun(kind)
            #expect(run.outcome.status == .signalled(signal))
            let report = try run.onlyReport()
            let stack = try #require(report.crashedThread)
            let names = try await ChildSymbols().names(stack)
            let expected = (pieces + callers).map { "$s11AsyncFrames\($0)" } + ["capture_child_task_end"]
            let first = kind == "compiled" ? 1 : 0
            #expect(Array(names.dropFirst(first).prefix(expected.count)) == expected)
            #expect(stack.frames.filter { $0.trust == .await }.count == callers.count + 1)
            #expect(names.last == "_start")
            #expect(report.end?.cut == [])
        }

        /// Where libunwind cannot be loaded: its name is that of an empty file.
        @Test(arguments: [
            ("segv", ["segv"]), ("signed", ["segv", "signed_inner", "unsigned"]),
        ])
        func framePointersWithoutLibunwind(kind: String, functions: [String]) async throws {
            let libraries = try TemporaryDirectory()
            try Data().write(to: URL(fileURLWithPath: "\(libraries.path)/libunwind.so.8"))
            let run = try await CaptureRun(kind, environment: ["LD_LIBRARY_PATH": libraries.path])
            #expect(run.outcome.status == .signalled(SIGSEGV))
            let report = try run.onlyReport()
            let stack = try #require(report.crashedThread)
            #expect(report.end?.unwinder == "frame-pointer")
            #expect(stack.frames.dropFirst().allSatisfy { $0.trust == .fp })
            let names = try await ChildSymbols().names(stack)
            #expect(names.starts(with: functions.map { "capture_child_\($0)" }))
            #expect(names.suffix(from: names.firstIndex(of: "run") ?? 0).prefix(2) == ["run", "capture_child_main"])
        }

        /// Functions that sign their return address. One among them has no frame record: there its caller is not known. (On x86_64
        /// the same without signing.)
        @Test func signedReturnAddresses() async throws {
            let run = try await CaptureRun("signed")
            #expect(run.outcome.status == .signalled(SIGSEGV))
            let report = try run.onlyReport()
            let stack = try #require(report.crashedThread)
            let names = try await ChildSymbols().names(stack)
            let bare = Emulation.isAarch64 ? ["signed_bare"] : ["signed_bare", "signed_outer"]
            let expected = ["segv", "signed_inner", "unsigned"] + bare
            #expect(names.starts(with: expected.map { "capture_child_\($0)" } + ["run", "capture_child_main"]))
            #expect(names.contains("main"))
            #expect(stack.frames.prefix(2).map(\.trust) == [.context, .cfi])
        }

        @Test func damagedStackPointer() async throws {
            let run = try await CaptureRun("bad-stack")
            #expect(run.outcome.status == .signalled(SIGILL))
            let stack = try #require(try run.onlyReport().crashedThread)
            // Where the return address is in a register, the caller is found all the same.
            #expect(stack.frames.count == (Emulation.isAarch64 ? 2 : 1))
            #expect(stack.truncated == (Emulation.isAarch64 ? "fault" : "unreadable"))
        }

        @Test func damagedLoaderList() async throws {
            let run = try await CaptureRun("broken-loader-list")
            #expect(run.outcome.status == .signalled(SIGSEGV))
            let report = try run.onlyReport()
            #expect(report.images.count >= 2)
            #expect(Set(report.images.map(\.base)).count == report.images.count)
            #expect(report.images.first?.path == CaptureRun.executable)
        }
    }

    /// Loaded objects, compared with what the files on disk say.
    @Suite struct ImageTests {
        @Test func imagesHaveTheirRangesAndBuildIds() async throws {
            let report = try await CaptureRun("segv").onlyReport()
            #expect(report.images.first?.path == CaptureRun.executable)
            let names = report.images.map { $0.path.split(separator: "/").last.map(String.init) ?? "" }
            for expected in ["libc.so.6", "libunwind.so.8"] { #expect(names.contains(expected)) }
            // Emulators before qemu 8.2 have none.
            if !Emulation.isOn { #expect(names.contains("linux-vdso.so.1")) }
            let sorted = report.images.sorted { $0.base < $1.base }
            for (lower, upper) in zip(sorted, sorted.dropFirst()) { #expect(lower.base + lower.size <= upper.base) }
            for image in report.images where image.path.hasPrefix("/") {
                let notes = try await ChildProcess.run("/usr/bin/readelf", ["-n", CaptureRun.onDisk(image)])
                let buildID = notes.output.split(separator: "\n").first { $0.contains("Build ID:") }?
                    .split(separator: " ").last.map(String.init)
                #expect(image.buildID == buildID, "\(image.path)")
            }
        }

        @Test func framesPointIntoTheirImages() async throws {
            let report = try await CaptureRun("among:4").onlyReport()
            for frame in report.threads.flatMap(\.frames) {
                let index = try #require(frame.image)
                let image = report.images[index]
                #expect(frame.offset == frame.address - image.base)
                #expect(frame.address >= image.base && frame.address <= image.base + image.size)
            }
        }

        /// Linked, libunwind would take over the C++ exceptions of the whole service. A shared zlib would have its functions looked
        /// up by the handler, at its first call of each.
        @Test func libunwindAndZlibAreNoSharedObjectsOfTheService() async throws {
            let dynamic = try await ChildProcess.run("/usr/bin/readelf", ["-d", CaptureRun.executable])
            #expect(dynamic.output.contains("libc.so.6"))
            #expect(!dynamic.output.contains("libunwind"))
            #expect(!dynamic.output.contains("libz"))
        }
    }

#endif
