/// Reading fatal messages.
enum MessageText {
    /// The first line that says something, without where it was raised (`Swift/Array.swift:12: Fatal error: `), which is in the
    /// stack and would change with every edit of the file; nil when nothing is left.
    static func title(_ message: String) -> String? {
        sentence(message).map { String(withoutAddresses($0).prefix(300)) }
    }

    /// The same with its addresses, and not cut.
    static func sentence(_ message: String) -> String? {
        var line = withoutPlace(firstLine(message))
        if line.hasSuffix(":") { line.removeLast() }
        return line.isEmpty ? nil : line
    }

    /// The first line that is not blank.
    static func firstLine(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).first { !$0.allSatisfy(\.isWhitespace) } ?? ""
        return String(line.prefix(1024)).trimming(\.isWhitespace)
    }

    /// Texts that Swift's runtime and standard library word, so that they do not say which mistake it was.
    static func isOfTheRuntime(_ title: String) -> Bool { runtimeTexts.contains(where: title.hasPrefix) }

    private static let runtimeTexts = [
        "Index out of range", "Index out of bounds", "Unexpectedly found nil", "arithmetic overflow",
        "Division by zero", "Division results in overflow", "Not enough bits to represent", "Range requires",
        "Can't form Range", "Can't remove", "Negative count", "Array index is out of range",
        "Unsafely", "String index", "precondition failure", "Fatal error",
    ]

    /// Which function of the standard library gave the text, where its first words say so: `precondition`, `assertion`.
    static func check(_ message: String) -> String? {
        let line = firstLine(message)
        if line.contains("Precondition failed") { return "precondition" }
        return line.contains("Assertion failed") ? "assertion" : nil
    }

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
