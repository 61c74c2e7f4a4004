#if os(Linux)

    import CrashReport
    import Foundation
    import TestSupport
    import Testing

    /// The gate's decision table: complete, in the documentation as it is in the code, and each row in a real crash.
    @Suite struct GateTests {
        @Test func everySignalHasARow() async throws {
            let decisions = try await CaptureRun.lines("gate")
            #expect(decisions.count == 288)
            #expect(decisions.filter { $0.hasSuffix(": no row") } == [])
        }

        @Test func tableOfTheDocumentationIsTheCodes() async throws {
            let rows = try await Row.all().map(\.markdown)
            let head = [
                "| | captured | at | the signal | | then |", "|---|---|---|---|---|---|",
            ]
            #expect(try Golden.difference(head + rows, part: "the gate", of: Self.page) == nil)
        }

        @Test func endOfTheDocumentationIsTheCodes() async throws {
            let actions = ["return": "returns", "requeue": "queued again", "exit": "exits"]
            let rows = try await CaptureRun.lines("end-table").map { line in
                let parts = line.components(separatedBy: "|")
                return "| \(parts[0]) | \(actions[parts[1]] ?? parts[1]) | \(actions[parts[2]] ?? parts[2]) |"
            }
            let head = ["| signal | process 1 | any other process |", "|---|---|---|"]
            #expect(try Golden.difference(head + rows, part: "the end", of: Self.page) == nil)
        }

        #if arch(x86_64)
            @Test func everyRowIsCrashed() async throws {
                #expect(try await Row.all().map(\.name).sorted() == Crash.allCases.map(\.rawValue).sorted())
            }

            @Test(.notEmulated("ptrace is not emulated"), arguments: Crash.allCases)
            func rowIsCrashed(row: Crash) async throws { try await Self.crash(row) }
        #endif

        private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/handler.md").path

        /// One row, as CaptureChild prints it.
        private struct Row {
            let name: String
            let markdown: String

            static func all() async throws -> [Row] { try await CaptureRun.lines("gate-table").map(Row.init) }

            init(_ line: String) throws {
                let parts = line.components(separatedBy: "|")
                try #require(parts.count == 7, "\(line)")
                name = parts[0]
                let owner = Self.words(
                    parts[1],
                    ["nobody": "nothing", "self": "this thread", "other": "another", "borrowed": "the parent's"]
                )
                let phase = Self.words(
                    parts[2],
                    ["runner": "between", "stage": "stage", "ending": "ending", "chained": "before"]
                )
                let sender = Self.words(
                    parts[3],
                    ["none": "a fault", "self": "`abort()`, `raise()`", "another": "sent by another"]
                )
                var conditions: [String] = []
                if !parts[4].isEmpty { conditions.append("ignored before us") }
                if let faults = Int(parts[5]), faults > 0 { conditions.append("after \(faults) faults") }
                let actions = [
                    "ignore": "goes on", "exit": "ends this child", "capture": "captures it",
                    "wait": "waits for the end",
                    "leave-stage": "leaves the stage", "abandon": "leaves the step", "die": "ends the process",
                    "pass-on": "passes it on",
                ]
                let action = try #require(actions[parts[6].components(separatedBy: ": ")[0]], "\(line)")
                let why = parts[6].components(separatedBy: ": ").dropFirst().joined(separator: ": ")
                markdown =
                    "| \(name) | \(owner) | \(phase) | \(sender) | \(conditions.joined(separator: ", ")) "
                    + "| **\(action)**: \(why) |"
            }

            /// `any` when all of them are named.
            private static func words(_ names: String, _ words: [String: String]) -> String {
                let parts = names.split(separator: ",").map(String.init)
                return parts.count == words.count ? "any" : parts.map { words[$0] ?? $0 }.joined(separator: ", ")
            }
        }
    }

    #if arch(x86_64)
        extension GateTests {
            // A crash for each row. Each ends otherwise when its row decides otherwise.

            /// The rows, by their names.
            enum Crash: String, CaseIterable, CustomTestStringConvertible {
                case reportersChild = "reporter's child"
                case ignored = "ignored"
                case firstCrash = "first crash"
                case anotherThread = "another thread"
                case previousHandlerForEver = "previous handler, again and again"
                case previousHandler = "previous handler"
                case onTheWayOut = "on the way out"
                case killedWhileDying = "killed while dying"
                case nothingWorks = "nothing works"
                case inAStageOften = "in a stage, often"
                case inAStage = "in a stage"
                case betweenStages = "between stages"

                var testDescription: String { rawValue }
            }

            private static func crash(_ row: Crash) async throws {
                switch row {
                case .reportersChild: try await reportersChild()
                case .ignored: try await ignored()
                case .firstCrash: try await firstCrash()
                case .anotherThread: try await anotherThread()
                case .previousHandlerForEver: try await previousHandlerForEver()
                case .previousHandler: try await previousHandler()
                case .onTheWayOut: try await onTheWayOut()
                case .killedWhileDying: try await killedWhileDying()
                case .nothingWorks: try await nothingWorks()
                case .inAStageOften: try await inAStageOften()
                case .inAStage: try await inAStage()
                case .betweenStages: try await betweenStages()
                }
            }

            private static func reportersChild() async throws {
                guard let run = try await injected(["--call", "reporter:1"], "fault") else { return }
                #expect(run.faults() == [])
                #expect(run.errors.contains("the reporter exited with 127 before it came to `Mayday.start`"))
            }

            private static func ignored() async throws {
                let run = try await CaptureRun("kill:11", ["--previous", "ignore"])
                #expect(run.outcome.status == .exited(0))
                #expect(try run.files == [])
            }

            private static func firstCrash() async throws {
                let crash = try #require(try await ended("abort", by: SIGABRT).onlyReport().crash)
                #expect(crash.signal.name == "SIGABRT")
                // A child that was forked in the middle of it, by a thread that could not be stopped.
                let beside = try await ended("beside-fork", ["--reporter", "second"], by: SIGABRT)
                let reports = try beside.files.map { try CaptureRun.report(at: "\(beside.spool.path)/\($0)") }
                #expect(reports.count == 2)
                for report in reports {
                    #expect(report.crash?.signal.name == (report.header.process.forked ? "SIGSEGV" : "SIGABRT"))
                    #expect(report.end?.cut == [])
                    #expect(report.threads.count == (report.header.process.forked ? 1 : 2))
                }
                #expect(Set(reports.map(\.header.process.forked)) == [true, false])
            }

            private static func anotherThread() async throws {
                let run = try await ended("beside-crash", hangingReporter, by: SIGABRT)
                // The reporter writes its line whenever it comes to it.
                #expect(run.outcome.output.split(separator: "\n").contains("crashing as well"))
                #expect(try run.onlyReport().crash?.signal.name == "SIGABRT")
            }

            private static func previousHandlerForEver() async throws {
                for (kind, signal) in [("segv", SIGSEGV), ("abort", SIGABRT)] {
                    let run = try await ended(kind, ["--previous", "for-ever", "--after", "previous"], by: signal)
                    #expect(run.outcome.output.split(separator: "\n").count > 20)
                    #expect(try run.onlyReport().end?.cut == [])
                }
            }

            private static func previousHandler() async throws {
                // It is called, calls us, and is called again when the instruction faults again.
                let run = try await ended("segv", ["--previous", "twice", "--after", "previous"], by: SIGSEGV)
                #expect(run.outcome.output == "previous\nprevious\nprevious\n")
                #expect(try run.onlyReport().end?.cut == [])
            }

            private static func onTheWayOut() async throws {
                for function in ["mayday_end", "end_by_default", "requeue"] {
                    guard let run = try await injected(in: function, "fault") else { return }
                    #expect(run.faults() == [], "\(function)")
                    #expect(try run.onlyReport().end?.cut == [], "\(function)")
                }
            }

            private static func killedWhileDying() async throws {
                let spool = try TemporaryDirectory()
                let child = try ChildProcess(
                    CaptureRun.child,
                    ["--spool", spool.path] + hangingReporter + ["abort"],
                    environment: CaptureRun.environment
                )
                #expect(await child.line(containing: "reporter: ") != nil)
                for signal in [SIGSEGV, SIGQUIT, SIGSEGV] { child.kill(signal) }
                let outcome = await child.outcome()
                #expect(outcome.status == .signalled(SIGABRT))
                #expect(outcome.errors.contains("not delivered: the reporter was stopped at its deadline"))
                let files = try FileManager.default.contentsOfDirectory(atPath: spool.path).filter {
                    !$0.hasPrefix("last-")
                }
                #expect(files.count == 1)
                #expect(try CaptureRun.report(at: "\(spool.path)/\(files[0])").end?.cut == [])
            }

            private static func nothingWorks() async throws {
                guard let last = try await injected(in: "mayday_monotonic_ns", "fault:24"),
                    let many = try await injected(in: "mayday_monotonic_ns", "fault:25")
                else { return }
                #expect(last.faults() == [])
                #expect(many.end == "signal 6")
                #expect(many.reports.isEmpty)
            }

            private static func inAStageOften() async throws {
                // The ninth fault leaves the step, and the threads behind it.
                guard let eight = try await injected(in: "unwind_thread", "fault:8", kind: "abort-among:12"),
                    let nine = try await injected(in: "unwind_thread", "fault:9", kind: "abort-among:12")
                else { return }
                #expect(eight.end == "signal 6" && nine.end == "signal 6")
                #expect(try eight.onlyReport().threads.count == 13)
                #expect(try nine.onlyReport().threads.count < 13)
                #expect(try nine.onlyReport().end?.cut == [CutStage(stage: "threads", reason: "fault")])
            }

            private static func inAStage() async throws {
                // The stack of each thread is a stage: the next thread has its own.
                guard let run = try await injected(in: "unwind_thread", "fault") else { return }
                #expect(run.end == "signal 6")
                let report = try run.onlyReport()
                #expect(report.threads.map(\.truncated) == [nil, "fault", nil])
                #expect(report.end?.cut == [CutStage(stage: "threads", reason: "fault")])
            }

            private static func betweenStages() async throws {
                guard let run = try await injected(in: "room", "fault") else { return }
                #expect(run.faults() == [])
                #expect(try run.onlyReport().end?.cut == [CutStage(stage: "room", reason: "fault")])
            }

            /// Long enough for what happens meanwhile, and no longer.
            private static let hangingReporter = ["--reporter", "hang", "--reporter-deadline", "5000"]

            private static func ended(_ kind: String, _ options: [String] = [], by signal: Int32) async throws
                -> CaptureRun
            {
                let run = try await CaptureRun(kind, options)
                #expect(run.outcome.status == .signalled(signal))
                return run
            }

            /// A crash in which something is broken; nil, with a line that says so, without ptrace.
            private static func injected(_ target: [String], _ fault: String, kind: String = "abort-among:2")
                async throws -> InjectedRun?
            {
                let run = try await InjectedRun(target, fault, kind: kind, options: ["--reporter", "ok"])
                if let refusal = run.refusal {
                    print("skipped: \(refusal)")
                    return nil
                }
                #expect(run.place != nil, "nothing was broken")
                return run
            }

            private static func injected(in function: String, _ fault: String, kind: String = "abort-among:2")
                async throws -> InjectedRun?
            {
                let offset = try #require(try await InjectedRun.functions().first { $0.value == function }?.key)
                return try await injected(["--function", offset], fault, kind: kind)
            }
        }
    #endif

#endif
