// Reports on their way through the spool: `write COUNT` makes them and delivers them, `deliver` delivers what waits. Prints
// `NAME VALUE` a line: nanoseconds, and the most memory that the process had, in KiB.

#if canImport(Glibc)
    import Glibc
#endif
import Mayday

struct StockError: Error {
    let sku: Int
}

func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// `VmHWM` of `/proc/self/status`, in KiB.
func peakMemory() -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if text.hasPrefix("VmHWM:") { return Int(text.filter(\.isNumber)) ?? 0 }
    }
    return 0
}

// Nothing is counted or removed: what is measured is the way of each.
try Mayday.start(
    MaydayConfiguration(
        release: "delivering@1",
        spoolLimits: SpoolLimits(reports: 100_000, bytes: .max, age: .seconds(1e9)),
        errorLimits: ErrorLimits(interval: .zero, reports: .max)
    ),
    uploader: CollectorUploader(dsn: "http://KEY@127.0.0.1:1/1")
)
for name in ["cart loaded", "stock asked for", "order begun"] { Mayday.breadcrumb(name, category: "shop") }
Mayday.setTag("region", "eu-1")
let start = now()
var isDone = true
switch CommandLine.arguments.dropFirst().first {
case "write":
    let count = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1
    // As many at once as may wait to be written.
    for first in stride(from: 0, to: count, by: 200) {
        for sku in first..<min(first + 200, count) { Mayday.capture(StockError(sku: sku)) }
        let isFlushed = await Mayday.flush(timeout: .seconds(60))
        isDone = isDone && isFlushed
    }
default: isDone = await Mayday.flush(timeout: .seconds(120))
}
print("nanoseconds", now() - start)
print("memory", peakMemory())
print("done", isDone ? 1 : 0)
