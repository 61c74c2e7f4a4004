/// What stays the same in a message from one crash to the next.
///
/// What a program puts into a text is folded away: numbers, ids, addresses, quoted texts, lists, paths, URLs and values behind `=`.
/// User text that stands in a sentence without any mark cannot be told from the sentence, so only the first words count.
enum MessageShape {
    /// Words that count: a sentence says what it is about first, and details last.
    private static let words = 12
    private static let characters = 512

    /// Texts of the runtime in which quotes hold names of the program's types, and not data.
    private static let namesTypes = ["Could not cast value of type ", "Duplicate keys of type "]

    /// The text with what varies replaced: `no coupon "X" for 12 items at 0x7f00` → `no coupon "…" for # items at #`.
    static func shape(_ message: String) -> String {
        var text = Array(withoutUUIDs(String(message.prefix(characters))))
        if !namesTypes.contains(where: message.hasPrefix) { text = foldingQuotes(text) }
        text = foldingLists(text)
        let words = text.split(whereSeparator: \.isWhitespace)
        let shape = words.prefix(Self.words).map(fold).joined(separator: " ")
        return words.count > Self.words || message.count > characters ? shape + " …" : shape
    }

    /// Ids are folded before words are: a part of one may be without a digit.
    private static func withoutUUIDs(_ text: String) -> String {
        guard text.utf8.count(where: { $0 == UInt8(ascii: "-") }) >= 4 else { return text }
        return text.replacing(#/[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}/#, with: "0")
    }

    // MARK: Quotes and lists

    private static let quotes: [Character: Character] = ["\"": "\"", "'": "'", "“": "”", "‘": "’", "«": "»"]

    private static func foldingQuotes(_ text: [Character]) -> [Character] {
        var folded: [Character] = []
        var end: Character?
        var index = 0
        while index < text.count {
            let character = text[index]
            index += 1
            if let close = end {
                if character == "\\" {
                    index += 1
                } else if character == close, close != "'" || !isWord(index < text.count ? text[index] : nil) {
                    folded += ["…", character]
                    end = nil
                }
                continue
            }
            // An apostrophe inside a word is part of it; a quote opens behind a blank or a bracket.
            if let close = quotes[character], character != "'" || !isWord(folded.last) { end = close }
            folded.append(character)
        }
        return end == nil ? folded : folded + ["…"]
    }

    private static func isWord(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber } ?? false
    }

    /// How many elements a list has is data as well: `[1, 2]` → `[…]`. What is in brackets and no list stays, as `[db]`.
    private static func foldingLists(_ text: [Character]) -> [Character] {
        var folded: [Character] = []
        var openings: [Int] = []
        for character in text {
            folded.append(character)
            if character == "[" || character == "{" { openings.append(folded.count - 1) }
            guard character == "]" || character == "}", let opening = openings.popLast() else { continue }
            let inside = folded[(opening + 1)..<(folded.count - 1)]
            guard inside.contains(where: { ",:…".contains($0) || $0.isNumber }) else { continue }
            folded.replaceSubrange((opening + 1)..<(folded.count - 1), with: ["…"])
        }
        return folded
    }

    // MARK: Words

    private static func fold(_ word: ArraySlice<Character>) -> String {
        let leading = word.prefix { "([{<\"'".contains($0) }
        let rest = word.dropFirst(leading.count)
        let trailing = rest.reversed().prefix { ")]}>.,;:!?\"'".contains($0) }.count
        let core = rest.dropLast(trailing)
        return String(leading) + foldCore(String(core)) + String(rest.suffix(trailing))
    }

    private static func foldCore(_ word: String) -> String {
        if word.contains("://") { return "<url>" }
        if let equals = word.firstIndex(of: "="), let first = word.first, first.isLetter || first == "_",
            word[..<equals].allSatisfy({ $0.isLetter || $0.isNumber || "_.-".contains($0) }),
            word.index(after: equals) < word.endIndex
        {
            return foldNumbers(String(word[..<equals])) + "=…"
        }
        if let at = word.firstIndex(of: "@"), at != word.startIndex, word[at...].contains(".") { return "<address>" }
        return isPath(word) ? "<path>" : foldNumbers(word)
    }

    private static func isPath(_ word: String) -> Bool {
        guard word.contains(where: \.isLetter) else { return false }
        if ["/", "~/", "./", "../"].contains(where: word.hasPrefix) { return word.count > 1 }
        return word.count { $0 == "/" } >= 2
    }

    /// `10.0.0.12:8080` → `#`, `utf8` → `utf#`, `order-A7X2` → `order-#`.
    private static func foldNumbers(_ word: String) -> String {
        guard word.contains(where: \.isNumber) || word.count >= shortestHash else { return word }
        var pieces: [String] = []
        var token = ""
        for character in word {
            if character.isLetter || character.isNumber || character == "_" {
                token.append(character)
            } else {
                pieces += [foldToken(token), String(character)]
                token = ""
            }
        }
        pieces.append(foldToken(token))
        return joiningNumbers(pieces.filter { !$0.isEmpty })
    }

    private static let shortestHash = 8

    private static func foldToken(_ token: String) -> String {
        guard let digit = token.firstIndex(where: \.isNumber) else {
            return token.count >= shortestHash && token.allSatisfy(\.isHexDigit) ? "#" : token
        }
        // What begins with a number is one, with its unit; a name may end with one; all else is an id.
        let isName =
            digit > token.startIndex && token[digit...].allSatisfy(\.isNumber) && !token.allSatisfy(\.isHexDigit)
        return isName ? token[..<digit] + "#" : "#"
    }

    /// Numbers that only punctuation parts are one: an address, a time, a version.
    private static func joiningNumbers(_ pieces: [String]) -> String {
        var joined: [String] = []
        for piece in pieces {
            if piece == "#" {
                var end = joined.endIndex
                while end > 0, isPunctuation(joined[end - 1]) { end -= 1 }
                let isSigned = end == 0 && joined.allSatisfy { $0 == "-" || $0 == "+" }
                if isSigned || (end > 0 && joined[end - 1] == "#") {
                    joined.removeSubrange(end...)
                    if joined.last == "#" { continue }
                }
            }
            joined.append(piece)
        }
        return joined.joined()
    }

    private static func isPunctuation(_ piece: String) -> Bool { ["-", ".", ":", ",", "/", "+", "_"].contains(piece) }
}
