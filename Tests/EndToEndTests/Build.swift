import Foundation

/// A build of the programs that are crashed. `make test` makes all three and names their directories in the environment.
enum Build: String, CaseIterable, Sendable {
    case debug
    case release
    /// Release, with Swift's libraries linked statically.
    case `static`

    var isOptimised: Bool { self != .debug }

    /// Directory of the build's programs.
    var directory: String {
        if let named = ProcessInfo.processInfo.environment["MAYDAY_\(rawValue.uppercased())_BUILD"] { return named }
        return switch self {
        case .debug: "\(Package.root)/.build/debug"
        case .release: "\(Package.root)/.build/release-build/release"
        case .static: "\(Package.root)/.build/static-build/release"
        }
    }

    var gallery: String { "\(directory)/CrashGallery" }
    var checkoutService: String { "\(directory)/CheckoutService" }
    /// The collector under test is the debug build, whichever build the service is.
    static var mayday: String { "\(Build.debug.directory)/mayday" }

    var isMade: Bool {
        [gallery, checkoutService].allSatisfy(FileManager.default.isExecutableFile(atPath:))
    }

    /// Set by `make test`: a build that is missing fails the tests instead of leaving some out.
    static let areAllRequired = ProcessInfo.processInfo.environment["MAYDAY_REQUIRE_ALL_BUILDS"] == "1"

    static let missing = allCases.filter { !$0.isMade }
    /// The builds to test.
    static let tested = areAllRequired ? allCases : allCases.filter(\.isMade)
}

/// Where the sources are.
enum Package {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path(percentEncoded: false)
}
