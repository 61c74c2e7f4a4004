/// What Swift's backtracer writes as JSON, made up of what it wrote of real crashes.
public enum BacktracerSample {
    /// A failed check in an async function of a debug build.
    public static let fatalError = """
        { "timestamp": "2026-11-30T21:15:51.055357Z", "kind": "crashReport", "description": "Illegal instruction", \
        "faultAddress": "0x00007f34b176df7f", "platform": "Linux (Debian GNU/Linux 12 (bookworm))", \
        "architecture": "x86_64", "threads": [ { "name": "checkout", "frames": [ { "kind": "programCounter", \
        "address": "0x00007f34b0038545", "symbol": "clock_nanosleep@@GLIBC_2.17", "offset": 101, \
        "description": "clock_nanosleep@@GLIBC_2.17 + 101", "image": "libc.so.6" }, { "kind": "truncated" } ] }, \
        { "name": "oot.default-qos", "crashed": true, "registers": {"rax": "0x0000000000000000", \
        "rsp": "0x00007fff873d7ee0", "rip": "0x00007f34b176df7f" }, "frames": [ { "kind": "programCounter", \
        "address": "0x00007f34b176df7f", \
        "symbol": "$ss17_assertionFailure__4file4line5flagss5NeverOs12StaticStringV_A2HSus6UInt32VtF", "offset": 623, \
        "description": "_assertionFailure(_:_:file:line:flags:) + 623", "image": "libswiftCore.so" }, \
        { "kind": "returnAddress", "address": "0x000055f1fc2e31a0", "inlined": true, \
        "symbol": "$s8checkout5priceyS2iF", "offset": 0, "description": "price(_:)", "image": "checkout", \
        "sourceLocation": { "file": "/srv/src/Cart.swift", "line": 3, "column": 60 } }, \
        { "kind": "returnAddress", "address": "0x000055f1fc2e31a0", "symbol": "$s8checkout5totalyS2iYaFTY1_", \
        "offset": 47, "description": "total(_:) + 47", "image": "checkout", \
        "sourceLocation": { "file": "/srv/src/Cart.swift", "line": 9, "column": 0 } }, \
        { "kind": "asyncResumePoint", "address": "0x000055f1fc2e2193", "system": true, "symbol": "async_MainTQ0_", \
        "offset": 0, "description": "async_MainTQ0_", "image": "checkout", \
        "sourceLocation": { "file": "//<compiler-generated>", "line": 0, "column": 0 } }, { "kind": "truncated" } ] } \
        ], "capturedMemory": { "0x00007fff873d7ee0": "00000000000000000000000000000000" }, "omittedImages": 11, \
        "images": [ { "name": "checkout", "buildId": "b8d2f2b6e756dd47224e5c3d271ff5d05f6724c9", \
        "path": "/srv/bin/checkout", "baseAddress": "0x000055f1fc2e0000", "endOfText": "0x000055f1fc2e3db0" }, \
        { "name": "libc.so.6", "buildId": "00ac61ec5a8eb1396f9fbd350e3169a558528a40", "path": "/srv/lib/libc.so.6", \
        "baseAddress": "0x00007f34aff69000", "endOfText": "0x00007f34b00e40fc" }, { "name": "libswiftCore.so", \
        "buildId": "0021f25fdeacf504eca83d97c7308e8fc11be729", "path": "/srv/lib/libswiftCore.so", \
        "baseAddress": "0x00007f34b1600000", "endOfText": "0x00007f34b1bd2d40" } ] , "backtraceTime": 0.011174733 }

        """

    /// What stands in standard error before it.
    public static let before = """
        Checkout/Cart.swift:3: Fatal error: no price for tea

        *** Signal 4: Backtracing from 0x7f34b176df7f... done ***


        """

    /// A crash of its own with as many frames as asked for, as the backtracer has them with `limit=none`.
    public static func deep(_ frames: Int, name: String = "$s8checkout5priceyS2iF") -> String {
        let frame = """
            { "kind": "returnAddress", "address": "0x000055f1fc2e31a0", "symbol": "\(name)", "offset": 47, \
            "description": "price(_:) + 47", "image": "checkout" }, 
            """
        let start = "{ \"kind\": \"returnAddress\", \"address\": \"0x000055f1fc2e31a0\", \"inlined\": true"
        return fatalError.replacing(start, with: String(repeating: frame, count: frames) + start, maxReplacements: 1)
    }
}
