import Foundation

/// The lines that crash, by the comments `crash: KIND` in the gallery's sources.
enum CrashMarkers {
    /// Kind to places as the collector prints them, `Parcels.c:12`.
    private static let places: [String: Set<String>] = {
        var places: [String: Set<String>] = [:]
        let sources = URL(filePath: "\(Package.root)/Examples/CrashGallery")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                guard let marker = line.range(of: "// crash: ") else { continue }
                let kind = line[marker.upperBound...].trimmingCharacters(in: .whitespaces)
                places[kind, default: []].insert("\(file.lastPathComponent):\(index + 1)")
            }
        }
        return places
    }()

    /// Where a kind may crash; the kinds that raise a signal share one line.
    static func places(of kind: String) -> Set<String> {
        places[kind] ?? (kind.hasPrefix("raise-") ? places["raise"] : nil) ?? []
    }
}
