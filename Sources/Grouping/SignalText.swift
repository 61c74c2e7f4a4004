import CrashReport

/// A headline for a signal that came without a message.
enum SignalText {
    static func title(of crash: Crash, calls: [Call]) -> String {
        hint(crash, calls: calls).map { "\(crash.signal.name) \($0)" } ?? crash.signal.name
    }

    private static func hint(_ crash: Crash, calls: [Call]) -> String? {
        switch crash.signal.name {
        case "SIGSEGV", "SIGBUS": badAccess(crash, calls: calls)
        case "SIGFPE": crash.signal.codeName == "FPE_INTDIV" ? "(integer division by zero)" : nil
        case "SIGILL": crash.signal.codeName == "ILL_ILLOPN" || crash.signal.codeName == "ILL_ILLOPC" ? "(trap)" : nil
        case "SIGTRAP": "(trap)"
        case "SIGABRT": "(abort)"
        case "SIGSYS": "(forbidden system call)"
        default: nil
        }
    }

    private static func badAccess(_ crash: Crash, calls: [Call]) -> String? {
        let recursion = Recursion(calls)
        // The address itself differs from run to run, but for a null pointer.
        return switch BadAccess(crash, recursion: recursion) {
        case .stackOverflow: recursion.map { "(stack overflow in \($0.function))" } ?? "(stack overflow)"
        case .notAnAddress: "(address is no pointer)"
        case .null(0): "at 0x0 (null pointer)"
        case .null(let offset): "at 0x\(String(offset, radix: 16)) (null pointer plus offset)"
        case .notMapped: "(address is not mapped)"
        case .protected: "(address is protected)"
        case .pastEndOfFile: "(access behind the end of a mapped file)"
        case .unknown: nil
        }
    }
}
