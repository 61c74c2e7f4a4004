// What it costs a service to say something: `NAME NANOSECONDS` for each call, the median of batches.

#if canImport(Glibc)
    import Glibc
#endif
import Mayday

struct StockError: Error {
    let sku: String
}

func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Nanoseconds of one call, the median of batches.
func measure(batches: Int = 101, calls: Int, _ body: (Int) -> Void) -> Int {
    let times = (0..<batches).map { batch in
        let start = now()
        for call in 0..<calls { body(batch * calls + call) }
        return (now() - start) / calls
    }
    return times.sorted()[batches / 2]
}

@inline(never) func handle(_ error: StockError) { Mayday.capture(error) }

/// Below a stack as deep as that of a service.
@inline(never) func deep(_ levels: Int, _ body: () -> Void) {
    if levels == 0 { body() } else { deep(levels - 1, body) }
    withExtendedLifetime(levels) {}
}

// Every error is taken and written: the limits are not what is measured.
let limits = ErrorLimits(interval: .zero, reports: .max)
try Mayday.start(
    MaydayConfiguration(release: "telling@1", errorLimits: limits),
    uploader: CollectorUploader(dsn: "http://KEY@127.0.0.1:1/1")
)
print("clock", measure(calls: 1000) { _ in _ = now() })
print("breadcrumb", measure(calls: 1000) { _ in Mayday.breadcrumb("the cart was loaded", category: "cart") })
print("breadcrumb-with-data", measure(calls: 200) { Mayday.breadcrumb("the cart was loaded", data: ["items": $0]) })
print("set-tag", measure(calls: 200) { _ in Mayday.setTag("region", "eu-central-1") })
print(
    "with-context",
    measure(calls: 200) { index in Mayday.withContext(["n": index], request: ["path": "/cart"]) {} }
)
// Few, with pauses: what is measured is the caller's side, not the queue when it is full.
var captured: [Int] = []
for _ in 0..<51 {
    deep(20) {
        let start = now()
        handle(StockError(sku: "tea"))
        captured.append(now() - start)
    }
    await Mayday.flush(timeout: .zero)
}
print("capture", captured.sorted()[captured.count / 2])
