// The same as `Idle`, and Mayday is started.

import Mayday

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

try Mayday.start(
    MaydayConfiguration(release: "idle@1.0.0", environment: "benchmark"),
    uploader: CollectorUploader(dsn: "http://key@127.0.0.1:9/1")
)
// A service has tasks, so both programs link the runtime of concurrency. None runs: its threads would be counted.
if CommandLine.argc > 2 { await Task { print(CommandLine.argc) }.value }
if CommandLine.argc > 1 {
    print("ready")
    fflush(nil)
    var byte: UInt8 = 0
    _ = read(0, &byte, 1)
}
