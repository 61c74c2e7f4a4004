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
    static func firstLine(_ text: String) -> String { plainFirstLine(text.utf8) ?? anyFirstLine(text) }

    /// The same of a text that begins with a line of ASCII, as nearly all do: characters cost a hundred times what bytes do.
    private static func plainFirstLine(_ text: String.UTF8View) -> String? {
        let line = text.prefix { 0x20..<0x7f ~= $0 || $0 == 0x09 }
        guard line.count <= 1024, line.endIndex == text.endIndex || [0x0a, 0x0d].contains(text[line.endIndex]) else {
            return nil
        }
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        guard let first = line.firstIndex(where: { !isBlank($0) }), let last = line.lastIndex(where: { !isBlank($0) })
        else { return nil }
        return String(Substring(line[first...last]))
    }

    private static func anyFirstLine(_ text: String) -> String {
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
        if line.utf8.firstIndex(of: "Precondition failed") != nil { return "precondition" }
        return line.utf8.firstIndex(of: "Assertion failed") != nil ? "assertion" : nil
    }

    /// Where Swift's `fatalError` and its like say that they were called: `Module/File.swift:12: Fatal error: message`.
    struct Place {
        /// `Module`.
        let module: String
        /// What is said there: `Fatal error: message`.
        let text: Substring

        /// True for modules that come with the toolchain: it is they who speak, not the service.
        var isOfTheLibrary: Bool { Self.modules.contains(module) }

        /// Whose check it was, for a person.
        var library: String {
            module.contains("Foundation") || module == "Dispatch" ? module : "Swift's standard library"
        }

        private static let modules: Set = [
            "Swift", "_Concurrency", "_StringProcessing", "_RegexParser", "RegexBuilder", "Synchronization",
            "Observation", "Distributed", "Cxx", "CxxStdlib", "Foundation", "FoundationEssentials",
            "FoundationNetworking", "FoundationInternationalization", "Dispatch",
        ]
    }

    /// Nil when the message has none.
    static func place(_ message: String) -> Place? {
        let line = firstLine(message)
        guard let end = endOfPlace(line[...].utf8) else { return nil }
        return Place(module: String(line.prefix { $0 != "/" }), text: line[end...])
    }

    private static func withoutPlace(_ line: String) -> String {
        var text = line[...]
        // Swift: `Module/File.swift:12: Fatal error: message`, each part of it optional.
        if let end = endOfPlace(text.utf8) { text = text[end...] }
        for word in ["Fatal error: ", "Precondition failed: ", "Assertion failed: "] where text.hasPrefix(word) {
            text = text.dropFirst(word.count)
        }
        // C's assert: `program: path/file.c:12: function: Assertion ...`.
        if let assertion = text.utf8.firstIndex(of: ": Assertion `") {
            text = text[text.utf8.index(assertion, offsetBy: 2)...]
        }
        return String(text)
    }

    /// Where `Module/File.swift:12: ` ends, when the line begins with it. By bytes, as a regular expression is built anew for each report.
    private static func endOfPlace(_ line: Substring.UTF8View) -> String.Index? {
        let path = line.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: " ") }
        guard path.count > 6, path.suffix(6).elementsEqual(".swift".utf8) else { return nil }
        let behind = line[path.endIndex...]
        guard behind.first == UInt8(ascii: ":") else { return nil }
        let digits = behind.dropFirst().prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        let rest = line[digits.endIndex...]
        return !digits.isEmpty && rest.starts(with: ": ".utf8) ? rest.index(rest.startIndex, offsetBy: 2) : nil
    }

    /// Types are named with their address in cast failures, ` (0x7f…)`, objects in others; neither means anything in the next process.
    private static func withoutAddresses(_ line: String) -> String {
        let bytes = Array(line.utf8)
        var kept: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index...].starts(with: " (".utf8), let end = endOfHex(bytes, from: index + 2, digits: 1),
                end < bytes.count, bytes[end] == UInt8(ascii: ")")
            {
                index = end + 1
            } else if let end = endOfHex(bytes, from: index, digits: 5) {
                kept += "0x…".utf8
                index = end
            } else {
                kept.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: kept, as: UTF8.self)
    }

    /// Where `0x` and at least so many hex digits end; nil when they are not there.
    private static func endOfHex(_ bytes: [UInt8], from start: Int, digits: Int) -> Int? {
        guard bytes[start...].starts(with: "0x".utf8) else { return nil }
        let number = bytes[(start + 2)...].prefix { Character(UnicodeScalar($0)).isHexDigit }
        return number.count >= digits ? number.endIndex : nil
    }
}

extension String {
    fileprivate func trimming(_ drops: (Character) -> Bool) -> String {
        var text = drop(while: drops)
        while let last = text.last, drops(last) { text.removeLast() }
        return String(text)
    }
}
