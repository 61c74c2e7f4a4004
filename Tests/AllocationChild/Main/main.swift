// How often a thread allocates while it tells Mayday something: `NAME ALLOCATIONS` for each, of 100,000 calls.

import AllocationCounter
import Mayday

func allocations(_ calls: Int = 100_000, _ body: (Int) -> Void) -> Int {
    // What is made once is not counted.
    body(0)
    let before = allocations_of_this_thread()
    for call in 0..<calls { body(call) }
    return allocations_of_this_thread() - before
}

try Mayday.start(.init(release: "allocating@1"), uploader: CollectorUploader(dsn: "http://KEY@127.0.0.1:1/1"))
let message = String(repeating: "the cart was loaded, ", count: 20)
print("array", allocations(1_000) { withExtendedLifetime([$0, $0]) {} })
print("breadcrumb", allocations { _ in Mayday.breadcrumb("cart loaded") })
print("breadcrumb-in-full", allocations { _ in Mayday.breadcrumb(message, category: "cart", level: .warning) })
print("breadcrumb-with-data", allocations { Mayday.breadcrumb("cart loaded", data: ["items": $0]) })
print("tag", allocations { _ in Mayday.setTag("region", "eu-central-1") })
