// A checkout service as a team may write it, with the bugs that a team may write.
//
//     CheckoutService [PORT]        a free port when none is given; prints its URL
//
//     curl URL/healthz
//     curl URL/checkout          -d '{"items": [{"sku": "tea", "quantity": 2}], "coupon": "TEA-10-2099"}'
//
// And these end the process, each by an honest mistake somewhere below `Routes.swift`:
//
//     curl URL/suggestions/tea?count=9                               index out of range, in an async handler
//     curl URL/shipping          -d '{"items": []}'                  force-unwrap of a field that is not there
//     curl URL/payments          -d '{"method": "cheque"}'           fatalError
//     curl URL/checkout          -d '{"items": [], "coupon": "TEA-10-2001"}'     a C library's ownership rule, broken
//     curl URL/bundles/hamper                                        endless recursion, on a task

import Mayday

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// MAYDAY_DSN says where the collector really is.
do {
    try Mayday.start(
        .init(release: "checkout@1.4.2", environment: "production"),
        uploader: CollectorUploader(dsn: "http://KEY@127.0.0.1:7171/1")
    )
} catch {
    // What is left to the runtime ends as a crash does.
    let text = "CheckoutService: \(error)\n"
    write(STDERR_FILENO, text, text.utf8.count)
    exit(2)
}

let port = CommandLine.arguments.dropFirst().first ?? "0"
guard let port = UInt16(port) else {
    print("CheckoutService: PORT \(port) is not a number from 0 to 65535")
    exit(2)
}

let routes = Routes(catalogue: Catalogue())
let server = try Server(port: port) { await routes.answer($0) }
print("CheckoutService listens on \(server.url)")
fflush(nil)

while true { pause() }
