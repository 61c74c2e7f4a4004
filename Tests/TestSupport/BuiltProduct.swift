import Foundation

/// Programs that the package builds, beside the test binary.
public enum BuiltProduct {
    /// Path of an executable by its name.
    public static func path(_ name: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return "\((tests as NSString).deletingLastPathComponent)/\(name)"
    }
}
