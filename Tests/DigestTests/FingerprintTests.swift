import CrashReport
import TestSupport
import Testing

@testable import Grouping

/// What makes one issue of two reports, and two of others.
@Suite struct FingerprintTests {
    @Test func sameStackElsewhereIsTheSameIssue() {
        let first = Stack(["swift _assertionFailure(_:)", "total(of:)@Cart.swift:41", "checkout(_:)@Routes.swift:12"])
        // Another release, another load address, an edit above it, another optimiser.
        let second = Stack(
            [
                "specialized total(of:)@Cart.swift:52", "outlined copy of Item",
                "specialized checkout(_:)@Checkout.swift:12",
            ],
            base: 0x5600_0000_1000
        )
        let crash = Crash.trap("Fatal error: Index out of range")
        #expect(first.fingerprint(crash).key == second.fingerprint(crash).key)
        #expect(
            first.fingerprint(crash).explanation == [
                "kind: trap", "message: Index out of range", "function: total(of:)", "function: checkout(_:)",
            ]
        )
    }

    @Test func whatTheServiceSaysIsTheOnlyThingThatCounts() {
        func fingerprint(_ own: String?, _ function: String, _ crash: Crash = .trap(), rehearsal: Bool = false)
            -> Fingerprint
        {
            var report = Stack(function).report(crash)
            report.header.fingerprint = own
            report.header.isRehearsal = rehearsal
            let calls = Call.calls(in: report, names: NameCache())
            return Fingerprint(of: report, kind: Headline(of: report, calls: calls).kind, calls: calls)
        }
        let one = fingerprint("payments", "charge(_:)")
        #expect(one.key == fingerprint("payments", "refund(_:)", .signal(11, "SIGSEGV")).key)
        #expect(one.explanation == ["fingerprint given by the service: payments", "nothing else counts"])
        let others = ["Payments", "payments ", "payments\u{0}", String(repeating: "p", count: 100_000)]
        #expect(Set(others.map { fingerprint($0, "charge(_:)").key } + [one.key]).count == others.count + 1)
        #expect(fingerprint(others[3], "f").explanation[0].count < 300)
        // None is said, and a rehearsal is its own issue.
        #expect(fingerprint("", "f").key == fingerprint(nil, "f").key)
        #expect(
            fingerprint("payments", "f", rehearsal: true).key == fingerprint(nil, "f", rehearsal: true).key
        )
    }

    @Test func otherFunctionsKindsAndReasonsAreOtherIssues() {
        let stack = Stack("total(of:)", "checkout(_:)")
        let keys = [
            stack.fingerprint().key,
            Stack("total(of:)", "refund(_:)").fingerprint().key,
            Stack("checkout(_:)", "total(of:)").fingerprint().key,
            stack.fingerprint(.trap("Fatal error: Index out of range")).key,
            stack.fingerprint(.trap("Fatal error: Division by zero")).key,
            stack.fingerprint(.signal(11, "SIGSEGV")).key,
            stack.fingerprint(.signal(6, "SIGABRT")).key,
        ]
        #expect(Set(keys).count == keys.count)
    }

    @Test func oneBugByTrapInstructionOfTheProcessor() {
        let stack = Stack("total(of:)")
        #expect(stack.fingerprint(.signal(4, "SIGILL")).key == stack.fingerprint(.signal(5, "SIGTRAP")).key)
    }

    @Test func machineryIsNotTheBug() {
        let first = Stack(
            "libc __pthread_kill_implementation",
            "libc raise",
            "libc abort",
            "giveUp(_:)",
            "libc start_thread"
        )
        #expect(
            first.fingerprint(.signal(6, "SIGABRT")).key == Stack("giveUp(_:)").fingerprint(.signal(6, "SIGABRT")).key
        )
    }

    @Test func recursionIsOneIssueWhereverItEnds() {
        func recursion(_ leaf: [String], _ cycle: [String], _ count: Int) -> String {
            let names = leaf + (0..<count).map { cycle[$0 % cycle.count] } + ["main"]
            return Stack(names).fingerprint(.signal(11, "SIGSEGV")).key
        }
        #expect(recursion([], ["walk(_:)"], 200) == recursion(["size(of:)"], ["walk(_:)"], 140))
        #expect(
            recursion([], ["walk(_:)", "visit(_:)"], 200) == recursion(["size(of:)"], ["visit(_:)", "walk(_:)"], 141)
        )
        #expect(recursion([], ["walk(_:)"], 200) != recursion([], ["visit(_:)"], 200))
        // Short of endless: calls in turns are in one order, direct recursion is one call.
        #expect(recursion([], ["walk(_:)", "visit(_:)"], 4) == recursion([], ["visit(_:)", "walk(_:)"], 5))
        #expect(recursion(["leaf()"], ["walk(_:)"], 2) == recursion(["leaf()"], ["walk(_:)"], 9))
        #expect(recursion(["leaf()"], ["walk(_:)"], 2) != recursion([], ["walk(_:)"], 2))
    }

    @Test func sameFunctionTwiceInAFrameDoesNotChangeTheOrder() {
        let once = Stack("zeta()", "alpha()").fingerprint()
        #expect(
            once.key == Stack("specialized zeta()", "zeta()", "alpha()", "partial apply for alpha()").fingerprint().key
        )
        #expect(once.explanation.suffix(2) == ["function: zeta()", "function: alpha()"])
    }

    @Test func withoutSymbolsOffsetsInTheModule() {
        let first = Stack(["libc abort", "?", "?"])
        let moved = Stack(["libc abort", "?", "?"], base: 0x5700_0000_0000)
        #expect(first.fingerprint().key == moved.fingerprint().key)
        #expect(
            first.fingerprint().explanation == ["kind: trap", "no symbols: Shop+0x1040", "no symbols: Shop+0x1080"]
        )
        #expect(first.fingerprint().key != Stack(["?", "?"]).fingerprint().key)
    }

    @Test func withoutOwnFramesTheOthersThatTell() {
        let first = Stack("libc abort", "libc curl_easy_perform", "swift _dispatch_worker_thread", "libc start_thread")
        #expect(first.fingerprint().explanation == ["kind: trap", "not the service's own: curl_easy_perform"])
        #expect(
            Stack("libc abort", "libc start_thread").fingerprint().explanation.last
                == "not the service's own: start_thread"
        )
    }

    @Test func withoutFramesTheMessage() {
        let first = Stack().fingerprint(.trap("Fatal error: no coupon \"SUMMER\" for 12 items at 0x7f00aa"))
        #expect(
            first.explanation == ["kind: trap", "message: no coupon \"…\" for # items at #", "no frames"]
        )
        #expect(first.key == Stack().fingerprint(.trap("Fatal error: no coupon \"X\" for 3 items at 0x7f")).key)
        var report = Stack().report()
        #expect(Fingerprint(of: report).explanation == ["cut short before its stack: nothing else counts"])
        report.end = CaptureEnd(durationMicroseconds: 1)
        #expect(Fingerprint(of: report).explanation == ["kind: trap", "no frames, no message"])
    }

    @Test func signalFromOutsideIsOneIssueWhereverItHit() {
        let sent = Crash.signal(11, "SIGSEGV", code: 0, "SI_USER", sender: SignalSender(pid: 1, uid: 0))
        #expect(Stack("poll()").fingerprint(sent).key == Stack("total(of:)", "checkout(_:)").fingerprint(sent).key)
        let own = Crash.signal(11, "SIGSEGV", code: -6, "SI_TKILL", sender: SignalSender(pid: 4711, uid: 0))
        #expect(Stack("poll()").fingerprint(own).key != Stack("total(of:)").fingerprint(own).key)
        let bus = Crash.signal(7, "SIGBUS", code: -6, "SI_TKILL", sender: SignalSender(pid: 4711, uid: 0))
        #expect(Stack("poll()").fingerprint(bus).key != Stack("poll()").fingerprint(own).key)
        let fault = [(11, "SIGSEGV"), (7, "SIGBUS")].map { Stack("poll()").fingerprint(.signal($0.0, $0.1)).key }
        #expect(fault[0] == fault[1])
    }

    @Test func rehearsalsAreOneIssueOfTheirOwn() {
        func rehearsal(_ crash: Crash, _ stack: Stack) -> Report {
            var report = stack.report(crash)
            report.header.isRehearsal = true
            return report
        }
        let message = "Rehearsal: a crash made on purpose"
        let stack = Stack("main@main.swift:3")
        let first = rehearsal(.trap(message), stack)
        #expect(Headline(of: first).title == "Rehearsal")
        #expect(Headline(of: first).culprit == "Mayday.rehearse()")
        let key = Fingerprint(of: first).key
        #expect(key == Fingerprint(of: rehearsal(.signal(5, "SIGTRAP", message: message), Stack("serve()"))).key)
        #expect(key != stack.fingerprint(.trap(message)).key)
    }

    /// Issues in a store outlive the code that made their keys.
    @Test func keysStayWhatTheyAre() {
        #expect(StableHash.hash([]) == "6c62272e07bb014262b821756295c58d")
        #expect(Stack("total(of:)", "checkout(_:)").fingerprint().key == "c36f64cc727b22073c45b822ea61e991")
    }
}
