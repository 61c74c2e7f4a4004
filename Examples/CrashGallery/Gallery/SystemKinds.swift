import CCrashKinds
import CxxCrashKinds

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What C and C++ code, the kernel and other processes do to a service.
let systemKinds: [CrashKind] = [
    CrashKind("null-read", "SIGSEGV", .none, in: "parcel_weight") { _ in
        use(parcel_weight(nil))
    },
    CrashKind("null-write", "SIGSEGV", .none, in: "parcel_move") {
        parcel_move(nil, Int32($0))
    },
    CrashKind("wild-pointer", "SIGSEGV", .none, in: "shelf_weight_after_overwrite") {
        use(shelf_weight_after_overwrite(Int32($0)))
    },
    CrashKind("null-call", "SIGSEGV", .none, in: "parcel_arrived") {
        var parcel = Parcel(weight: Int32($0), shelf: 1)
        use(parcel_arrived(nil, &parcel))
    },
    CrashKind("abort", "SIGABRT", .none, in: "giveUp(_:)") {
        giveUp($0)
    },
    CrashKind("double-free", "SIGABRT", .both("double free detected"), in: "parcel_return_twice") {
        parcel_return_twice(Int32($0))
    },
    CrashKind("c-assert", "SIGABRT", .both("Assertion `weight > 1000000' failed"), in: "parcel_stamp") {
        parcel_stamp(Int32($0))
    },
    CrashKind(
        "cxx-exception",
        "SIGABRT",
        .both("uncaught std::runtime_error: no paper for 2 labels"),
        in: "labels::Printer::print(int)"
    ) {
        use(label_print(Int32($0)))
    },
    CrashKind("cxx-noexcept", "SIGABRT", .both("uncaught labels::Jam: tray 2 is jammed"), in: "labels::feed(int)") {
        use(label_feed(Int32($0)))
    },
    CrashKind("cxx-thrown-number", "SIGABRT", .both("uncaught int"), in: "labels::cut(int)") {
        use(label_cut(Int32($0)))
    },
    CrashKind("c-divide-by-zero", "SIGFPE", .none, in: "parcel_mean_weight") {
        use(parcel_mean_weight(Int32($0), Int32($0 - $0)))
    },
    CrashKind("truncated-mapping", "SIGBUS", .none, in: "ledger_sum_after_truncation") {
        use(ledger_sum_after_truncation($0 * 4096))
    },
    CrashKind("c-trap", trap, .none, in: "shelf_height") {
        use(shelf_height(Int32($0)))
    },
    CrashKind("c-debugtrap", "SIGTRAP", .none, in: "parcel_inspect") {
        use(parcel_inspect(Int32($0)))
    },
    CrashKind("seccomp", "SIGSYS", .none, in: "sandbox_forbidden_call") { _ in
        use(sandbox_forbidden_call())
    },
    raised("raise-segv", "SIGSEGV", SIGSEGV),
    raised("raise-bus", "SIGBUS", SIGBUS),
    raised("raise-fpe", "SIGFPE", SIGFPE),
    raised("raise-ill", "SIGILL", SIGILL),
    raised("raise-trap", "SIGTRAP", SIGTRAP),
    raised("raise-sys", "SIGSYS", SIGSYS),
    // Workers of libdispatch block these two.
    raised("raise-abrt", "SIGABRT", SIGABRT, on: [.main, .thread]),
    raised("raise-quit", "SIGQUIT", SIGQUIT, on: [.main, .thread]),
]

private func raised(_ name: String, _ signal: String, _ number: Int32, on stages: [Stage] = Stage.allCases) -> CrashKind
{
    CrashKind(name, signal, .none, in: "signal_self", on: stages) { _ in
        use(signal_self(number))
    }
}

/// Keeps a result alive, so that the call before it is not a tail call that drops our frame.
@inline(never)
private func use(_ result: Int32) {
    lastResult = result
}

nonisolated(unsafe) private var lastResult: Int32 = 0

@inline(never)
func giveUp(_ reason: Int) {
    if reason < 1000 {
        abort()  // crash: abort
    }
}
