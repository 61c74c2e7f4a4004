internal import CrashReport

extension Scrubbing {
    /// True when the values of this name are taken out.
    func hides(_ name: String) -> Bool { hides(Array(name.utf8)[...]) }

    func hides(_ name: ArraySlice<UInt8>) -> Bool {
        let plain = name.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: " "): nil
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            default: byte
            }
        }
        return names.contains { plain.contains($0.utf8) }
    }
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
        for (name, value) in members {
            result[name] = hides(name) && value != .null ? .string(Scrubbing.mark) : self.value(value, text)
        }
        return result
    }

    private func value(_ value: JSONValue, _ text: ScrubbedText) -> JSONValue {
        switch value {
        case .string(let string): .string(text.scrubbed(string))
        case .array(let elements): .array(elements.map { self.value($0, text) })
        case .object(let members): .object(self.members(members, text))
        case .null, .bool, .integer, .number: value
        }
    }
}
