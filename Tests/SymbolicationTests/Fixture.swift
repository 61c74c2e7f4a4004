import Foundation
import TestSupport

/// The program in `Fixture/`, compiled once for each way of building that a test asks for.
actor Fixture {
    static let shared = Fixture()

    /// A way of building.
    enum Variant: String, CaseIterable {
        case debug, optimized, staticStandardLibrary, fixedAddress

        fileprivate var arguments: [String] {
            switch self {
            case .debug: ["-Onone"]
            case .optimized: ["-O"]
            case .staticStandardLibrary: ["-O", "-static-stdlib"]
            case .fixedAddress: ["-O", "-Xclang-linker", "-no-pie"]
            }
        }
    }

    private let directory = Result { try TemporaryDirectory() }
    private var built: [Variant: Result<String, any Error>] = [:]

    /// Path of the executable.
    func path(_ variant: Variant) throws -> String {
        if let known = built[variant] { return try known.get() }
        let result = Result { try build(variant) }
        built[variant] = result
        return try result.get()
    }

    private func build(_ variant: Variant) throws -> String {
        let directory = try directory.get().path + "/" + variant.rawValue
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixture").path
        guard let swiftc = Tool.ofToolchain("swiftc"), let clang = Tool.ofToolchain("clang") else {
            throw ToolFailure(description: "no swiftc and clang on the PATH")
        }
        let optimization = variant == .debug ? "-O0" : "-O2"
        try clang.run(["-g", optimization, "-c", "\(source)/CShop.c", "-o", "\(directory)/CShop.o"])
        let output = "\(directory)/fixture"
        let sources = ["\(source)/main.swift", "\(source)/Shop.swift", "\(directory)/CShop.o"]
        try swiftc.run(
            variant.arguments + ["-g", "-swift-version", "6", "-module-name", "Fixture", "-I", source] + sources + [
                "-o", output,
            ]
        )
        return output
    }
}
