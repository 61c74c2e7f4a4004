// swift-tools-version: 6.2
import PackageDescription

// Programs that `Benchmarks/run` measures. A package of its own, so that building and testing Mayday does not build them.

/// Every target: language mode 6, warnings are errors.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
]

let mayday = Target.Dependency.product(name: "Mayday", package: "mayday")

/// A program that links Mayday, if nothing else is said.
func program(_ name: String, links: [Target.Dependency] = [mayday]) -> Target {
    .executableTarget(name: name, dependencies: links, path: "Programs/\(name)", swiftSettings: strict)
}

let package = Package(
    name: "mayday-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "mayday", path: "..")],
    targets: [
        program("Crasher"),
        program("Decode", links: [.product(name: "CrashReport", package: "mayday")]),
        program("Idle", links: []), program("IdleWithMayday"),
        .target(name: "ThreadTimes", path: "Programs/ThreadTimes", swiftSettings: strict),
        .executableTarget(
            name: "Load",
            path: "Programs/Load",
            cSettings: [.define("_GNU_SOURCE")],
            linkerSettings: [.linkedLibrary("z")]
        ),
        program("Delivering"), program("Telling"),
        program("Threads", links: ["ThreadTimes"]), program("ThreadsWithMayday", links: [mayday, "ThreadTimes"]),
    ]
)
