import CrashReport
import Testing

@testable import Grouping

/// The sentence that `show` begins with, letter for letter.
@Suite struct ExplanationTests {
    private static let place = "total(of:) (Cart.swift:41)"

    private func sentence(
        _ crash: Crash,
        _ stack: Stack = Stack("swift _check(_:)", "total(of:)@Cart.swift:41", "main")
    )
        -> String?
    {
        Explanation.sentence(of: stack.report(crash))
    }

    @Test(arguments: [
        ("Fatal error: Index out of range", "An index was out of range in \(place)."),
        (
            "Swift/Array.swift:12: Fatal error: Negative Array index is out of range",
            "An index was negative in \(place)."
        ),
        (
            "Fatal error: Unexpectedly found nil while unwrapping an Optional value",
            "A value that was nil was unwrapped with `!` in \(place)."
        ),
        (
            "Fatal error: Unexpectedly found nil while implicitly unwrapping an Optional value",
            "An implicitly unwrapped value (`!` in its type) was nil in \(place)."
        ),
        ("arithmetic overflow", "A number became too large or too small for its type (overflow) in \(place)."),
        (
            "Not enough bits to represent the passed value",
            "A number did not fit into the type it was converted to in \(place)."
        ),
        ("Fatal error: Division by zero", "A number was divided by zero in \(place)."),
        (
            "Fatal error: 'try!' expression unexpectedly raised an error: locked(2)",
            "A call marked `try!` threw an error in \(place)."
        ),
        (
            "Simultaneous accesses to 0x55d0, but modification requires exclusive access.\nFatal access conflict detected.",
            "A variable was accessed while it was being changed (exclusivity) in \(place)."
        ),
        (
            "Fatal error: Attempted to read an unowned reference but object 0x55d0 was already destroyed",
            "An `unowned` reference was read after its object was gone in \(place)."
        ),
        (
            "Could not cast value of type 'Swift.String' (0x7f2c8d2b9e48) to 'Swift.Int' (0x7f2c8d2b8f10).",
            "A value of type String was cast with `as!` to Int, which it is not, in \(place)."
        ),
        (
            "SWIFT TASK CONTINUATION MISUSE: answer() tried to resume its continuation more than once, returning 3!",
            "A continuation was resumed a second time in \(place)."
        ),
        (
            "Fatal error: Error raised at top level: Gallery.Refusal.locked(2)",
            "An error was thrown out of the program's main code, and nothing caught it."
        ),
        ("precondition failure", "A precondition failed in \(place)."),
        ("Shop/Cart.swift:12: Assertion failed: weights are positive", "An assertion failed in \(place)."),
        (
            "Shop/Cart.swift:12: Fatal error: no warehouse has item 2",
            "The code ended the process on purpose (`fatalError` or a check of its own) in \(place)."
        ),
        (
            "Shop/Cart.swift:12: Fatal error: Can't remove the last customer",
            "The code ended the process on purpose (`fatalError` or a check of its own) in \(place)."
        ),
        (
            "Shop/Cart.swift:12: Fatal error: Unexpectedly found nil while unwrapping an Optional value",
            "A value that was nil was unwrapped with `!` in \(place)."
        ),
        (
            "Swift/StringCharacterView.swift:158: Fatal error: String index is out of bounds",
            "A check of Swift's standard library failed in \(place): String index is out of bounds."
        ),
        (
            "Swift/Array.swift:947: Fatal error: Can't construct Array with count < 0",
            "A check of Swift's standard library failed in \(place): Can't construct Array with count < 0."
        ),
        (
            "Foundation/Data.swift:7: Fatal error: Out of bounds!",
            "A check of Foundation failed in \(place): Out of bounds!"
        ),
        (
            "Fatal error: failed to allocate 1152921504606846976 bytes of memory with alignment 0",
            "More memory was asked for than could be had (1,152,921,504,606,846,976 bytes), in \(place)."
        ),
        (
            "Fatal error: Object was retained too many times",
            "Swift's runtime ended the process in \(place): Object was retained too many times."
        ),
        ("Swift runtime failure: a new kind", "A check failed in \(place): Swift runtime failure: a new kind."),
        ("Shop: shop.c:48: stamp: Assertion `weight > 1' failed.\n", "An `assert` of C failed in \(place)."),
        (
            "free(): double free detected in tcache 2",
            "Memory was freed a second time; it was noticed in \(place), which need not be who did it."
        ),
        (
            "malloc(): corrupted top size",
            "The heap is damaged: something wrote outside of its memory earlier; it was noticed in \(place), which need "
                + "not be who did it."
        ),
        (
            "*** stack smashing detected ***: terminated",
            "A function wrote beyond a variable on its stack, noticed at its return in \(place)."
        ),
    ])
    func messages(_ message: String, _ sentence: String) {
        #expect(self.sentence(.trap(message)) == sentence)
    }

    @Test func exclusivityNamesBothAccesses() {
        var report = Stack("total(of:)@Cart.swift:41", "main").report(.trap("Fatal access conflict detected."))
        let other = Stack("change(_:)@Till.swift:7").frames[0]
        func sentence(_ previous: String?, _ current: String?) -> String? {
            report.threads[0].accessConflict = AccessConflict(
                address: 1,
                previous: MemoryAccess(kind: previous, frame: other),
                current: MemoryAccess(kind: current)
            )
            return Explanation.sentence(of: report)
        }
        #expect(
            sentence("modification", "read")
                == "A variable was read in \(Self.place) while change(_:) (Till.swift:7) was changing it (exclusivity)."
        )
        #expect(
            sentence("read", "modification")
                == "A variable was changed in \(Self.place) while change(_:) (Till.swift:7) was reading it (exclusivity)."
        )
    }

    @Test(arguments: [
        ("__cxa_throw", ": it was thrown in \(place)."),
        ("__cxa_rethrow", ": it was thrown again in \(place)."),
        (
            "__clang_call_terminate",
            ": it could not leave \(place), which is `noexcept`; what threw it is called from there."
        ),
        (
            "__cxa_call_terminate",
            ": it could not leave \(place), which is `noexcept`; what threw it is called from there."
        ),
        ("_ZSt9terminatev", ", noticed in \(place)."),
    ])
    func exceptionOfCXX(_ function: String, _ rest: String) {
        var crash = Crash.signal(6, "SIGABRT", message: "uncaught std::runtime_error: no paper")
        crash.messageSource = "terminate"
        let stack = Stack("swift \(function)", "total(of:)@Cart.swift:41", "main")
        #expect(sentence(crash, stack) == "A C++ exception that nothing caught ended the process\(rest)")
        let nowhere = "A C++ exception that nothing caught ended the process"
        #expect(sentence(crash, Stack("swift \(function)"))?.hasPrefix(nowhere) == true)
    }

    @Test func abortSaysWhyWhenItIsKnown() {
        let crash = Crash.signal(6, "SIGABRT", code: -6, "SI_TKILL", message: "pool: 3 leaks\nof 7")
        #expect(sentence(crash) == "The process ended itself by `abort` in \(Self.place): pool: 3 leaks.")
        let long = Crash.signal(6, "SIGABRT", message: String(repeating: "long ", count: 40))
        #expect(sentence(long)?.hasSuffix("long …") == true)
    }

    @Test(arguments: [
        (UInt64(0), 1, "SEGV_MAPERR", "A null pointer was used in \(place)."),
        (
            0x18, 1, "SEGV_MAPERR",
            "A field or element of something that is not there was used (null plus 24) in \(place)."
        ),
        (
            0x7f00_0000_0000, 1, "SEGV_MAPERR",
            "Memory was used that is not there: a pointer that is damaged, or whose object is gone, in \(place)."
        ),
        (
            0, 128, "SI_KERNEL",
            "Memory was used that is not there: a pointer that is damaged, or whose object is gone, in \(place)."
        ),
        (
            0x7f00_0000_0000, 2, "SEGV_ACCERR",
            "Memory was used in a way that it does not allow, such as writing to constants, in \(place)."
        ),
        // The address that was to be executed.
        (0x5500_0000_1000, 1, "SEGV_MAPERR", "A damaged function pointer was called in \(place)."),
    ])
    func badAccess(_ address: UInt64, _ code: Int, _ codeName: String, _ expected: String) {
        #expect(sentence(.signal(11, "SIGSEGV", code: code, codeName, address: address)) == expected)
    }

    @Test func jumpToNull() {
        var stack = Stack("?", "total(of:)@Cart.swift:41", "main")
        stack.frames[0] = Frame(address: 0, trust: .context)
        let crash = Crash.signal(11, "SIGSEGV", code: 1, "SEGV_MAPERR", address: 0)
        #expect(sentence(crash, stack) == "A null pointer was called as a function in \(Self.place).")
    }

    @Test(arguments: [
        (
            4, "SIGILL", 2, "ILL_ILLOPN", false,
            "A check failed that has no text in this build, or a trap was set, in \(place)."
        ),
        (8, "SIGFPE", 1, "FPE_INTDIV", false, "A number was divided by zero in \(place)."),
        (
            7, "SIGBUS", 2, "BUS_ADRERR", false,
            "A mapped file was used beyond its end in \(place): it was shortened since, or cannot be read."
        ),
        (
            31, "SIGSYS", 1, "SYS_SECCOMP", false,
            "A system call was made that the sandbox of the process forbids in \(place)."
        ),
        (6, "SIGABRT", -6, "SI_TKILL", true, "The process ended itself by `abort`, without saying why, in \(place)."),
        (11, "SIGSEGV", -6, "SI_TKILL", true, "The process sent SIGSEGV to itself in \(place)."),
        (3, "SIGQUIT", -6, "SI_TKILL", true, "The process sent SIGQUIT to itself in \(place)."),
    ])
    func signals(_ number: Int, _ name: String, _ code: Int, _ codeName: String, _ isSent: Bool, _ expected: String) {
        let sender = isSent ? SignalSender(pid: 4711, uid: 1000) : nil
        #expect(sentence(.signal(number, name, code: code, codeName, sender: sender)) == expected)
    }

    @Test(arguments: [
        (4, "SIGILL", 2, "ILL_ILLOPN", "A check failed that has no text in this build, or a trap was set."),
        (6, "SIGABRT", -6, "SI_TKILL", "The process ended itself by `abort`, without saying why."),
    ])
    func nothingOfTheServiceIsKnown(_ number: Int, _ name: String, _ code: Int, _ codeName: String, _ expected: String)
    {
        let sender = code < 0 ? SignalSender(pid: 4711, uid: 1000) : nil
        let crash = Crash.signal(number, name, code: code, codeName, sender: sender)
        #expect(sentence(crash, Stack("swift _check(_:)")) == expected)
    }

    @Test func killedFromOutside() {
        let crash = Crash.signal(6, "SIGABRT", code: 0, "SI_USER", sender: SignalSender(pid: 77, uid: 1000))
        #expect(
            sentence(crash)
                == "Process 77 of user 1000 sent SIGABRT: the service was ended from outside, whatever it was doing."
        )
    }

    @Test func stackOverflows() {
        func sentence(_ turns: [String], omitted: Int?) -> String? {
            var report = Stack((0..<192).map { turns[$0 % turns.count] } + ["main"])
                .report(.signal(11, "SIGSEGV", code: 2, "SEGV_ACCERR", address: 0x7ffc_0000_0000))
            report.threads[0].omitted = omitted.map { OmittedFrames(index: 128, count: $0) }
            return Explanation.sentence(of: report)
        }
        #expect(sentence(["walk(_:)"], omitted: nil) == "The stack overflowed: walk(_:) called itself 192 times.")
        #expect(
            sentence(["walk(_:)"], omitted: 74_808)
                == "The stack overflowed: walk(_:) called itself about 75,000 times."
        )
        #expect(
            sentence(["a()", "b()"], omitted: 9_808)
                == "The stack overflowed: a() and b() called each other about 5,000 times."
        )
        #expect(
            sentence(["a()", "b()", "c()"], omitted: .max)?.hasPrefix("The stack overflowed: a() and 2 others called")
                == true
        )
    }

    @Test func dispatchMisuse() {
        #expect(
            sentence(.trap(), Stack("swift dispatch_group_leave", "finish(_:)@Jobs.swift:9"))
                == "Dispatch was misused (unbalanced leave of a group) in finish(_:) (Jobs.swift:9)."
        )
        #expect(
            sentence(
                .trap(),
                Stack(
                    "swift _dispatch_assert_queue_fail",
                    "swift dispatch_assert_queue",
                    "swift static MainActor.assumeIsolated<A>(_:file:line:)",
                    "refresh(_:)@UI.swift:9"
                )
            ) == "`assumeIsolated` was called outside of its actor in refresh(_:) (UI.swift:9)."
        )
    }

    @Test func withoutFunctionsThePlaceIsLeftOut() {
        #expect(sentence(.trap("Fatal error: Index out of range"), Stack()) == "An index was out of range.")
        #expect(sentence(.signal(64, "SIG64", code: 0)) == nil)
    }

    @Test func errorsAreNoCrashes() {
        var report = Stack("total(of:)@Cart.swift:41").report()
        report.header.kind = .error
        report.crash = nil
        report.error = HandledError(typeName: "Shop.Refusal", text: "locked")
        #expect(
            Explanation.sentence(of: report)
                == "An error of type Refusal was handled in total(of:) (Cart.swift:41); the service went on."
        )
    }
}
