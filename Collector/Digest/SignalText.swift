import CrashReport

/// A headline for a signal that came without a message.
enum SignalText {
    static func title(of crash: Crash, calls: [Call]) -> String {
        hint(crash, calls: calls).map { "\(crash.signal.name) \($0)" } ?? crash.signal.name
    }

    private static func hint(_ crash: Crash, calls: [Call]) -> String? {
        switch crash.signal.name {
        case "SIGSEGV": badAccess(crash, calls: calls)
        case "SIGBUS": crash.signal.codeName == "BUS_ADRERR" ? "(access behind the end of a mapped file)" : nil
        case "SIGFPE": crash.signal.codeName == "FPE_INTDIV" ? "(integer division by zero)" : nil
        case "SIGILL": crash.signal.codeName == "ILL_ILLOPN" || crash.signal.codeName == "ILL_ILLOPC" ? "(trap)" : nil
        case "SIGTRAP": "(trap)"
        case "SIGABRT": "(abort)"
        case "SIGSYS": "(forbidden system call)"
        default: nil
        }
    }

    /// The first page is never mapped: an address in it is a null pointer, plus the offset of a field.
    private static let nullPage: UInt64 = 4096
    /// `si_code` SI_KERNEL: the processor refused the address (not canonical), and the kernel does not know it.
    private static let refusedByProcessor = 128

    private static func badAccess(_ crash: Crash, calls: [Call]) -> String? {
        if let function = endlessRecursion(calls) { return "(stack overflow in \(function))" }
        if crash.signal.code == refusedByProcessor { return "(address is no pointer)" }
        guard let address = crash.faultAddress else { return nil }
        if address == 0 { return "at 0x0 (null pointer)" }
        if address < nullPage { return "at 0x\(String(address, radix: 16)) (null pointer plus offset)" }
        // The address itself differs from run to run.
        switch crash.signal.codeName {
        case "SEGV_MAPERR": return "(address is not mapped)"
        case "SEGV_ACCERR": return "(address is protected)"
        default: return nil
        }
    }

    /// The function that a recursion without end was in, when the same one is on the stack again and again.
    private static func endlessRecursion(_ calls: [Call]) -> String? {
        var counts: [String: Int] = [:]
        for call in calls { if let function = call.function { counts[function, default: 0] += 1 } }
        guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), most.value >= 64 else {
            return nil
        }
        return most.key
    }
}
