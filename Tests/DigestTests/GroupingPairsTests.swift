import CrashReport
import Testing

@testable import Grouping

/// Two crashes that a person would call one bug, or two: what users of other collectors complain of, a row each.
@Suite struct GroupingPairsTests {
    /// What happened, and where.
    struct Case: Sendable {
        var crash = Crash.trap()
        var stack: [String]
        var kind = ReportKind.crash
        /// Type and text of a handled error.
        var error: (type: String, text: String)?
        var message: String?
        var isComplete = true

        init(_ message: String? = nil, _ stack: [String]) {
            crash = .trap(message)
            self.stack = stack
        }

        init(_ crash: Crash, _ stack: [String], isComplete: Bool = true) {
            (self.crash, self.stack, self.isComplete) = (crash, stack, isComplete)
        }

        init(error: String, _ text: String, _ stack: [String]) {
            (self.stack, kind, self.error) = (stack, .error, (error, text))
        }

        init(text: String) { (stack, kind, message) = ([], .message, text) }

        var fingerprint: Fingerprint {
            var report = Stack(stack).report(crash)
            report.header.kind = kind
            if kind != .crash {
                report.crash = nil
                if !report.threads.isEmpty { report.threads[0].crashed = false }
            }
            report.error = error.map { HandledError(typeName: $0.type, text: $0.text) }
            report.message = message
            if isComplete { report.end = CaptureEnd(stages: [], durationMicroseconds: 1) }
            return Fingerprint(of: report)
        }
    }

    struct Pair: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let first: Case
        let second: Case
    }

    private static func pair(_ name: String, _ first: Case, _ second: Case) -> Pair {
        Pair(testDescription: name, first: first, second: second)
    }

    private static let asyncMain = ["static Shop.main()", "static Shop.$main()", "async_Main"]
    private static let fatal = "swift _assertionFailure(_:_:file:line:flags:)"

    static let same = [
        pair(
            "the message names other ids, paths and values",
            Case("App/A.swift:1: Fatal error: no item 7 for \"anna\" in /srv/a", [fatal, "find(_:)", "main"]),
            Case("App/A.swift:9: Fatal error: no item 12 for \"bo\" in /srv/b/c", [fatal, "find(_:)", "main"])
        ),
        pair(
            "called from main, and from a thread that main starts",
            Case("boom", [fatal, "boom()", "main", "libc __libc_start_call_main"]),
            Case(
                "boom",
                [
                    fatal, "boom()", "closure #1 in main", "closure #1 in onThread(_:)", "libc start_thread",
                    "libc __clone3",
                ]
            )
        ),
        pair(
            "called from async main, and from a task in it",
            Case("boom", [fatal, "boom()"] + asyncMain + ["swift swift_job_run"]),
            Case("boom", [fatal, "boom()", "closure #2 in static Shop.main()", "thunk for @escaping () -> ()"])
        ),
        pair(
            "run directly, and by a closure of the same function on a thread or in a task",
            Case(nil, ["cents(of:)", "Stage.run(_:_:)", "main"]),
            Case(
                nil,
                [
                    "cents(of:)", "closure #2 in Stage.run(_:_:)", "runWork(_:)", "closure #1 in startThread(_:)",
                    "libc start_thread",
                ]
            )
        ),
        pair(
            "a closure of a function, called by it and by a task",
            Case("boom", ["closure #1 in check(_:)", "check(_:)", "main"]),
            Case("boom", ["closure #1 in check(_:)", "swift swift_job_run"])
        ),
        pair(
            "the callers of the caller differ",
            Case("boom", ["parse(_:)", "load(_:)", "start()", "main"]),
            Case("boom", ["parse(_:)", "load(_:)", "reload()", "closure #1 in watch()"])
        ),
        pair(
            "a package between the service's functions",
            Case("boom", ["handle(_:)", "Router.respond(to:)@checkouts/web/Router.swift:7", "route(_:)"]),
            Case("boom", ["handle(_:)", "Cache.respond(to:)@checkouts/web/Cache.swift:9", "route(_:)"])
        ),
        pair(
            "another release: lines, closures' numbers and specialisations",
            Case("Fatal error: Index out of range", ["total(of:)@Cart.swift:41", "closure #1 in list()@Cart.swift:8"]),
            Case("Index out of range", ["specialized total(of:)@Cart.swift:52", "closure #3 in list()@Cart.swift:9"])
        ),
        pair(
            "an index out of range, in debug and release builds",
            Case(
                "Swift/Array.swift:692: Fatal error: Index out of range",
                [fatal, "swift specialized Array.subscript.getter", "f()"]
            ),
            Case(
                "Index out of range",
                ["swift specialized Array._checkSubscript(_:)", "swift Array.subscript.getter", "f()"]
            )
        ),
        pair(
            "reports cut short before their stack, whatever the signal",
            Case(.signal(11, "SIGSEGV"), [], isComplete: false),
            Case(.signal(4, "SIGILL"), [], isComplete: false)
        ),
        pair(
            "a handled error with other values in it",
            Case(error: "Refusal", "card(number: 1, of: \"anna\")", ["pay(_:)"]),
            Case(error: "Refusal", "card(number: 22, of: \"bo\")", ["pay(_:)"])
        ),
        pair("a text with other numbers", Case(text: "queue has 7 entries"), Case(text: "queue has 1,234 entries")),
        pair(
            "a wild pointer that hits other addresses",
            Case(.signal(11, "SIGSEGV", code: 1, "SEGV_MAPERR", address: 0x7f00_1234_0000), ["walk(_:)"]),
            Case(.signal(11, "SIGSEGV", code: 2, "SEGV_ACCERR", address: 0x5500_0000_1000), ["walk(_:)"])
        ),
    ]

    static let different = [
        pair(
            "two calls of fatalError in one async main",
            Case("Shop/Shop.swift:9: Fatal error: no configuration", [fatal] + asyncMain),
            Case("Shop/Shop.swift:12: Fatal error: no database", [fatal] + asyncMain)
        ),
        pair(
            "fatalError and a precondition in one function",
            Case("Shop/Shop.swift:9: Fatal error: a", [fatal, "main"]),
            Case("Shop/Shop.swift:9: Precondition failed: a", [fatal, "main"])
        ),
        pair(
            "a precondition and an assertion",
            Case("Shop/Shop.swift:9: Precondition failed", [fatal, "main"]),
            Case("Shop/Shop.swift:9: Assertion failed", [fatal, "main"])
        ),
        pair(
            "an index out of range and nil, in one function",
            Case("Fatal error: Index out of range", [fatal, "f()"]),
            Case("Fatal error: Unexpectedly found nil while unwrapping an Optional value", [fatal, "f()"])
        ),
        pair(
            "the same words of the runtime, in another function of the standard library",
            Case("Index out of range", ["swift Array._checkSubscript(_:)", "swift Array.subscript.getter", "f()"]),
            Case("Index out of range", ["swift Array._checkIndex(_:)", "swift Array.replaceSubrange(_:with:)", "f()"])
        ),
        pair("a message and none", Case("boom", ["f()"]), Case(nil, ["f()"])),
        pair(
            "casts of other types",
            Case("Could not cast value of type 'A' (0x1a) to 'B' (0x2b).", ["f()"]),
            Case("Could not cast value of type 'A' (0x1a) to 'C' (0x2c).", ["f()"])
        ),
        pair("another caller", Case("boom", ["parse(_:)", "load(_:)"]), Case("boom", ["parse(_:)", "save(_:)"])),
        pair("a closure and its function", Case("boom", ["f()"]), Case("boom", ["closure #1 in f()", "f()"])),
        pair(
            "one crash in a package, from other functions of the service",
            Case("boom", ["Buffer.read()@checkouts/io/B.swift:7", "Buffer.take()@checkouts/io/B.swift:9", "load(_:)"]),
            Case("boom", ["Buffer.read()@checkouts/io/B.swift:7", "Buffer.take()@checkouts/io/B.swift:9", "save(_:)"])
        ),
        pair(
            "a trap and a bad access",
            Case(.signal(4, "SIGILL"), ["f()"]),
            Case(.signal(11, "SIGSEGV"), ["f()"])
        ),
        pair(
            "cases of one error type, handled in one place",
            Case(error: "Refusal", "locked", ["Middleware.respond(to:)"]),
            Case(error: "Refusal", "expired(after: 12)", ["Middleware.respond(to:)"])
        ),
        pair("texts that say something else", Case(text: "queue is full"), Case(text: "disk is full")),
        pair(
            "a report cut short before its stack, and one whose stack could not be read",
            Case(.signal(11, "SIGSEGV"), [], isComplete: false),
            Case(.signal(11, "SIGSEGV"), [])
        ),
        pair(
            "reports cut short that have a message",
            Case(.trap("no configuration"), [], isComplete: false),
            Case(.trap("no database"), [], isComplete: false)
        ),
    ]

    @Test(arguments: same) func oneIssue(_ pair: Pair) {
        let (first, second) = (pair.first.fingerprint, pair.second.fingerprint)
        #expect(first.key == second.key, "\(first.explanation) and \(second.explanation)")
    }

    @Test(arguments: different) func twoIssues(_ pair: Pair) {
        let (first, second) = (pair.first.fingerprint, pair.second.fingerprint)
        #expect(first.key != second.key, "\(first.explanation)")
    }

    /// Text of a user that nothing marks cannot be told from the sentence: behind the words that count, it does no harm.
    @Test func freeTextSplitsOnlyNearTheBeginning() {
        let start = "the import of the product list that the shop sent us failed at"
        let keys = ["shoes", "boots and more", "hats"].map { Case("\(start) \($0)", ["f()"]).fingerprint.key }
        #expect(Set(keys).count == 1)
    }
}
