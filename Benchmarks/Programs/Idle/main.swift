// The smallest service: with the argument `rest` it waits until standard input ends, else it ends at once.

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// A service has tasks, so both programs link the runtime of concurrency. None runs: its threads would be counted.
if CommandLine.argc > 2 { await Task { print(CommandLine.argc) }.value }
if CommandLine.argc > 1 {
    print("ready")
    fflush(nil)
    var byte: UInt8 = 0
    _ = read(0, &byte, 1)
}
