import Foundation

/// A program of the toolchain, run to its end.
struct Tool {
    let path: String

    /// The tool of that name beside the `swiftc` on the PATH; nil when it is not there.
    static func ofToolchain(_ name: String) -> Tool? {
        for directory in (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") {
            guard let compiler = realpath("\(directory)/swiftc", nil) else { continue }
            defer { free(compiler) }
            let path = URL(fileURLWithPath: String(cString: compiler)).deletingLastPathComponent().path + "/" + name
            // Not resolved any further: `swiftc` and `clang` decide by the name that they are called by what they are.
            if access(path, X_OK) == 0 { return Tool(path: path) }
            if access("\(directory)/\(name)", X_OK) == 0 { return Tool(path: "\(directory)/\(name)") }
        }
        return nil
    }

    /// Standard output; throws with standard error when the exit status is not 0.
    @discardableResult
    func run(_ arguments: [String], input: String = "") throws -> String {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "mayday-tool-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        // Files, not pipes: nothing can block when input and output are both long.
        func file(_ name: String, _ content: String) throws -> FileHandle {
            let url = directory.appendingPathComponent(name)
            try Data(content.utf8).write(to: url)
            return try FileHandle(forUpdating: url)
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = try file("in", input)
        process.standardOutput = try file("out", "")
        process.standardError = try file("err", "")
        try process.run()
        process.waitUntilExit()
        let output = try String(contentsOf: directory.appendingPathComponent("out"), encoding: .utf8)
        guard process.terminationStatus == 0 else {
            let errors = try String(contentsOf: directory.appendingPathComponent("err"), encoding: .utf8)
            throw ToolFailure(description: "\(path) \(arguments.joined(separator: " ")): \(errors)")
        }
        return output
    }
}

struct ToolFailure: Error, CustomStringConvertible {
    let description: String
}
