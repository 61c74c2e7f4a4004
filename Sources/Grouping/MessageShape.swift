/// What stays the same in a message from one crash to the next.
enum MessageShape {
    /// The text with what varies replaced: `no coupon "X" for 12 items at 0x7f00` → `no coupon "…" for # items at #`.
    static func shape(_ message: String) -> String {
        var shape = ""
        var word = ""
        var quote: Character?
        for character in message.prefix(512) {
            if let open = quote {
                guard character == open else { continue }
                quote = nil
                shape += "…\(character)"
            } else if character.isLetter || character.isNumber || character == "_" {
                word.append(character)
            } else {
                shape += folded(word)
                word = ""
                shape.append(character)
                // An apostrophe inside a word was part of it; a quote opens behind a blank or a bracket.
                if character == "\"" || (character == "'" && opensQuote(shape.dropLast().last)) { quote = character }
            }
        }
        shape += quote == nil ? folded(word) : "…"
        return shape
    }

    private static func opensQuote(_ previous: Character?) -> Bool { previous.map { " ([{:=,".contains($0) } ?? true }

    /// Numbers, addresses, hashes and ids.
    private static func folded(_ word: String) -> String {
        guard word.contains(where: \.isNumber) else { return word }
        let isHexadecimal = word.hasPrefix("0x") || word.allSatisfy(\.isHexDigit)
        return isHexadecimal || word.allSatisfy(\.isNumber) ? "#" : String(word.map { $0.isNumber ? "#" : $0 })
    }
}
