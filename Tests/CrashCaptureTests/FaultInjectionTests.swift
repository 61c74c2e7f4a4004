#if os(Linux) && arch(x86_64)

    import CrashReport
    import Foundation
    import TestSupport
    import Testing

    /// Everything that the handler does is broken once, in a crash of its own: every system call, and every function.
    ///
    /// Whatever it is, the process ends by its own signal, and there is one report, which can be read and says what it lacks.
    @Suite struct FaultInjectionTests {
        /// The crashed thread's calls: with `ENOSPC` and `EINTR` once, for good, by a fault in its place, and by a stall.
        @Test(arguments: ["errno:28", "errno:4", "errno:1:always", "errno:4:always", "fault", "stall"])
        func systemCall(fault: String) async throws {
            guard let calls = try await Self.calls() else { return }
            let claimed = try #require(calls.firstIndex(of: Self.firstCallOfACapture)) + 1
            let watched = try #require(calls.firstIndex(of: Self.lastCallWithoutWatchdog)) + 2
            let first = fault == "stall" ? watched : fault == "fault" ? claimed : 1
            let runs = try await Self.walk("crasher", from: first, fault)
            #expect(runs.count > 60)
            for run in runs { #expect(Self.problems(run, fault) == [], "\(fault) \(run.place ?? "")") }
        }

        /// The calls of a thread that is stopped, and those of the child that becomes the reporter.
        @Test(arguments: ["other", "reporter"], ["errno:1", "errno:4:always", "fault", "stall"])
        func systemCallBeside(role: String, fault: String) async throws {
            guard try await Self.calls() != nil else { return }
            let runs = try await Self.walk(role, from: 1, fault, kind: role == "other" ? Self.kindOfMany : Self.kind)
            for run in runs { #expect(run.faults() == [], "\(fault) \(run.place ?? "")") }
            #expect(runs.count > (role == "other" ? 2 : 60))
        }

        /// A stopped thread breaks at each call by which it asks the second of the others: no more than one thread is lost by it. Whether
        /// one asks is decided by who runs where: until it does.
        @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1), arguments: ["errno:1", "fault", "stall"])
        func threadThatAsksOthers(fault: String) async throws {
            guard try await Self.calls() != nil else { return }
            for (index, call) in Self.callsOfAsking.enumerated() {
                let number = Self.callsBeforeAsking + Self.callsOfAsking.count + index + 1
                var run: InjectedRun?
                for _ in 0..<100 where run == nil {
                    let tried = try await InjectedRun(
                        ["--call", "other:\(number)"],
                        fault,
                        kind: Self.kindOfMany,
                        options: Self.delivery + Self.deadlines(fault),
                        turnstile: Self.turnstile(fault)
                    )
                    if tried.place?.hasSuffix(" call \(call)") == true { run = tried }
                }
                let broken = try #require(run, "no stopped thread came to call \(call)")
                #expect(broken.faults() == [], "\(fault) \(broken.place ?? "")")
                let threads = try broken.onlyReport().threads
                #expect(threads.filter { $0.truncated == nil }.count >= 6, "\(fault) \(broken.place ?? "")")
            }
        }

        /// A fault, and a stall, at the entry of each function that the handler enters.
        @Test(arguments: ["fault", "stall"])
        func function(fault: String) async throws {
            guard try await Self.calls() != nil else { return }
            let names = try await InjectedRun.functions()
            let offsets = names.keys.sorted().joined(separator: ",")
            let listed = try await InjectedRun(
                ["--function", offsets],
                "nothing",
                kind: Self.kind,
                options: Self.delivery + Self.deadlines(fault)
            )
            let entered = listed.lines.filter { $0.hasPrefix("at ") }.compactMap { $0.split(separator: " ").last }
                .map(String.init)
            let first = fault == "stall" ? Self.firstFunctionWithWatchdog : Self.firstFunctionOfACapture
            let begin = try #require(entered.firstIndex { names[$0] == first })
            #expect(entered.count > 150)
            let runs = try await concurrently(Array(entered[begin...]), width: Self.width(fault)) { offset in
                try await InjectedRun(
                    ["--function", offset],
                    fault,
                    kind: Self.kind,
                    options: Self.delivery + Self.deadlines(fault),
                    turnstile: Self.turnstile(fault)
                )
            }
            for (offset, run) in zip(entered[begin...], runs) {
                #expect(run.faults() == [], "\(fault) in \(names[offset] ?? offset)")
            }
        }

        /// Where nobody could take the report from memory: what is broken must not cost the file.
        @Test func systemCallWithoutReporter() async throws {
            let fault = "fault"
            guard let calls = try await Self.calls() else { return }
            let opened = try #require(calls.firstIndex(of: Self.lockOfTheReport)) + 2
            let runs = try await Self.walk("crasher", from: opened, fault, delivery: [])
            #expect(runs.count > 60)
            for run in runs { #expect(run.faults() == [], "\(fault) \(run.place ?? "")") }
        }

        /// Memory that the handler needs is there before: no thread maps any, nor changes what is mapped, in a whole crash.
        @Test(arguments: [
            ("FaultChild", "abort-among:2"), ("FaultChild", "overflow"), ("FaultChild", "double-free"),
            ("CaptureChild", "fatal-error"), ("CaptureChild", "terminate"), ("CaptureChild", "abort-among:2"),
        ])
        func handlerMapsNoMemory(program: String, kind: String) async throws {
            guard try await Self.calls() != nil else { return }
            let run = try await InjectedRun(
                [],
                "nothing",
                kind: kind,
                options: Self.delivery + Self.deadlines("nothing"),
                program: program
            )
            #expect(run.reports.count == 1)
            let calls = run.lines.filter { $0.hasPrefix("call ") }
            #expect(calls.count > 60)
            let mapping = calls.filter {
                Self.mappingCalls.contains($0.split(separator: " ").last.map(String.init) ?? "")
            }
            #expect(mapping == [])
        }

        /// In the middle of the wait for a reporter that would never end: the last line says so, and the reporter is gone.
        @Test func faultBesideTheReporter() async throws {
            guard try await Self.calls() != nil else { return }
            let names = try await InjectedRun.functions()
            let wait = try #require(names.first { $0.value == "mayday_wait_for_child" }?.key)
            let options = ["--reporter", "hang"] + Self.deadlines("fault")
            let run = try await InjectedRun(["--function", wait], "fault", kind: Self.kind, options: options)
            #expect(run.faults() == [])
            let says = " not delivered: the handler left the delivery in the middle (fault) and ended the reporter; "
            #expect(run.errors.contains(says), "\(run.errors)")
            #expect(!run.errors.contains("deadline"))
        }

        // MARK: -

        /// mmap, mprotect, munmap, brk, mremap, madvise.
        private static let mappingCalls: Set<String> = ["9", "10", "11", "12", "25", "28"]

        private static let kind = "abort-among:2"
        /// So many that the first one to stop asks others.
        private static let kindOfMany = "abort-among:6"
        private static let delivery = ["--reporter", "ok"]

        /// A stage that stalls gets half of the time that is left, and the wait for a reporter whose end cannot be seen takes
        /// all of it: what is left must do for the others. Everything else gets more than it needs on the busiest machine.
        private static func deadlines(_ fault: String) -> [String] {
            let capture = fault == "stall" ? "8000" : "30000"
            let reporter = fault == "stall" || fault.hasSuffix(":always") ? "8000" : "30000"
            return ["--capture-deadline", capture, "--reporter-deadline", reporter]
        }

        // Before the crash is claimed, a fault is a crash of its own; before the watchdog runs, nobody ends a stall. Nothing
        // there waits for anything, and no call there is of a kind that does.
        private static let firstCallOfACapture = 14  // rt_sigprocmask
        private static let firstFunctionOfACapture = "prepare"
        private static let lastCallWithoutWatchdog = 223  // timer_settime
        private static let firstFunctionWithWatchdog = "mayday_make_report_id"
        private static let lockOfTheReport = 73  // flock
        private static let callsBeforeAsking = 4  // gettid, getpid, rt_sigprocmask, getcpu
        private static let callsOfAsking = [257, 0, 3, 297]  // openat, read, close, rt_tgsigqueueinfo
        private static let setHandler = 13  // rt_sigaction
        private static let writeReport = 18  // pwrite64

        /// Stalls sleep, everything else computes.
        private static let sleepers = Turnstile(48)
        private static func turnstile(_ fault: String) -> Turnstile {
            fault == "stall" ? sleepers : InjectedRun.turnstile
        }
        private static func width(_ fault: String) -> Int { fault == "stall" ? 48 : 6 }

        /// What is wrong with a run, where some calls are more than the handler can do without.
        private static func problems(_ run: InjectedRun, _ fault: String) -> [String] {
            guard fault.hasSuffix(":always"), let call = run.place?.split(separator: " ").last.flatMap({ Int($0) })
            else {
                return run.faults()
            }
            switch call {
            // No handler can be taken away: the process ends by the status that a shell shows for the signal.
            case setHandler: return run.faults(end: run.end == "exit 134" ? "exit 134" : "signal 6")
            // Nothing can be written anywhere: what was there before that can be read.
            case writeReport: return run.reports.isEmpty ? [] : run.faults(whole: false)
            default: return run.faults()
            }
        }

        /// Numbers of the crashed thread's system calls, in their order; nil, with a line that says so, without ptrace.
        private static func calls() async throws -> [Int]? {
            let run = try await InjectedRun([], "nothing", kind: kind, options: delivery + deadlines("nothing"))
            if let refusal = run.refusal {
                print("skipped: \(refusal)")
                return nil
            }
            try #require(run.faults() == [])
            return run.lines.filter { $0.hasPrefix("call crasher:") }.compactMap { $0.split(separator: " ").last }
                .compactMap { Int($0) }
        }

        /// Breaks one call after the other until the crash is over before it comes to that call.
        private static func walk(
            _ role: String,
            from first: Int,
            _ fault: String,
            delivery: [String] = delivery,
            kind: String = kind
        ) async throws -> [InjectedRun] {
            let options = delivery + deadlines(fault)
            var runs: [InjectedRun] = []
            let width = width(fault)
            for start in stride(from: first, to: 10_000, by: 4 * width) {
                let batch = try await concurrently(Array(start..<start + 4 * width), width: width) { number in
                    try await InjectedRun(
                        ["--call", "\(role):\(number)"],
                        fault,
                        kind: kind,
                        options: options,
                        turnstile: turnstile(fault)
                    )
                }
                runs += batch.filter { $0.place?.hasPrefix("at ") == true }
                if batch.contains(where: { $0.place == nil }) { return runs }
            }
            Issue.record("the handler does not come to an end")
            return runs
        }
    }

    /// Runs `body` for each, at most `width` at a time; results in order.
    private func concurrently<Item: Sendable, Result: Sendable>(
        _ items: [Item],
        width: Int,
        _ body: @escaping @Sendable (Item) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            var results: [Int: Result] = [:]
            for (index, item) in items.enumerated() {
                if index >= width, let (done, result) = try await group.next() { results[done] = result }
                group.addTask { (index, try await body(item)) }
            }
            for try await (done, result) in group { results[done] = result }
            return items.indices.compactMap { results[$0] }
        }
    }

#endif
