/// Reading fatal messages.
enum MessageText {
    /// The first line that says something, without where it was raised (`Swift/Array.swift:12: Fatal error: `), which is in the
    /// stack and would change with every edit of the file; nil when nothing is left.
    static func title(_ message: String) -> String? {
        var line = withoutAddresses(withoutPlace(firstLine(message)))
        if line.hasSuffix(":") { line.removeLast() }
        return line.isEmpty ? nil : String(line.prefix(300))
    }

    /// The first line that is not blank.
    static func firstLine(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).first { !$0.allSatisfy(\.isWhitespace) } ?? ""
        return String(line.prefix(1024)).trimming(\.isWhitespace)
    }

    /// Reasons that Swift's runtime words the same way in every build, so that two different mistakes in one function are two issues.
    /// A text that the service's own code gave is not among them: it may vary, and optimised builds do not have it.
    static let fixedReasons = [
        "Index out of range", "Unexpectedly found nil", "arithmetic overflow", "Division by zero",
        "Not enough bits to represent", "'try!' expression unexpectedly raised an error",
        "Could not cast value of type",
    ]

    private static func withoutPlace(_ line: String) -> String {
        var text = line[...]
        // Swift: `Module/File.swift:12: Fatal error: message`, each part of it optional.
        if let place = text.prefixMatch(of: #/[^ :]+\.swift:\d+: /#) { text = text[place.range.upperBound...] }
        for word in ["Fatal error: ", "Precondition failed: ", "Assertion failed: "] where text.hasPrefix(word) {
            text = text.dropFirst(word.count)
        }
        // C's assert: `program: path/file.c:12: function: Assertion ...`.
        if let assertion = text.firstRange(of: ": Assertion `") {
            text = text[text.index(assertion.lowerBound, offsetBy: 2)...]
        }
        return String(text)
    }

    /// Types are named with their address in cast failures, objects in others; neither means anything in the next process.
    private static func withoutAddresses(_ line: String) -> String {
        line.replacing(#/ \(0x[0-9a-fA-F]+\)/#, with: "").replacing(#/0x[0-9a-fA-F]{5,}/#, with: "0x…")
    }
}

extension String {
    fileprivate func trimming(_ drops: (Character) -> Bool) -> String {
        var text = drop(while: drops)
        while let last = text.last, drops(last) { text.removeLast() }
        return String(text)
    }
}
