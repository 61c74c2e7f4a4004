import CrashReport

/// What a SIGSEGV or SIGBUS was, by the address and the stack.
enum BadAccess: Equatable {
    /// The stack ended.
    case stackOverflow
    /// The processor refused the address: it is none that can exist (not canonical).
    case notAnAddress
    /// Address 0, or an offset from it that a field may have.
    case null(offset: UInt64)
    case notMapped
    case protected
    /// Behind the end of a mapped file.
    case pastEndOfFile
    case unknown

    /// The first page is never mapped: an address in it is a null pointer, plus the offset of a field.
    private static let nullPage: UInt64 = 4096
    /// `si_code` SI_KERNEL: the kernel does not know the address.
    private static let refusedByProcessor = 128
    /// How far from the stack pointer a function touches the stack: a page of guard, and large frames.
    private static let reach: UInt64 = 64 * 1024

    init(_ crash: Crash, recursion: Recursion?) {
        if crash.signal.name == "SIGBUS" {
            self = crash.signal.codeName == "BUS_ADRERR" ? .pastEndOfFile : .unknown
            // Where the stack ended is next to the stack pointer; a bad access inside a deep recursion is elsewhere.
        } else if Self.isNextToStackPointer(crash) ?? (recursion != nil) {
            self = .stackOverflow
        } else if crash.signal.code == Self.refusedByProcessor {
            self = .notAnAddress
        } else if let address = crash.faultAddress {
            // Without a code, 0 may also stand for an address that the processor refused.
            if address < Self.nullPage, address > 0 || crash.signal.codeName != nil {
                self = .null(offset: address)
                return
            }
            switch crash.signal.codeName {
            case "SEGV_MAPERR": self = .notMapped
            case "SEGV_ACCERR": self = .protected
            default: self = .unknown
            }
        } else {
            self = .unknown
        }
    }

    /// Nil when the report does not say.
    private static func isNextToStackPointer(_ crash: Crash) -> Bool? {
        guard let address = crash.faultAddress,
            let pointer = crash.registers.first(where: { ["rsp", "sp"].contains($0.name) })?.value
        else { return nil }
        return max(address, pointer) - min(address, pointer) < reach
    }
}
