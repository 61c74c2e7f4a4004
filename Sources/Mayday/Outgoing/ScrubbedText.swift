/// Finds secrets in running text, byte by byte: every pattern begins and ends with ASCII, so that characters stay whole.
/// What is looked at twice is bounded, so that the time is linear in the text.
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
            // An address may begin within what is out already.
            result += bytes[kept..<max(kept, found.lowerBound)]
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
            case UInt8(ascii: "="), UInt8(ascii: ":"): named(in: bytes, at: at) ?? userInfo(in: bytes, at: at)
            case UInt8(ascii: ">"): element(in: bytes, at: at)
            case UInt8(ascii: "\""), UInt8(ascii: "'"): listed(in: bytes, at: at)
            case UInt8(ascii: "B"), UInt8(ascii: "b"): bearer(in: bytes, at: at)
            case UInt8(ascii: "e"): webToken(in: bytes, at: at)
            case UInt8(ascii: "-"): privateKey(in: bytes, at: at) ?? listed(in: bytes, at: at)
            case UInt8(ascii: "@"): rules.emails ? email(in: bytes, at: at) : nil
            default: issued(in: bytes, at: at)
            }
        return range.flatMap { $0.isEmpty || bytes[$0.lowerBound...].starts(with: Scrubbing.mark.utf8) ? nil : $0 }
    }

    /// `password=…`, `"api_key": "…"`, `:pin => "…"`, `Authorization: Basic …`
    private func named(in bytes: [UInt8], at: Int) -> Range<Int>? {
        var nameEnd = at
        var isQuoted = false
        while nameEnd > 0, isDelimiter(bytes[nameEnd - 1]) || bytes[nameEnd - 1] == UInt8(ascii: " ") {
            nameEnd -= 1
            isQuoted = isQuoted || isQuote(bytes[nameEnd])
        }
        let name = bytes[start(ofName: bytes, to: nameEnd)..<nameEnd]
        let before = name.startIndex - 1
        // The n of an escaped line end is no part of the name.
        let isEscape = before >= 0 && bytes[before] == UInt8(ascii: "\\") && rules.hides(name.dropFirst())
        guard isEscape || rules.hides(name) else { return nil }
        var from = at + 1
        while from < bytes.count, "=:>".utf8.contains(bytes[from]) { from += 1 }
        let separated = from
        from = skip(bytes, from) { $0 == UInt8(ascii: " ") }
        if !isQuoted, isHeader(name), before < 0 || !"?&".utf8.contains(bytes[before]) {
            // Its value is the rest of the line, or of the string that the header is written in.
            var depth = 0
            while before - depth > 0, bytes[before - depth - 1] == UInt8(ascii: "\\") { depth += 1 }
            let quote = before >= 0 && isQuote(bytes[before]) ? bytes[before] : UInt8(ascii: "\n")
            return from..<end(ofQuoted: bytes, from: from, quote: quote, depth: depth, inLine: true)
        }
        let value = value(in: bytes, from: from)
        // "auth: connection refused" and "PASS: all" are what people write.
        let isProse =
            separated < from && value.lowerBound == from && !isQuoted && bytes[at] == UInt8(ascii: ":") && !isEscape
            && !rules.hides(name, byParts: true) && !name.contains { "-_".utf8.contains($0) }
            && !bytes[value].contains { isDigit($0) }
        return isProse ? nil : value
    }

    /// `<password>…</password>`
    private func element(in bytes: [UInt8], at: Int) -> Range<Int>? {
        let start = start(ofName: bytes, to: at)
        guard start > 0, "<:".utf8.contains(bytes[start - 1]), rules.hides(bytes[start..<at]) else { return nil }
        return at + 1..<skip(bytes, at + 1) { $0 != UInt8(ascii: "<") }
    }

    /// What stands behind its name in a list: `["Cookie", "…"]`, `"name": "pin", "value": "…"`, `--token …`, `"--token", "…"`
    private func listed(in bytes: [UInt8], at: Int) -> Range<Int>? {
        guard isQuote(bytes[at]) || isWordStart(bytes, at) else { return nil }
        let begin = isQuote(bytes[at]) ? at + 1 : at
        let start = skip(bytes, begin) { $0 == UInt8(ascii: "-") }
        var nameEnd = start
        while nameEnd < bytes.count, nameEnd - start < 64, isName(bytes[nameEnd]) { nameEnd += 1 }
        let name = bytes[start..<nameEnd]
        let isOption = start > begin
        // curl's `-u user:password`
        let isUser = isOption && (name.elementsEqual("u".utf8) || name.elementsEqual("user".utf8))
        guard isUser || rules.hides(name) else { return nil }
        let closed = skip(bytes, nameEnd, isDelimiter)
        var from = skip(bytes, closed) { $0 == UInt8(ascii: " ") }
        guard from < bytes.count, from > nameEnd else { return nil }
        guard bytes[from] == UInt8(ascii: ",") else {
            guard isOption, from > closed, bytes[from] != UInt8(ascii: "-") else { return nil }
            let value = value(in: bytes, from: from)
            return isUser ? password(in: bytes, value) : value
        }
        guard closed > nameEnd else { return nil }
        from = skip(bytes, from + 1) { $0 == UInt8(ascii: " ") }
        let label = skip(bytes, from, isDelimiter)
        if bytes[label...].starts(with: "value".utf8) {
            let behind = skip(bytes, label + 5) { isDelimiter($0) || $0 == UInt8(ascii: " ") }
            guard behind < bytes.count, ":=".utf8.contains(bytes[behind]) else { return nil }
            return value(in: bytes, from: skip(bytes, behind + 1) { $0 == UInt8(ascii: " ") })
        }
        guard label > from else { return nil }
        let value = value(in: bytes, from: from)
        var open = at
        while open > 0, bytes[open - 1] == UInt8(ascii: "\\") { open -= 1 }
        let close = skip(bytes, value.upperBound, isDelimiter)
        let isPair =
            open > 0 && close < bytes.count && "[(".utf8.contains(bytes[open - 1]) && "])".utf8.contains(bytes[close])
        if isUser { return password(in: bytes, value) }
        return isPair || isOption || isHeader(name) ? value : nil
    }

    /// `user:…`, but not the numbers of a user and a group.
    private func password(in bytes: [UInt8], _ value: Range<Int>) -> Range<Int>? {
        guard let colon = bytes[value].firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return bytes[value].allSatisfy { isDigit($0) || $0 == UInt8(ascii: ":") } ? nil : colon + 1..<value.upperBound
    }

    /// `://user:…@`, and `https://…@`, which is a key.
    private func userInfo(in bytes: [UInt8], at: Int) -> Range<Int>? {
        let from = at + 3
        guard from < bytes.count, bytes[at..<from].elementsEqual("://".utf8) else { return nil }
        let to = skip(bytes, from) { !isSpace($0) && !isQuote($0) && !"/?#".utf8.contains($0) }
        guard let sign = bytes[from..<to].lastIndex(of: UInt8(ascii: "@")) else { return nil }
        if let colon = bytes[from..<sign].firstIndex(of: UInt8(ascii: ":")) { return colon + 1..<sign }
        let isWeb = ["http", "https"].contains { bytes[..<at].suffix($0.utf8.count).elementsEqual($0.utf8) }
        return isWeb ? from..<sign : nil
    }

    /// Tokens that say by their beginning who issued them: `ghp_…`
    private func issued(in bytes: [UInt8], at: Int) -> Range<Int>? {
        guard isWordStart(bytes, at), "ghsrxAn".utf8.contains(bytes[at]) else { return nil }
        for (prefix, least) in Scrubbing.issued where bytes[at...].starts(with: prefix.utf8) {
            let to = skip(bytes, at, isName)
            return to - at - prefix.utf8.count >= least ? at..<to : nil
        }
        return nil
    }

    /// `Bearer …`
    private func bearer(in bytes: [UInt8], at: Int) -> Range<Int>? {
        let word = "earer ".utf8
        let from = at + 1 + word.count
        guard isWordStart(bytes, at), from < bytes.count, bytes[(at + 1)..<from].elementsEqual(word) else { return nil }
        let to = end(ofWord: bytes, from: from, behindScheme: true)
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
        let line = bytes[at...].prefix(64).prefix { $0 != 0x0a }
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

    /// What is written in quotes, which may be escaped themselves, or to the next space.
    private func value(in bytes: [UInt8], from: Int) -> Range<Int> {
        let quote = skip(bytes, from) { $0 == UInt8(ascii: "\\") }
        guard quote < bytes.count, isQuote(bytes[quote]) else { return from..<end(ofWord: bytes, from: from) }
        return quote + 1..<end(ofQuoted: bytes, from: quote + 1, quote: bytes[quote], depth: quote - from)
    }

    /// Where a string ends whose quotes have `depth` backslashes before them: one in a JSON text within a JSON text.
    private func end(ofQuoted bytes: [UInt8], from: Int, quote: UInt8, depth: Int, inLine: Bool = false) -> Int {
        var run = 0
        for index in from..<bytes.count {
            let byte = bytes[index]
            if byte == quote, run < depth || (run - depth) % (2 * depth + 2) == 0 { return index - min(run, depth) }
            if inLine, byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { return index }
            run = byte == UInt8(ascii: "\\") ? run + 1 : 0
        }
        return bytes.count
    }

    /// To a space, a quote or the next parameter of a URL; an authorization's value goes on behind its scheme.
    private func end(ofWord bytes: [UInt8], from: Int, behindScheme: Bool = false) -> Int {
        var to = from
        while to < bytes.count, !isSpace(bytes[to]), !isParameter(bytes, to) {
            if isQuote(bytes[to]) {
                // `Optional("…")`
                guard to > from, "([".utf8.contains(bytes[to - 1]) else { break }
                to = end(ofQuoted: bytes, from: to + 1, quote: bytes[to], depth: 0)
                guard to < bytes.count else { break }
            }
            to += 1
        }
        if !behindScheme, to < bytes.count, bytes[to] == UInt8(ascii: " "), isScheme(bytes[from..<to]) {
            to = end(ofWord: bytes, from: to + 1, behindScheme: true)
        }
        while to > from, ",;)}]\\".utf8.contains(bytes[to - 1]) { to -= 1 }
        return to
    }

    /// `&name=`
    private func isParameter(_ bytes: [UInt8], _ at: Int) -> Bool {
        guard bytes[at] == UInt8(ascii: "&") else { return false }
        let behind = bytes[(at + 1)...].prefix(64).firstIndex { !isName($0) && !".[]%".utf8.contains($0) }
        return behind.map { bytes[$0] == UInt8(ascii: "=") } ?? false
    }

    private func isScheme(_ word: ArraySlice<UInt8>) -> Bool {
        ["basic", "bearer", "digest", "token"].contains { scheme in
            word.count == scheme.utf8.count && zip(word, scheme.utf8).allSatisfy { $0 | 0x20 == $1 }
        }
    }

    /// True for headers whose value is a list.
    private func isHeader(_ name: ArraySlice<UInt8>) -> Bool {
        ["cookie", "authorization"].contains { header in
            name.count >= header.utf8.count
                && zip(name.suffix(header.utf8.count), header.utf8).allSatisfy { $0 | 0x20 == $1 }
        }
    }

    private func skip(_ bytes: [UInt8], _ from: Int, _ isSkipped: (UInt8) -> Bool) -> Int {
        var at = from
        while at < bytes.count, isSkipped(bytes[at]) { at += 1 }
        return at
    }

    private func start(ofName bytes: [UInt8], to end: Int) -> Int {
        var start = end
        while start > 0, end - start < 64, isName(bytes[start - 1]) { start -= 1 }
        return start
    }

    private func isWordStart(_ bytes: [UInt8], _ at: Int) -> Bool { at == 0 || !isName(bytes[at - 1]) }

    private func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    private func isDelimiter(_ byte: UInt8) -> Bool { isQuote(byte) || byte == UInt8(ascii: "\\") }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

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
