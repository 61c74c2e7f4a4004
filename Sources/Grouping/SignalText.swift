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
        let recursion = recursiveFunction(calls)
        // Where the stack ended is next to the stack pointer; a bad access inside a deep recursion is elsewhere.
        if isNextToStackPointer(crash) ?? (recursion != nil) {
            return recursion.map { "(stack overflow in \($0))" } ?? "(stack overflow)"
        }
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

    /// How far from the stack pointer a function touches the stack: a page of guard, and large frames.
    private static let reach: UInt64 = 64 * 1024

    /// Nil when the report does not say.
    private static func isNextToStackPointer(_ crash: Crash) -> Bool? {
        guard let address = crash.faultAddress,
            let pointer = crash.registers.first(where: { ["rsp", "sp"].contains($0.name) })?.value
        else { return nil }
        return max(address, pointer) - min(address, pointer) < reach
    }

    /// The function that a recursion without end was in. Several may take turns: which of them was called last is chance, so the
    /// choice does not depend on it.
    private static func recursiveFunction(_ calls: [Call]) -> String? {
        let own = calls.contains(where: \.isOwn) ? calls.filter(\.isOwn) : calls
        var counts: [String: Int] = [:]
        for call in own { if let function = call.function { counts[function, default: 0] += 1 } }
        guard let most = counts.values.max(), most >= Call.endlessRecursion else { return nil }
        let inTurns = counts.filter { $0.value > most / 2 }.keys.sorted()
        return inTurns.first { !$0.contains("closure #") } ?? inTurns.first
    }
}
