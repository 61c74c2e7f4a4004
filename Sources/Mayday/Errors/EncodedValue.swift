internal import CrashReport

/// What an `Encodable` value encodes, as JSON, without Foundation's encoder: that would cost a static service megabytes.
///
/// Bounded: what is above `limits` is left out with `…` in its place, and where encoding fails, what came before it is kept.
struct EncodedValue {
    private enum Content {
        case nothing
        case leaf(JSONValue)
        case list([Node])
        case members([(String, Node)])
    }

    /// A value that is being encoded. Never leaves the call that makes it.
    final class Node {
        private var content = Content.nothing

        fileprivate func set(_ value: JSONValue) { content = .leaf(value) }

        fileprivate func appended() -> Node {
            let node = Node()
            if case .list(let nodes) = content { content = .list(nodes + [node]) } else { content = .list([node]) }
            return node
        }

        fileprivate func member(_ name: String) -> Node {
            let node = Node()
            if case .members(let members) = content {
                content = .members(members + [(name, node)])
            } else {
                content = .members([(name, node)])
            }
            return node
        }

        fileprivate var count: Int { if case .list(let nodes) = content { nodes.count } else { 0 } }

        fileprivate func begin(asList: Bool) {
            guard case .nothing = content else { return }
            content = asList ? .list([]) : .members([])
        }

        var json: JSONValue {
            switch content {
            case .nothing: .null
            case .leaf(let value): value
            case .list(let nodes): .array(nodes.map(\.json))
            case .members(let members):
                .object(Dictionary(members.map { ($0, $1.json) }, uniquingKeysWith: { _, last in last }))
            }
        }
    }

    /// What may still be encoded.
    fileprivate final class Budget {
        var values = EncodedValue.values
        var bytes = EncodedValue.bytes

        func take(_ count: Int) throws {
            guard values > 0, bytes >= count else { throw TooLarge() }
            values -= 1
            bytes -= count
        }
    }

    private struct TooLarge: Error {}

    /// Values in all.
    static let values = 200
    /// Bytes of texts and names in all.
    static let bytes = 16 << 10
    /// Levels of objects and arrays.
    static let depth = 8

    /// The members that a value encodes; a value that is no object is the member `value`. Empty when it encodes nothing.
    static func members(of value: any Encodable) -> [String: JSONValue] {
        let node = Node()
        try? value.encode(to: Encoding(node: node, budget: Budget(), codingPath: []))
        switch node.json {
        case .object(let members): return members
        case .null: return [:]
        case let other: return ["value": other]
        }
    }

    /// Members within the same bounds.
    static func bounded(_ members: [String: JSONValue]) -> [String: JSONValue] {
        let node = Node()
        var encoding = Encoding(node: node, budget: Budget(), codingPath: []).container(keyedBy: Name.self)
        for name in members.keys.sorted() {
            let value = Plain(value: members[name] ?? .null)
            guard (try? encoding.encode(value, forKey: Name(stringValue: name))) != nil else { break }
        }
        guard case .object(let members) = node.json else { return [:] }
        return members
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
    }

    private struct Plain: Encodable {
        let value: JSONValue

        func encode(to encoder: any Encoder) throws {
            var single = encoder.singleValueContainer()
            switch value {
            case .null: try single.encodeNil()
            case .bool(let value): try single.encode(value)
            case .integer(let value): try single.encode(value)
            case .number(let value): try single.encode(value)
            case .string(let value): try single.encode(value)
            case .array(let elements):
                var list = encoder.unkeyedContainer()
                for element in elements { try list.encode(Plain(value: element)) }
            case .object(let members):
                var keyed = encoder.container(keyedBy: Name.self)
                for name in members.keys.sorted() {
                    try keyed.encode(Plain(value: members[name] ?? .null), forKey: Name(stringValue: name))
                }
            }
        }
    }

    /// Writes one value, of whatever kind, into its node.
    fileprivate struct Encoding: Encoder {
        let node: Node
        let budget: Budget
        let codingPath: [any CodingKey]
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
            node.begin(asList: false)
            return KeyedEncodingContainer(Members<Key>(encoding: self))
        }

        func unkeyedContainer() -> any UnkeyedEncodingContainer {
            node.begin(asList: true)
            return List(encoding: self)
        }

        func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoding: self) }

        /// The encoding of what is within.
        func within(_ node: Node, _ key: any CodingKey) -> Encoding {
            Encoding(node: node, budget: budget, codingPath: codingPath + [key])
        }

        func write(_ value: JSONValue, bytes: Int = 8) throws {
            try budget.take(bytes)
            node.set(value)
        }

        func write(_ text: String) throws {
            let cut = text.utf8.count > 4 << 10 ? ContextText.prefix(of: text, bytes: 4 << 10) + "…" : text[...]
            try write(.string(String(cut)), bytes: cut.utf8.count)
        }

        func write<Value: Encodable>(encoded value: Value) throws {
            switch value {
            // The standard library's own: they would come back here by way of a container.
            case let value as String: try write(value)
            case let value as Bool: try write(.bool(value))
            case let value as any BinaryInteger: try write(number(value))
            case let value as any BinaryFloatingPoint: try write(.number(Double(value)))
            default:
                guard codingPath.count <= EncodedValue.depth else { return try write(.string("…")) }
                try budget.take(2)
                try value.encode(to: self)
            }
        }

        private func number(_ value: some BinaryInteger) -> JSONValue {
            Int64(exactly: value).map { .integer($0) } ?? .string(String(value))
        }
    }

    private struct Single: SingleValueEncodingContainer {
        let encoding: Encoding
        var codingPath: [any CodingKey] { encoding.codingPath }

        mutating func encodeNil() throws { try encoding.write(.null) }
        mutating func encode<Value: Encodable>(_ value: Value) throws { try encoding.write(encoded: value) }
    }

    private struct List: UnkeyedEncodingContainer {
        let encoding: Encoding
        var codingPath: [any CodingKey] { encoding.codingPath }
        var count: Int { encoding.node.count }

        private func next() -> Encoding { encoding.within(encoding.node.appended(), Index(intValue: count)) }

        mutating func encodeNil() throws { try next().write(.null) }
        mutating func encode<Value: Encodable>(_ value: Value) throws { try next().write(encoded: value) }
        mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
            next().container(keyedBy: type)
        }
        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
        mutating func superEncoder() -> any Encoder { next() }
    }

    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoding: Encoding
        var codingPath: [any CodingKey] { encoding.codingPath }

        private func member(_ key: any CodingKey) -> Encoding {
            let name = String(ContextText.prefix(of: key.stringValue, bytes: 256))
            return encoding.within(encoding.node.member(name), key)
        }

        mutating func encodeNil(forKey key: Key) throws { try member(key).write(.null) }
        mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            try encoding.budget.take(min(key.stringValue.utf8.count, 256))
            try member(key).write(encoded: value)
        }
        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            member(key).container(keyedBy: type)
        }
        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            member(key).unkeyedContainer()
        }
        mutating func superEncoder() -> any Encoder { member(Index(intValue: 0)) }
        mutating func superEncoder(forKey key: Key) -> any Encoder { member(key) }
    }

    /// The place in a list.
    private struct Index: CodingKey {
        let intValue: Int?
        var stringValue: String { intValue.map { "\($0)" } ?? "" }

        init(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { return nil }
    }
}
