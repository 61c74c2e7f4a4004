import Foundation

/// A text that a person reads, kept in a file and compared exactly.
public enum Golden {
    /// Variable that, when it is set and not empty, has the files written instead of compared: look at the difference before committing it.
    public static let updateVariable = "MAYDAY_UPDATE_GOLDEN"

    /// How `lines` differ from the file `Golden/NAME` beside the test; nil when they do not.
    ///
    /// - Parameter testFile: leave it to its default, the file of the caller.
    public static func difference(_ lines: [String], _ name: String, testFile: String = #filePath) throws -> String? {
        let directory = URL(filePath: testFile).deletingLastPathComponent().appending(path: "Golden")
        let file = directory.appending(path: name)
        if isUpdating {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
            return nil
        }
        let golden = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        return difference(lines, golden.split(separator: "\n", omittingEmptySubsequences: false).dropLast(), name)
    }

    /// How `lines` differ from those between the lines `<!-- NAME -->` and `<!-- NAME, end -->` of a Markdown file; nil
    /// when they do not.
    public static func difference(_ lines: [String], part name: String, of path: String) throws -> String? {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let old = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let begin = old.firstIndex(of: "<!-- \(name) -->"), let end = old.firstIndex(of: "<!-- \(name), end -->"),
            begin < end
        else { return "\(path) has no part between <!-- \(name) --> and <!-- \(name), end -->" }
        if isUpdating {
            let new = old[...begin] + lines.map { $0[...] } + old[end...]
            try Data(new.joined(separator: "\n").utf8).write(to: URL(filePath: path))
            return nil
        }
        return difference(lines, old[(begin + 1)..<end], "\(path), part \(name)")
    }

    private static let isUpdating = !(ProcessInfo.processInfo.environment[updateVariable] ?? "").isEmpty

    private static func difference(_ lines: [String], _ golden: some Sequence<Substring>, _ name: String) -> String? {
        let wanted = golden.map { String($0) }
        guard lines != wanted else { return nil }
        let place =
            zip(wanted, lines).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            ?? min(wanted.count, lines.count)
        let expected = place < wanted.count ? wanted[place] : "(the end)"
        let got = place < lines.count ? lines[place] : "(the end)"
        return
            "\(name), line \(place + 1)\nexpected: \(expected)\ngot:      \(got)\nRun again with \(updateVariable)=1 to accept."
    }
}
