internal import CrashReport

extension Scrubbing {
    /// True when the values of this name are taken out.
    func hides(_ name: String) -> Bool { hides(Array(name.utf8)[...]) }

    /// `byParts` leaves out the names that are whole words.
    func hides(_ name: ArraySlice<UInt8>, byParts: Bool = false) -> Bool {
        guard !name.isEmpty else { return false }
        let lower = name.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
        let plain = lower.filter { !"-_ ".utf8.contains($0) }
        return names.contains { entry in
            guard entry.utf8.first == UInt8(ascii: "-") else { return plain.contains(entry.utf8) }
            let word = entry.utf8.dropFirst()
            guard !byParts, lower.suffix(word.count).elementsEqual(word) else { return false }
            let start = name.endIndex - word.count
            guard start > name.startIndex else { return true }
            // `DB_PASS`, `dbPass`; not `bypass`, `BYPASS`.
            let before = name[start - 1]
            return !isLetter(before) || (before & 0x20 != 0 && name[start] & 0x20 == 0)
        }
    }

    private func isLetter(_ byte: UInt8) -> Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 }

    /// What tokens of known issuers begin with, and how much goes on behind it at least.
    static let issued: [(String, Int)] = [
        ("ghp_", 6), ("gho_", 6), ("ghu_", 6), ("ghs_", 6), ("ghr_", 6), ("github_pat_", 6), ("glpat-", 6),
        ("sk_live_", 6), ("rk_live_", 6), ("sk_test_", 6), ("xoxb-", 6), ("xoxp-", 6), ("xoxa-", 6), ("npm_", 36),
        ("AKIA", 16), ("ASIA", 16), ("AIza", 35),
    ]
}

extension Array where Element == UInt8 {
    /// True when `part` stands somewhere within.
    fileprivate func contains(_ part: String.UTF8View) -> Bool {
        let count = part.count
        guard count > 0, count <= self.count else { return false }
        return (0...(self.count - count)).contains { self[$0..<($0 + count)].elementsEqual(part) }
    }
}

extension Scrubbing {
    /// Takes it out of a report. Pure.
    func apply(to report: inout Report) {
        guard isEnabled else { return }
        let text = ScrubbedText(rules: self)
        if let message = report.crash?.message { report.crash?.message = text.scrubbed(message) }
        report.message = report.message.map(text.scrubbed)
        report.header.fingerprint = report.header.fingerprint.map(text.scrubbed)
        for index in report.threads.indices {
            guard let name = report.threads[index].task?.name else { continue }
            report.threads[index].task?.name = text.scrubbed(name)
        }
        if var error = report.error {
            error.text = text.scrubbed(error.text)
            error.detail.values = members(error.detail.values, text)
            for index in error.chain.indices {
                error.chain[index].text = text.scrubbed(error.chain[index].text)
                error.chain[index].detail.values = members(error.chain[index].detail.values, text)
            }
            report.error = error
        }
        if var context = report.context {
            for (name, value) in context.tags {
                context.tags[name] = hides(name) ? Scrubbing.mark : text.scrubbed(value)
            }
            context.user = members(context.user, text)
            context.request = members(context.request, text)
            context.custom = members(context.custom, text)
            report.context = context
        }
        for index in report.breadcrumbs.indices {
            report.breadcrumbs[index].message = text.scrubbed(report.breadcrumbs[index].message)
            report.breadcrumbs[index].data = members(report.breadcrumbs[index].data, text)
        }
    }

    private func members(_ members: [String: JSONValue], _ text: ScrubbedText) -> [String: JSONValue] {
        var result: [String: JSONValue] = [:]
        // `{"name": "password", "value": "…"}`
        let isNamed = ["name", "key"].contains { isName(members[$0]) }
        for (name, value) in members {
            let isHidden = hides(name) || (name == "value" && isNamed)
            result[name] = isHidden && value != .null ? .string(Scrubbing.mark) : self.value(value, text)
        }
        return result
    }

    private func value(_ value: JSONValue, _ text: ScrubbedText) -> JSONValue {
        switch value {
        case .string(let string): .string(text.scrubbed(string))
        case .array(let elements): .array(list(elements, text))
        case .object(let members): .object(self.members(members, text))
        case .null, .bool, .integer, .number: value
        }
    }

    /// Of a pair, and of a command's arguments, what stands behind a name goes as well.
    private func list(_ elements: [JSONValue], _ text: ScrubbedText) -> [JSONValue] {
        var result = elements.map { value($0, text) }
        for index in elements.indices.dropFirst() where isName(elements[index - 1]) {
            guard case .string(let name) = elements[index - 1], case .string = elements[index] else { continue }
            if elements.count == 2 || name.hasPrefix("-") { result[index] = .string(Scrubbing.mark) }
        }
        return result
    }

    private func isName(_ value: JSONValue?) -> Bool {
        guard case .string(let name)? = value else { return false }
        return name.utf8.count <= 64 && name.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "=") } && hides(name)
    }
}
