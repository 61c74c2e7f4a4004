import CrashReport
import Testing

@testable import Grouping

/// What a person reads first, letter for letter.
@Suite struct HeadlineTests {
    @Test(arguments: [
        ("Swift/ContiguousArrayBuffer.swift:692: Fatal error: Index out of range\n", "Index out of range"),
        ("Fatal error: no warehouse has item 2", "no warehouse has item 2"),
        ("Shop/Cart.swift:12: Precondition failed: a batch is at most 1 parcel", "a batch is at most 1 parcel"),
        ("Shop/Cart.swift:12: Assertion failed: weights are positive", "weights are positive"),
        ("Shop/Cart.swift:12: Fatal error", "Fatal error"),
        (
            "Shop: Sources/shop.c:48: parcel_stamp: Assertion `weight > 1000000' failed.\n",
            "Assertion `weight > 1000000' failed."
        ),
        (
            "Could not cast value of type 'Swift.String' (0x7f2c8d2b9e48) to 'Swift.Int' (0x7f2c8d2b8f10).",
            "Could not cast value of type 'Swift.String' to 'Swift.Int'."
        ),
        (
            "Fatal error: Attempted to read an unowned reference but object 0x55d0c0ffee00 was already destroyed",
            "Attempted to read an unowned reference but object 0x… was already destroyed"
        ),
        ("\n  \nfree(): double free detected in tcache 2\n", "free(): double free detected in tcache 2"),
        ("exit code 0x15 is unknown", "exit code 0x15 is unknown"),
        ("Shop/Cart.swift:x: is no line", "Shop/Cart.swift:x: is no line"),
        ("Shop/Cart.swift:12:is no place", "Shop/Cart.swift:12:is no place"),
        ("Shop/Cart.swift:12", "Shop/Cart.swift:12"), (".swift:1: has no name", ".swift:1: has no name"),
        ("the file Cart.swift:12: is gone", "the file Cart.swift:12: is gone"),
        ("Zoë.swift:7: café (0x1) — 0x12345é", "café — 0x…é"), ("cut off (0x1", "cut off (0x1"),
        ("ends in 0x", "ends in 0x"), ("0x12345 0x1234", "0x… 0x1234"), ("f (0x12345g)", "f (0x…g)"),
        (" \n", nil), ("", nil), ("Fatal error: ", "Fatal error"),
    ])
    func messages(_ message: String, _ title: String?) {
        #expect(MessageText.title(message) == title)
    }

    @Test func longMessagesAreCut() {
        #expect(MessageText.title(String(repeating: "x", count: 100_000))?.count == 300)
    }

    @Test func signals() {
        let stack = Stack("total(of:)@Cart.swift:41", "main@main.swift:3")
        let outside = SignalSender(pid: 77, uid: 1000)
        let own = SignalSender(pid: 4711, uid: 1000)
        let titles: [(Crash, String)] = [
            (.signal(11, "SIGSEGV", code: 1, "SEGV_MAPERR", address: 0), "SIGSEGV at 0x0 (null pointer)"),
            (
                .signal(11, "SIGSEGV", code: 1, "SEGV_MAPERR", address: 0x18),
                "SIGSEGV at 0x18 (null pointer plus offset)"
            ),
            (.signal(11, "SIGSEGV", code: 1, "SEGV_MAPERR", address: 0x7f00_0000), "SIGSEGV (address is not mapped)"),
            (.signal(11, "SIGSEGV", code: 2, "SEGV_ACCERR", address: 0x7f00_0000), "SIGSEGV (address is protected)"),
            (.signal(11, "SIGSEGV", code: 128, "SI_KERNEL", address: 0), "SIGSEGV (address is no pointer)"),
            (
                .signal(11, "SIGSEGV", code: 0, "SI_USER", sender: outside),
                "SIGSEGV sent by another process of user 1000"
            ),
            (.signal(11, "SIGSEGV", code: -6, "SI_TKILL", sender: own), "SIGSEGV raised by the process itself"),
            (
                .signal(7, "SIGBUS", code: 2, "BUS_ADRERR", address: 0x7f00_0000),
                "SIGBUS (access behind the end of a mapped file)"
            ),
            (.signal(8, "SIGFPE", code: 1, "FPE_INTDIV"), "SIGFPE (integer division by zero)"),
            (.signal(6, "SIGABRT", code: -6, "SI_TKILL", sender: own), "SIGABRT (abort)"),
            (.signal(31, "SIGSYS", code: 1, "SYS_SECCOMP"), "SIGSYS (forbidden system call)"),
            (.signal(4, "SIGILL", code: 2, "ILL_ILLOPN"), "SIGILL (trap)"),
            (.signal(5, "SIGTRAP", code: 128), "SIGTRAP (trap)"),
            (.signal(64, "SIG64", code: 0), "SIG64"),
        ]
        for (crash, title) in titles { #expect(Headline(of: stack.report(crash)).title == title) }
    }

    @Test func stackOverflowNamesTheFunction() {
        let stack = Stack(["walk(_:)"] + [String](repeating: "walk(_:)@Tree.swift:7", count: 100) + ["main"])
        let headline = Headline(
            of: stack.report(.signal(11, "SIGSEGV", code: 2, "SEGV_ACCERR", address: 0x7ffc_0000_0000))
        )
        #expect(headline.title == "SIGSEGV (stack overflow in walk(_:))")
        // The crashing frame itself had no line.
        #expect(headline.culprit == "walk(_:) (Tree.swift:7)")
    }

    @Test func stackOverflowIsToldByTheStackPointer() {
        func title(_ stack: Stack, address: UInt64) -> String {
            var crash = Crash.signal(11, "SIGSEGV", code: 1, "SEGV_MAPERR", address: address)
            crash.registers = [
                Register(name: "rip", value: 0x5500_0000_1000), Register(name: "rsp", value: 0x7fc3_9868_efe0),
            ]
            return Headline(of: stack.report(crash)).title
        }
        let turns = [
            "partial apply for closure #1 in price(_:)", "swift Sequence.reduce<A>(_:_:)", "price(_:)",
            "closure #1 in price(_:)",
        ]
        let recursion = Stack(["swift malloc"] + (0..<192).map { turns[$0 % 4] })
        #expect(title(recursion, address: 0x7fc3_9868_efd8) == "SIGSEGV (stack overflow in price(_:))")
        #expect(title(recursion, address: 0x10) == "SIGSEGV at 0x10 (null pointer plus offset)")
        #expect(title(Stack("parse(_:)"), address: 0x7fc3_9868_0000) == "SIGSEGV (stack overflow)")
    }

    @Test func dispatchMisuseByTheFunctionThatTrapped() {
        let stack = Stack("swift dispatch_group_leave", "finish(_:)@Jobs.swift:9")
        #expect(Headline(of: stack.report()).title == "libdispatch: unbalanced leave of a group")
        #expect(Headline(of: stack.report()).culprit == "finish(_:) (Jobs.swift:9)")
    }

    @Test func culpritIsTheInnermostOwnFunction() {
        func culprit(_ functions: String...) -> String? { Headline(of: Stack(functions).report()).culprit }
        #expect(
            culprit("swift _assertionFailure(_:)", "outlined copy of Item", "total(of:)@Cart.swift:41")
                == "total(of:) (Cart.swift:41)"
        )
        #expect(culprit("libc abort", "giveUp(_:)", "main@main.swift:3") == "giveUp(_:)")
        #expect(culprit("libc abort", "?", "main@main.swift:3") == "main (main.swift:3)")
        #expect(culprit("libc abort", "?") == "Shop+0x1040")
        #expect(culprit("libc abort") == nil)
    }

    @Test func placeOfAnInlinedFunctionWithoutALineIsItsCallers() {
        var report = Stack("checkout(_:)@Cart.swift:41").report()
        let getter = FrameSymbol(
            function: "specialized Array.subscript.getter",
            mangled: "$sSayxSicigSi_Tg5",
            inlined: true
        )
        let total = FrameSymbol(function: "total(of:)", file: "/src/Cart.swift", inlined: true)
        report.threads[0].frames[0].symbols.insert(contentsOf: [getter, total], at: 0)
        #expect(Headline(of: report).culprit == "total(of:) (Cart.swift:41)")
    }

    @Test func errorsAndCutReports() {
        var report = Stack("pay(_:)@Pay.swift:5").report()
        report.crash = nil
        #expect(Headline(of: report).title == "Crash without details: the report was cut short")
        #expect(
            Headline(of: Stack().report(.signal(11, "SIGSEGV"))).title == "Crash reports cut short before their stack"
        )
        report.header.kind = .error
        report.error = HandledError(typeName: "Shop.Refusal", text: "locked(2)\nmore")
        report.threads[0].crashed = false
        #expect(Headline(of: report).title == "Shop.Refusal: locked(2)")
        #expect(Headline(of: report).culprit == "pay(_:) (Pay.swift:5)")
    }
}
