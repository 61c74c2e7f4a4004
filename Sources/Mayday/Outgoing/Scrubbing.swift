internal import CrashReport

/// What is taken out of reports before they leave the machine. The report in the spool, which only the service's user can
/// read, keeps it.
///
/// Values of tags, user, request, context and breadcrumbs go by their name. In texts (messages, errors, breadcrumbs), what
/// stands behind such a name, a bearer token, the password of a URL and a private key go. It finds what is usual, not
/// everything: `beforeSend` is for what only the service knows.
public struct Scrubbing: Sendable, Equatable {
    /// False leaves reports as they are.
    public var isEnabled: Bool
    /// Parts of names, in lower case without `-` and `_`, whose values are taken out.
    public var names: Set<String> {
        get { ownNames ?? Scrubbing.usualNames }
        set { ownNames = newValue }
    }
    /// nil for the usual ones: a set is made when it is needed, not at the first line of `main`.
    private var ownNames: Set<String>?
    /// True takes out what looks like an e-mail address. False by default: in many services it is how a user is found.
    public var emails: Bool

    /// What stands in place of what was taken out.
    public static let mark = "[removed]"

    /// Passwords, tokens, keys, cookies and the like.
    public static let usualNames: Set<String> = [
        "password", "passwd", "passphrase", "pwd", "secret", "token", "authorization", "cookie", "apikey", "accesskey",
        "privatekey", "credential", "sessionid", "csrf", "xsrf", "creditcard", "cardnumber", "cvv",
    ]

    /// What is usual. `names` nil is `usualNames`.
    public init(isEnabled: Bool = true, names: Set<String>? = nil, emails: Bool = false) {
        self.isEnabled = isEnabled
        ownNames = names
        self.emails = emails
    }

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
            for index in error.chain.indices { error.chain[index].text = text.scrubbed(error.chain[index].text) }
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
