// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target: language mode 6, warnings are errors, imports are explicit.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Every C target: warnings are errors; frame pointers come with the compiler's default on this platform.
let strictC: [CSetting] = [
    .define("_GNU_SOURCE", .when(platforms: [.linux])),
    .enableWarning("all"),
    .enableWarning("extra"),
    .treatAllWarnings(as: .error),
]

/// Every C++ target.
let strictCxx: [CXXSetting] = [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]

/// What people link or run. A service links `Mayday`; the collector and its CLI are the one executable `mayday`.
let products: [Product] = [
    .library(name: "Mayday", targets: ["Mayday"]),
    .library(name: "CrashReport", targets: ["CrashReport"]),
    .library(name: "CrashReportText", targets: ["CrashReportText"]),
    .library(name: "MaydaySentry", targets: ["MaydaySentry"]),
    .library(name: "MaydayOTLP", targets: ["MaydayOTLP"]),
    .library(name: "MaydayWebhook", targets: ["MaydayWebhook"]),
    .library(name: "MaydaySymbols", targets: ["MaydaySymbols"]),
    .library(name: "MaydayTestKit", targets: ["MaydayTestKit"]),
    .executable(name: "mayday", targets: ["MaydayCLI"]),
]

/// Libraries of the system, as module maps and thin shims.
let system: [Target] = [
    // Without pkgConfig, which would link libunwind: it is loaded privately (docs/decisions.md), its headers are on the default path.
    .systemLibrary(name: "CUnwind", path: "Sources/System/CUnwind", providers: [.apt(["libunwind-dev"])]),
    .systemLibrary(name: "CZlib", path: "Sources/System/CZlib", providers: [.apt(["zlib1g-dev"])]),
    // Loaded privately as well: an adapter that looks up functions must not make every start of a service load libdw.
    .target(name: "CDwfl", path: "Sources/System/CDwfl", cSettings: strictC),
    .systemLibrary(
        name: "CSQLite",
        path: "Sources/System/CSQLite",
        pkgConfig: "sqlite3",
        providers: [.apt(["libsqlite3-dev"])]
    ),
    .systemLibrary(name: "CPQ", path: "Sources/System/CPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CHeap", path: "Sources/System/CHeap"),
    .systemLibrary(
        name: "CMicroHTTPD",
        path: "Sources/System/CMicroHTTPD",
        pkgConfig: "libmicrohttpd",
        providers: [.apt(["libmicrohttpd-dev"])]
    ),
    .systemLibrary(
        name: "CCrypto",
        path: "Sources/System/CCrypto",
        pkgConfig: "libcrypto",
        providers: [.apt(["libssl-dev"])]
    ),
    .systemLibrary(name: "CDemangle", path: "Sources/System/CDemangle"),
    .target(name: "CCurl", path: "Sources/System/CCurl", cSettings: strictC),
]

/// zlib as an archive: a shared object costs each service 0.1 MB of memory at rest, for what a crash needs (docs/decisions.md).
let zlib: [LinkerSetting] = [
    .linkedLibrary(":libz.a", .when(platforms: [.linux])),
    .linkedLibrary("z", .when(platforms: [.macOS])),
]

/// What a service links. Nothing here imports Foundation: it would cost a static service more than all of Mayday.
let sdk: [Target] = [
    .target(name: "CrashCapture", dependencies: ["CUnwind", "CZlib"], cSettings: strictC, linkerSettings: zlib),
    .target(name: "CrashReport", dependencies: ["CZlib"], swiftSettings: strict, linkerSettings: zlib),
    .target(name: "Mayday", dependencies: ["CrashCapture", "CrashReport", "CCurl"], swiftSettings: strict),
    .target(
        name: "Symbolication",
        dependencies: ["CrashReport", "CDwfl", "CDemangle", "CZlib"],
        swiftSettings: strict
    ),
    .target(name: "Grouping", dependencies: ["CrashReport", "Symbolication"], swiftSettings: strict),
    // What Sentry's, OTLP's and the webhook's adapters share. A service that has none of them links none of it.
    .target(
        name: "BackendSupport",
        dependencies: [
            "Mayday", "CrashReport", .target(name: "Grouping", condition: .when(platforms: [.linux])),
        ],
        swiftSettings: strict
    ),
    .target(name: "MaydaySentry", dependencies: ["Mayday", "CrashReport", "BackendSupport"], swiftSettings: strict),
    .target(name: "MaydayOTLP", dependencies: ["Mayday", "CrashReport", "BackendSupport"], swiftSettings: strict),
    .target(name: "MaydayWebhook", dependencies: ["Mayday", "CrashReport", "BackendSupport"], swiftSettings: strict),
    // For people who write adapters: what ours use to look up functions.
    .target(name: "MaydaySymbols", dependencies: ["Mayday", "CrashReport", "BackendSupport"], swiftSettings: strict),
    .target(name: "MaydayTestKit", dependencies: ["Mayday", "CrashReport"], swiftSettings: strict),
]

/// A report as text for a person, which no service has to link.
let text: [Target] = [
    .target(name: "CrashReportText", dependencies: ["CrashReport"], swiftSettings: strict)
]

/// The collector, by step: Ingest → Store → Digest → Query. A lower layer never imports a higher one.
let collector: [Target] = [
    .target(
        name: "Store",
        dependencies: ["CrashReport", "CSQLite", "CPQ", "CCrypto"],
        path: "Collector/Store",
        swiftSettings: strict
    ),
    .target(
        name: "Ingest",
        dependencies: ["CrashReport", "Store", "CMicroHTTPD", "CCrypto", "CHeap"],
        path: "Collector/Ingest",
        swiftSettings: strict
    ),
    .target(
        name: "Import",
        dependencies: ["CrashReport", "Symbolication", "CZlib", "CCrypto"],
        path: "Collector/Import",
        swiftSettings: strict
    ),
    .target(
        name: "SymbolStore",
        dependencies: ["CrashReport", "Symbolication", "CZlib"],
        path: "Collector/Symbols",
        swiftSettings: strict
    ),
    .target(
        name: "Digest",
        dependencies: ["CrashReport", "Symbolication", "SymbolStore", "Grouping", "Store"],
        path: "Collector/Digest",
        swiftSettings: strict
    ),
    .target(
        name: "Query",
        dependencies: ["CrashReport", "CrashReportText", "Store", "Grouping", "Digest"],
        path: "Collector/Query",
        swiftSettings: strict
    ),
    // HTTP from here to elsewhere: webhooks, and commands on another collector.
    .target(name: "Client", dependencies: ["CrashReport", "CCurl"], path: "Collector/Client", swiftSettings: strict),
    .target(
        name: "Remote",
        dependencies: ["CrashReport", "Store", "Query", "Client"],
        path: "Collector/Remote",
        swiftSettings: strict
    ),
    .target(
        name: "Notify",
        dependencies: ["CrashReport", "Store", "Query", "Client"],
        path: "Collector/Notify",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "MaydayCLI",
        dependencies: [
            "Client", "Notify", "Remote",
            "CrashReport", "CrashReportText", "Symbolication", "SymbolStore", "Grouping", "Store", "Ingest", "Import",
            "Digest", "Query", "CCurl",
        ],
        path: "Collector/mayday",
        swiftSettings: strict
    ),
]

/// Programs as a user would write them, built in CI and crashed by the tests.
let examples: [Target] = [
    .executableTarget(
        name: "CheckoutService",
        dependencies: ["Mayday", "CMicroHTTPD", "CCoupons"],
        path: "Examples/CheckoutService/Service",
        swiftSettings: strict
    ),
    .target(name: "CCoupons", path: "Examples/CheckoutService/CCoupons", cSettings: strictC),
    .executableTarget(
        name: "CustomUploader",
        dependencies: ["Mayday", "CrashReport"],
        path: "Examples/CustomUploader",
        swiftSettings: strict
    ),
    // One service with each backend: the diffs between these are shown in docs/backends.md.
    .target(name: "Shop", path: "Examples/OneLine/Shop", swiftSettings: strict),
    oneLine("Collector", []),
    oneLine("Directory", []),
    oneLine("Sentry", ["MaydaySentry"]),
    oneLine("OTLP", ["MaydayOTLP"]),
    oneLine("Webhook", ["MaydayWebhook"]),
    oneLine("All", ["MaydaySentry", "MaydayOTLP", "MaydayWebhook"]),
    .executableTarget(
        name: "CrashGallery",
        dependencies: ["Mayday", "CCrashKinds", "CxxCrashKinds"],
        path: "Examples/CrashGallery/Gallery",
        swiftSettings: strict
    ),
    .target(name: "CCrashKinds", path: "Examples/CrashGallery/CCrashKinds", cSettings: strictC),
    .target(name: "CxxCrashKinds", path: "Examples/CrashGallery/CxxCrashKinds", cxxSettings: strictCxx),
]

/// Unit tests beside what they test; `EndToEndTests` crashes real children and follows the report through the collector.
let tests: [Target] = [
    .target(
        name: "TestSupport",
        dependencies: ["CrashReport", "MaydayTestKit"],
        path: "Tests/TestSupport",
        swiftSettings: strict
    ),
    test("CrashReportTests", ["CrashReport", "CrashReportText"]),
    test("CrashReportTextTests", ["CrashReportText", "CrashReport"], exclude: ["Golden"]),
    .target(
        name: "CaptureChildCrashes",
        dependencies: ["CrashCapture"],
        path: "Tests/CaptureChild/Crashes",
        cSettings: strictC + [.headerSearchPath("../../../Sources/CrashCapture")]
    ),
    .executableTarget(
        name: "CaptureChild",
        dependencies: ["CaptureChildCrashes"],
        path: "Tests/CaptureChild/Main",
        swiftSettings: strict
    ),
    .executableTarget(name: "FaultInjector", path: "Tests/FaultInjector/Injector", cSettings: strictC),
    .executableTarget(
        name: "FaultChild",
        dependencies: ["CaptureChildCrashes"],
        path: "Tests/FaultInjector/Child",
        cSettings: strictC
    ),
    test(
        "CrashCaptureTests",
        [
            "CrashCapture", "CrashReport", "CaptureChild", "CaptureChildCrashes", "FaultInjector", "FaultChild",
            "Import",
        ]
    ),
    test("MaydayTests", ["CrashCapture", "CCurl", "Mayday", "MaydayTestKit", "CrashReport", "SDKChild"]),
    .executableTarget(name: "SDKChild", dependencies: ["Mayday"], path: "Tests/SDKChild", swiftSettings: strict),
    // No dependency of the tests that run it: they would be linked with its allocator.
    .target(name: "AllocationCounter", path: "Tests/AllocationChild/Counter", cSettings: strictC),
    .executableTarget(
        name: "AllocationChild",
        dependencies: ["Mayday", "AllocationCounter"],
        path: "Tests/AllocationChild/Main",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "InteropService",
        dependencies: ["Mayday", "MaydaySentry", "MaydayOTLP", "MaydayWebhook"],
        path: "Tests/Interop",
        swiftSettings: strict
    ),
    .target(name: "SoakLoad", path: "Tests/Soak/Load", cxxSettings: strictCxx),
    .executableTarget(
        name: "Soak",
        dependencies: ["Mayday", "SoakLoad"],
        path: "Tests/Soak/Main",
        swiftSettings: strict
    ),
    test(
        "MaydayTestKitTests",
        ["MaydayTestKit", "Mayday", "MaydaySentry", "MaydayOTLP", "MaydayWebhook", "CrashReport"]
    ),
    test(
        "MaydaySentryTests",
        ["MaydaySentry", "MaydaySymbols", "BackendSupport", "Mayday", "CrashReport"],
        exclude: ["Golden"]
    ),
    test("MaydayOTLPTests", ["MaydayOTLP", "BackendSupport", "Mayday", "CrashReport"], exclude: ["Golden"]),
    test("MaydayWebhookTests", ["MaydayWebhook", "BackendSupport", "Mayday", "CrashReport"], exclude: ["Golden"]),
    test("SymbolicationTests", ["Symbolication", "CrashReport"], exclude: ["Fixture"]),
    test("StoreTests", ["Store", "CrashReport"]),
    test("IngestTests", ["Ingest", "Store", "CrashReport"]),
    test("ImportTests", ["Import", "Store", "CrashReport"]),
    test("NotifyTests", ["Notify", "Client", "Query", "Store", "CrashReport", "MaydayTestKit"]),
    test("DigestTests", ["Digest", "Grouping", "Store", "Symbolication", "CrashReport"]),
    test(
        "CommandTests",
        [
            "MaydayCLI", "MaydayTestKit", "SDKChild", "CaptureChild", "Query", "Digest", "SymbolStore", "Grouping",
            "Symbolication",
            "Store", "Ingest",
            "CrashReport", "CrashReportText",
        ],
        exclude: ["Golden"]
    ),
    test(
        "EndToEndTests",
        [
            "MaydayCLI", "CrashGallery", "CheckoutService", "CustomUploader", "CaptureChild", "ShopCollector",
            "ShopDirectory", "ShopSentry", "ShopOTLP", "ShopWebhook", "ShopAll",
        ],
        exclude: ["Golden"]
    ),
]

func oneLine(_ backend: String, _ adapters: [Target.Dependency]) -> Target {
    .executableTarget(
        name: "Shop\(backend)",
        dependencies: ["Mayday", "Shop"] + adapters,
        path: "Examples/OneLine/\(backend)",
        swiftSettings: strict
    )
}

func test(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], exclude: exclude, swiftSettings: strict)
}

let package = Package(
    name: "mayday",
    platforms: [.macOS(.v15)],
    products: products,
    targets: system + sdk + text + collector + examples + tests
)
