import CrashReport
import Testing

@testable import Symbolication

/// Whose code: by the path of an image, and by name inside the service's own.
@Suite struct CodeOriginTests {
    @Test(arguments: [
        ("/opt/swift/usr/lib/swift/linux/libswiftCore.so", FrameOrigin.runtime),
        ("/usr/lib/swift/linux/libswift_Concurrency.so", .runtime),
        ("/app/lib/libFoundationEssentials.so", .runtime),
        ("/app/lib/lib_FoundationICU.so", .runtime),
        ("/app/lib/libdispatch.so", .runtime),
        ("/app/lib/libBlocksRuntime.so", .runtime),
        ("/usr/lib/x86_64-linux-gnu/libc.so.6", .system),
        ("/lib64/ld-linux-x86-64.so.2", .system),
        ("/app/lib/libstdc++.so.6", .system),
        ("[vdso]", .system),
        ("linux-vdso.so.1", .system),
        ("/usr/lib/x86_64-linux-gnu/libcurl.so.4", .system),
        ("/srv/checkout/CheckoutService", .service),
        ("/app/lib/libcoupons.so", .service),
        ("/usr/bin/checkout", .service),
        ("/usr/local/lib/libcoupons.so", .service),
        ("libcoupons.so", .service),
        ("", .service),
    ])
    func images(_ path: String, _ origin: FrameOrigin) {
        #expect(FrameOrigin(imagePath: path) == origin)
    }

    @Test(arguments: [
        // The service's own, and extensions of other modules' types that it declares.
        ("$s7Fixture9checksumsySays5Int32VGSayAA4ItemVGF", FrameOrigin.service),
        ("$sSa7FixtureAA4ItemVRszlE9expensiveSaySSGyF", .service),
        ("$sSa7FixtureAA4ItemVRszlE9expensiveSaySSGyFSbACcfU_", .service),
        (
            "$sSa7FixtureAA4ItemVRszlE9expensiveSaySSGyFSSACcfu_33_0ce86aeb3b4c3c1f1a1c95c133f5a9acACSSTf3nnpk_n",
            .service
        ),
        ("$s7Fixture4ItemVwCPTm", .service),
        // Swift's libraries, linked statically.
        ("$s8Dispatch0A5GroupC6notify5queue4workyAA0A5QueueC_AA0A8WorkItemCtF", .runtime),
        ("$ss5print_9separator10terminatoryypd_S2StF", .runtime),
        ("$sSS9hasPrefixySbSSF", .runtime),
        ("$s20FoundationEssentials4DataV5countSivg", .runtime),
        ("$sScTss5Error_pRs_rlE5valuexvg", .runtime),
        // Their generic functions, specialised for the service's types and emitted into it.
        (
            "$ss30_copySequenceToContiguousArrayys0dE0Vy7ElementQzGxSTRzlFs07LazyMapB0Vys0g6FilterB0VySay7Fixture4ItemVGGSSG_Tg5",
            .runtime
        ),
        // Mayday itself.
        ("$s6Mayday5startyyF", .runtime),
        ("mayday_capture_install", .runtime),
        // The runtime in C and C++.
        ("swift_job_run", .runtime), ("_swift_runtime_on_report", .runtime), ("__swift_memcpy16_8", .runtime),
        ("_dispatch_worker_thread", .runtime), ("dispatch_group_leave", .runtime),
        ("_ZN5swift7metadata3fooEv", .runtime),
        ("_ZL23completeTaskWithClosurePN5swift12AsyncContextEPNS_10SwiftErrorE", .runtime),
        ("_ZN12_GLOBAL__N_119ProcessOutOfLineJob7processEPN5swift3JobE", .runtime),
        ("_ZNSt6vectorIiSaIiEE2atEm", .system), ("_ZSt9terminatev", .system), ("__cxa_throw", .system),
        ("__clang_call_terminate", .system),
        ("_start", .system),
        ("__libc_start_call_main", .system),
        // Other names are the service's.
        ("main", .service), ("parcel_move", .service), ("_ZN6labels7Printer5printEi", .service), ("CFOO", .runtime),
        ("_ZL5labelPN6labels7PrinterE", .service),
        ("", .service),
    ])
    func functions(_ mangled: String, _ origin: FrameOrigin) {
        #expect(
            FrameOrigin(of: FrameSymbol(function: mangled, mangled: mangled)) == origin,
            "\(Demangler().full(mangled) ?? "")"
        )
    }

    @Test func cCodeWithDebugInformationIsTheServicesOwn() {
        #expect(FrameOrigin(of: FrameSymbol(function: "dispatch_order", file: "/src/orders.c", line: 3)) == .service)
        #expect(FrameOrigin(of: FrameSymbol(function: "dispatch_order")) == .runtime)
    }

    @Test func frameIsTheServicesWhenAnyOfItsFunctionsIs() {
        let map = FrameSymbol(
            function: "specialized Sequence.map<A>(_:)",
            mangled: "$sSTsE3mapySayqd__Gqd__7ElementQzqd_0_YKXEqd_0_YKs5ErrorRd_0_r0_lF"
        )
        let closure = FrameSymbol(
            function: "closure #1 in total()",
            mangled: "$s7Fixture4ShopO4CartV5totalSiyFS2i_xtXEfU_"
        )
        #expect(FrameOrigin(of: [map]) == .runtime)
        #expect(FrameOrigin(of: [closure, map]) == .service)
        #expect(FrameOrigin(of: [map, closure]) == .service)
        #expect(FrameOrigin(of: []) == nil)
    }

    @Test(arguments: [
        ("generic specialization <Swift.Int> of (extension in Shop):Swift.Array.total() -> Swift.Int", "Shop"),
        ("static Swift.Comparable.< infix(A, A) -> Swift.Bool", "Swift"),
        ("static (extension in Shop):Swift.Comparable.> infix(A, A) -> Swift.Bool", "Shop"),
        (
            "protocol witness for Swift.Hashable.hash(into: inout Swift.Hasher) -> () in conformance Shop.Item : Swift.Hashable in Shop",
            "Shop"
        ),
        ("closure #1 (Swift.Int) -> Swift.Bool in Shop.(find in _A1B2)(id: Swift.Int) -> Swift.Int?", "Shop"),
        ("(1) await resume partial function for Shop.Cart.load() async -> ()", "Shop"),
        ("partial apply forwarder for closure #1 () -> () in Shop.run(for: Swift.Int) -> ()", "Shop"),
        ("main", nil), ("", nil),
        (
            "reabstraction thunk helper from @escaping @callee_guaranteed () -> (@out A) to @escaping @callee_guaranteed () -> ()",
            nil
        ),
    ])
    func modules(_ signature: String, _ module: String?) {
        #expect(SwiftSignature.module(of: SwiftSignature.declaration(of: signature)).map(String.init) == module)
    }
}
