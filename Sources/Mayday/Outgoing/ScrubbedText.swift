/// Finds secrets in running text, byte by byte: every pattern begins and ends with ASCII, so that characters stay whole.
struct ScrubbedText {
    let rules: Scrubbing

    /// The text without its secrets.
    func scrubbed(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var kept = 0
        var at = 0
        while at < bytes.count {
            guard let found = secret(in: bytes, at: at) else {
                at += 1
                continue
            }
            result += bytes[kept..<found.lowerBound]
            result += Scrubbing.mark.utf8
            kept = found.upperBound
            at = max(found.upperBound, at + 1)
        }
        guard kept > 0 else { return text }
        result += bytes[kept...]
        return String(decoding: result, as: UTF8.self)
    }

    /// The secret that what begins at `at` leads to.
    private func secret(in bytes: [UInt8], at: Int) -> Range<Int>? {
        let range: Range<Int>? =
            switch bytes[at] {
            case UInt8(ascii: "="), UInt8(ascii: ":"): named(in: bytes, at: at) ?? password(in: bytes, at: at)
            case UInt8(ascii: "B"), UInt8(ascii: "b"): bearer(in: bytes, at: at)
            case UInt8(ascii: "e"): webToken(in: bytes, at: at)
            case UInt8(ascii: "-"): privateKey(in: bytes, at: at)
            case UInt8(ascii: "@"): rules.emails ? email(in: bytes, at: at) : nil
            default: nil
            }
        return range.flatMap { $0.isEmpty || isMark(bytes, $0) ? nil : $0 }
    }

    private func isMark(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        bytes[range].elementsEqual(Scrubbing.mark.utf8)
    }

    /// `password=…`, `"api_key": "…"`, `Authorization: Basic …`
    private func named(in bytes: [UInt8], at: Int) -> Range<Int>? {
        var nameEnd = at
        while nameEnd > 0, isQuote(bytes[nameEnd - 1]) || bytes[nameEnd - 1] == UInt8(ascii: " ") { nameEnd -= 1 }
        var start = nameEnd
        while start > 0, nameEnd - start < 64, isName(bytes[start - 1]) { start -= 1 }
        guard start < nameEnd, rules.hides(bytes[start..<nameEnd]) else { return nil }
        var from = at + 1
        while from < bytes.count, bytes[from] == UInt8(ascii: " ") { from += 1 }
        guard from < bytes.count, !bytes[from...].starts(with: Scrubbing.mark.utf8) else { return nil }
        if isQuote(bytes[from]) {
            let quote = bytes[from]
            let to = bytes[(from + 1)...].firstIndex(of: quote) ?? bytes.count
            return from + 1..<to
        }
        // A header's value goes on behind its scheme.
        var to = end(ofWord: bytes, from: from)
        if isScheme(bytes[from..<to]), to < bytes.count, bytes[to] == UInt8(ascii: " ") {
            to = end(ofWord: bytes, from: to + 1)
        }
        return from..<to
    }

    /// `://user:…@`
    private func password(in bytes: [UInt8], at: Int) -> Range<Int>? {
        var start = at
        while start > 0, at - start < 256, isName(bytes[start - 1]) || bytes[start - 1] == UInt8(ascii: ".") {
            start -= 1
        }
        guard start >= 3, bytes[(start - 3)..<start].elementsEqual("://".utf8) else { return nil }
        for index in (at + 1)..<min(bytes.count, at + 257) where index > at {
            if bytes[index] == UInt8(ascii: "@") { return at + 1..<index }
            if isSpace(bytes[index]) || bytes[index] == UInt8(ascii: "/") { return nil }
        }
        return nil
    }

    /// `Bearer …`
    private func bearer(in bytes: [UInt8], at: Int) -> Range<Int>? {
        let word = "earer ".utf8
        let from = at + 1 + word.count
        guard isWordStart(bytes, at), from < bytes.count, bytes[(at + 1)..<from].elementsEqual(word) else { return nil }
        let to = end(ofWord: bytes, from: from)
        // "bearer of news" is none.
        return to - from >= 12 ? from..<to : nil
    }

    /// A JSON Web Token (RFC 7519): `eyJ….….…`
    private func webToken(in bytes: [UInt8], at: Int) -> Range<Int>? {
        guard isWordStart(bytes, at), at + 3 < bytes.count, bytes[at..<(at + 3)].elementsEqual("eyJ".utf8) else {
            return nil
        }
        var to = at
        while to < bytes.count, isName(bytes[to]) || bytes[to] == UInt8(ascii: ".") { to += 1 }
        return bytes[at..<to].count { $0 == UInt8(ascii: ".") } >= 2 ? at..<to : nil
    }

    /// `-----BEGIN … PRIVATE KEY-----` (RFC 7468), to its end or that of the text.
    private func privateKey(in bytes: [UInt8], at: Int) -> Range<Int>? {
        let begin = "-----BEGIN ".utf8
        guard at + begin.count < bytes.count, bytes[at..<(at + begin.count)].elementsEqual(begin) else { return nil }
        let line = bytes[at...].prefix { $0 != 0x0a }
        guard ScrubbedText.index(of: "PRIVATE KEY", in: line) != nil else { return nil }
        guard let end = ScrubbedText.index(of: "-----END ", in: bytes[at...]) else { return at..<bytes.count }
        let behind = end + "-----END ".utf8.count
        return at..<(ScrubbedText.index(of: "-----", in: bytes[behind...]).map { $0 + 5 } ?? bytes.count)
    }

    private func email(in bytes: [UInt8], at: Int) -> Range<Int>? {
        var start = at
        while start > 0, at - start < 64, isName(bytes[start - 1]) || ".+".utf8.contains(bytes[start - 1]) {
            start -= 1
        }
        var end = at + 1
        while end < bytes.count, end - at < 256, isName(bytes[end]) || bytes[end] == UInt8(ascii: ".") { end += 1 }
        while end > at, bytes[end - 1] == UInt8(ascii: ".") { end -= 1 }
        let hasDot = bytes[at..<end].contains(UInt8(ascii: "."))
        return start < at && hasDot ? start..<end : nil
    }

    private static func index(of part: String, in bytes: ArraySlice<UInt8>) -> Int? {
        let count = part.utf8.count
        guard bytes.count >= count else { return nil }
        return (bytes.startIndex...(bytes.endIndex - count)).first { bytes[$0..<($0 + count)].elementsEqual(part.utf8) }
    }

    private func end(ofWord bytes: [UInt8], from: Int) -> Int {
        bytes[from...].firstIndex { isSpace($0) || isQuote($0) || ",;&)}]".utf8.contains($0) } ?? bytes.count
    }

    private func isScheme(_ word: ArraySlice<UInt8>) -> Bool {
        ["basic", "bearer", "digest", "token"].contains { scheme in
            word.count == scheme.utf8.count && zip(word, scheme.utf8).allSatisfy { $0 | 0x20 == $1 }
        }
    }

    private func isWordStart(_ bytes: [UInt8], _ at: Int) -> Bool { at == 0 || !isName(bytes[at - 1]) }

    private func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    private func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }

    private func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
