import Foundation

/// A text that a person reads, kept in a file and compared exactly.
public enum Golden {
    /// Variable that, when it is set, has the files written instead of compared: look at the difference before committing it.
    public static let updateVariable = "MAYDAY_UPDATE_GOLDEN"

    /// How `lines` differ from the file `Golden/NAME` beside the test; nil when they do not.
    ///
    /// - Parameter testFile: leave it to its default, the file of the caller.
    public static func difference(_ lines: [String], _ name: String, testFile: String = #filePath) throws -> String? {
        let directory = URL(filePath: testFile).deletingLastPathComponent().appending(path: "Golden")
        let file = directory.appending(path: name)
        let text = lines.map { $0 + "\n" }.joined()
        if ProcessInfo.processInfo.environment[updateVariable] != nil {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
            return nil
        }
        let golden = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        guard text != golden else { return nil }
        let wanted = golden.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { String($0) }
        let place =
            zip(wanted, lines).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            ?? min(wanted.count, lines.count)
        let expected = place < wanted.count ? wanted[place] : "(the end)"
        let got = place < lines.count ? lines[place] : "(the end)"
        return
            "\(name), line \(place + 1)\nexpected: \(expected)\ngot:      \(got)\nRun again with \(updateVariable)=1 to accept."
    }
}
