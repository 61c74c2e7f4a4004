internal import BackendSupport
internal import CrashReport

/// What the service said, as attributes. Each value is one of its own where it is text, a number or a truth value, since few
/// receivers look into others: what is nested is text, in JSON.
extension OTLPRecord {
    /// Names of the semantic conventions, of what a user is said to be.
    private static let userNames: Set<String> = ["id", "name", "full_name", "email", "hash"]

    func writeContext(to json: inout JSONWriter) {
        let context = report.context ?? Context()
        for (key, value) in context.tags.sorted(by: { $0.key < $1.key }) { json.attribute("mayday.tag.\(key)", value) }
        for (key, value) in context.user.sorted(by: { $0.key < $1.key }) {
            json.attribute(OTLPRecord.userNames.contains(key) ? "user.\(key)" : "mayday.user.\(key)", json: value)
        }
        json.attributes("mayday.request", context.request)
        json.attributes("mayday.context", context.custom)
        json.attribute("mayday.breadcrumbs", report.breadcrumbs.map { OTLPRecord.text(of: $0) })
        // A record has no room for bytes.
        json.attribute("mayday.attachments", report.attachments.map { OTLPRecord.text(of: $0) })
    }

    func writeDetail(of error: HandledError, to json: inout JSONWriter) {
        json.attribute("mayday.error.domain", error.detail.domain)
        if let code = error.detail.code { json.attribute("mayday.error.code", code) }
        json.attributes("mayday.error.detail", error.detail.values)
        let causes = error.chain.map { cause in
            let values = cause.detail.values.isEmpty ? "" : " \(OTLPRecord.text(of: .object(cause.detail.values)))"
            return "\(cause.typeName): \(cause.text)\(values)"
        }
        json.attribute("mayday.error.causes", causes)
    }

    /// `2026-11-30T08:17:53.123456Z warning cart: loaded {"items":3}`
    private static func text(of breadcrumb: Breadcrumb) -> String {
        let words = [breadcrumb.time, breadcrumb.level, breadcrumb.category.map { "\($0):" }, breadcrumb.message]
        let data = breadcrumb.data.isEmpty ? nil : text(of: .object(breadcrumb.data))
        return (words + [data]).compactMap { $0 }.joined(separator: " ")
    }

    /// `checkout.log (text/plain, 524288 of 1000000 bytes)`
    private static func text(of file: AttachedFile) -> String {
        if let problem = file.problem { return "\(file.name) (\(problem))" }
        let whole = file.wholeSize.map { " of \($0)" } ?? ""
        let size = file.data.map { "\($0.count)\(whole) bytes" } ?? "not read"
        return "\(file.name) (\([file.contentType, size].compactMap { $0 }.joined(separator: ", ")))"
    }

    fileprivate static func text(of value: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    mutating func attribute(_ key: String, _ value: String?) {
        guard let value else { return }
        attribute(key) { $0.member("stringValue", value) }
    }

    mutating func attribute(_ key: String, _ value: Int) {
        // 64 bits, so a string.
        attribute(key) { $0.member("intValue", "\(value)") }
    }

    /// Nothing where there are none.
    mutating func attribute(_ key: String, _ values: [String]) {
        guard !values.isEmpty else { return }
        attribute(key) { json in
            json.key("arrayValue")
            json.object { json in
                json.key("values")
                json.array { json in
                    for value in values { json.object { $0.member("stringValue", value) } }
                }
            }
        }
    }

    /// A value of the service's; nothing for null.
    mutating func attribute(_ key: String, json value: JSONValue) {
        switch value {
        case .null: break
        case .string(let text): attribute(key, text)
        case .bool(let isTrue): attribute(key) { $0.member("boolValue", isTrue) }
        case .integer(let number): attribute(key) { $0.member("intValue", "\(number)") }
        case .number(let number):
            attribute(key) { json in
                json.key("doubleValue")
                json.number(number)
            }
        case .array, .object: attribute(key, OTLPRecord.text(of: value))
        }
    }

    /// `PREFIX.NAME` for each.
    mutating func attributes(_ prefix: String, _ members: [String: JSONValue]) {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { attribute("\(prefix).\(name)", json: value) }
    }

    private mutating func attribute(_ name: String, _ value: (inout JSONWriter) -> Void) {
        object { json in
            json.member("key", name)
            json.key("value")
            json.object(value)
        }
    }
}
