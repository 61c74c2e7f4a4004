import TestSupport

@testable import CrashGallery

/// The table of what is captured in the README, filled in by what the matrix saw.
struct CapturedTable {
    /// Name of the part of the README, and how to write it anew.
    static let name = "what the matrix saw: MAYDAY_UPDATE_GOLDEN=1 make test"

    static let isOfThisMachine: Bool = {
        #if arch(x86_64)
            true
        #else
            false
        #endif
    }()

    /// Kinds of the gallery that are one row for a reader. What is said of them by hand is here, the rest was seen.
    fileprivate struct Row {
        let crash: String
        let kinds: Set<String>
        let notes: String
        var cases = 0
        var captured = 0
        var stages: Set<Stage> = []
        /// Sources of messages; nil where there was none.
        var sources: Set<String?> = []

        init(_ crash: String, _ kinds: Set<String>, _ notes: String) {
            (self.crash, self.kinds, self.notes) = (crash, kinds, notes)
        }
    }

    private var rows = [
        Row(
            "`fatalError`, `precondition`, `assert`, `!`, `try!`, `as!`, index, overflow, division by zero, exclusivity, "
                + "`unowned`, uncaught top-level error",
            [
                "fatal-error", "precondition", "precondition-failure", "assertion", "index-out-of-range",
                "force-unwrap",
                "try", "integer-overflow", "divide-by-zero", "narrowing", "uncaught-error", "force-cast", "unowned",
                "exclusivity",
            ],
            "an optimised `precondition` has no text of its own anywhere"
        ),
        Row(
            "a task, also after it awaited; continuation misuse",
            ["continuation-resumed-twice", "after-suspension", "awaited", "with-stack-arguments"],
            "the async callers have function and line too"
        ),
        Row(
            "misuse of Dispatch: `dispatchPrecondition`, `sync` on the own queue, `MainActor.assumeIsolated`",
            ["main-actor-assumed", "dispatch-precondition", "dispatch-sync-on-own-queue"],
            "named from the function that trapped"
        ),
        Row(
            "null and wild pointers, jump to null, bus error, illegal instruction, `SIGFPE`, `SIGTRAP`, `SIGSYS`",
            [
                "wild-swift-pointer", "null-read", "null-write", "wild-pointer", "null-call", "c-divide-by-zero",
                "truncated-mapping", "c-trap", "c-debugtrap", "seccomp",
            ],
            "with fault address and code by name"
        ),
        Row("stack overflow", ["stack-overflow"], "first 128 and last 64 frames, the count of the rest"),
        Row(
            "`abort()`, C `assert`, double free, heap corruption found by libc",
            ["abort", "c-assert", "double-free"],
            ""
        ),
        Row(
            "uncaught C++ exception",
            ["cxx-exception", "cxx-noexcept", "cxx-thrown-number"],
            "with its type and `what()`"
        ),
        Row(
            "`raise` of SIGSEGV, SIGABRT, SIGQUIT …",
            [
                "raise-segv", "raise-bus", "raise-fpe", "raise-ill", "raise-trap", "raise-sys", "raise-abrt",
                "raise-quit",
            ],
            "with the sender; workers of Dispatch block SIGABRT and SIGQUIT"
        ),
    ]

    /// Kinds that are in no row.
    private var strangers: Set<String> = []

    /// Adds what was seen of a case.
    mutating func add(_ test: MatrixCase, _ seen: Matrix.Sighting) {
        guard let index = rows.firstIndex(where: { $0.kinds.contains(test.kind.name) }) else {
            strangers.insert(test.kind.name)
            return
        }
        rows[index].cases += 1
        if seen.isCaptured(test) { rows[index].captured += 1 }
        rows[index].stages.insert(test.stage)
        rows[index].sources.insert(seen.shown.crash.message_source)
    }

    /// The lines of the README.
    func lines() -> [String] {
        let count = rows.map(\.cases).reduce(0, +)
        return [
            "\(count) crashes in debug, release and static builds, each beside the same crash without Mayday. *Captured*: it ended with the same",
            "status, and the collector shows the crash with function and line on top, the other threads' stacks and, in a task, the async callers.",
            "",
            "| crash | captured | where | message | notes |",
            "|---|---|---|---|---|",
        ] + rows.map(\.line) + strangers.sorted().map { "| `\($0)` | | | | is in no row of CapturedTable |" } + [""]
    }
}

extension CapturedTable.Row {
    fileprivate var line: String {
        let cells = [crash, captured == cases ? "all \(cases)" : "\(captured) of \(cases)", place, message, notes]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private var place: String {
        if stages.count == Stage.allCases.count { return "everywhere" }
        return Stage.allCases.filter(stages.contains).map(\.name).joined(separator: ", ")
    }

    private var message: String {
        let names = [
            "swift": "Swift's runtime", "runtime_failure": "debug information", "glibc": "libc",
            "terminate": "the exception",
        ]
        let known = sources.compactMap { $0 }.sorted().reversed().map { names[$0] ?? $0 }
        return (known + (sources.contains(nil) ? ["none"] : [])).joined(separator: ", ")
    }
}

extension Stage {
    fileprivate var name: String {
        switch self {
        case .main: "main thread"
        case .thread: "thread"
        case .dispatch: "Dispatch"
        case .task: "task"
        }
    }
}

extension Matrix.Sighting {
    /// Everything that the README calls captured.
    fileprivate func isCaptured(_ test: MatrixCase) -> Bool {
        crash.status == bare.status && shown.state == "done" && shown.warnings.isEmpty && shown.end?.cut == nil
            && test.message.isMet(by: shown.crash.message) && test.culprits.contains(shown.plainCulprit ?? "")
            && shown.hasBystander
            && shown.threads.first?.frames.contains { $0.trust == "await" } == (test.stage == .task)
    }
}
