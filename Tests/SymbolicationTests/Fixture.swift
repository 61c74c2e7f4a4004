import Foundation

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

    private static let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Fixture").path

    /// Path of one of its files.
    static func source(_ name: String) -> String { "\(source)/\(name)" }

    private var built: [Variant: Result<String, any Error>] = [:]

    /// Path of the executable.
    func path(_ variant: Variant) throws -> String {
        if let known = built[variant] { return try known.get() }
        let result = Result { try build(variant) }
        built[variant] = result
        return try result.get()
    }

    /// Beside the tests' own executable, by what it is made of: compiled again only when that changes.
    private func build(_ variant: Variant) throws -> String {
        let source = Self.source
        guard let swiftc = Tool.ofToolchain("swiftc"), let clang = Tool.ofToolchain("clang") else {
            throw ToolFailure(description: "no swiftc and clang on the PATH")
        }
        let place = "\(variant.rawValue)-\(try Self.key(variant, source, try swiftc.run(["--version"])))"
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let target = tests.appendingPathComponent("SymbolFixture/\(place)").path
        if access(target + "/fixture", X_OK) == 0 { return target + "/fixture" }
        let directory = "\(target).\(getpid())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let optimization = variant == .debug ? "-O0" : "-O2"
        try clang.run(["-g", optimization, "-c", "\(source)/CShop.c", "-o", "\(directory)/CShop.o"])
        let sources = ["\(source)/main.swift", "\(source)/Shop.swift", "\(directory)/CShop.o"]
        let options = ["-g", "-swift-version", "6", "-module-name", "Fixture", "-I", source]
        try swiftc.run(variant.arguments + options + sources + ["-o", directory + "/fixture"])
        // Whole or not at all: another run of the tests may be building the same.
        guard rename(directory, target) == 0 || access(target + "/fixture", X_OK) == 0 else {
            throw ToolFailure(description: "rename \(directory): \(String(cString: strerror(errno)))")
        }
        return target + "/fixture"
    }

    private static func key(_ variant: Variant, _ source: String, _ compiler: String) throws -> String {
        var text = compiler + variant.arguments.joined(separator: " ")
        for name in try FileManager.default.contentsOfDirectory(atPath: source).sorted() {
            text += try String(contentsOfFile: "\(source)/\(name)", encoding: .utf8)
        }
        let key = text.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        return String(key, radix: 16)
    }
}
