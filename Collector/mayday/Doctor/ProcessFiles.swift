import Foundation

/// What the kernel shows of another process in `/proc/N` (proc(5)). What may not be read is absent.
struct ProcessFiles: Sendable {
    let pid: Int

    init(_ pid: Int) { self.pid = pid }

    func path(_ name: String) -> String { "/proc/\(pid)/\(name)" }

    /// nil when it may not be read, or is not there.
    func text(_ name: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path(name)) else { return nil }
        return (try? file.read(upToCount: 4 << 20)).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Fields of a `status` file, by their names.
    func status(_ name: String = "status") -> [String: String] {
        var fields: [String: String] = [:]
        for line in (text(name) ?? "").split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[String(line[..<colon])] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return fields
    }

    /// Names in a directory.
    func names(_ directory: String) -> [String]? {
        try? FileManager.default.contentsOfDirectory(atPath: path(directory))
    }

    func link(_ name: String) -> String? { try? FileManager.default.destinationOfSymbolicLink(atPath: path(name)) }

    /// The environment at the start of the process.
    var environment: [String: String]? {
        text("environ")?.split(separator: "\0").reduce(into: [:]) { variables, entry in
            guard let equals = entry.firstIndex(of: "=") else { return }
            variables[String(entry[..<equals])] = String(entry[entry.index(after: equals)...])
        }
    }

    /// A soft limit by its name; nil for none.
    func limit(_ name: String) -> UInt64? {
        let line = text("limits")?.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.dropFirst(name.count).split(separator: " ").first.flatMap { UInt64($0) }
    }
}
