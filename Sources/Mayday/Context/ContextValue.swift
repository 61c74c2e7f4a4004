public import CrashReport

/// What can stand in breadcrumbs, tags, user and context: text, numbers, truth values, and arrays and dictionaries of them.
/// Values of several types in one within another are `["cart": .values(["items": 3, "sku": "tea"])]`.
/// A type of your own conforms by saying which of these it is:
///
///     extension OrderID: ContextValue { var json: JSONValue { .string(text) } }
public protocol ContextValue: Sendable {
    /// The value as it stands in the report.
    var json: JSONValue { get }
}

extension JSONValue: ContextValue {
    /// Itself.
    public var json: JSONValue { self }
}

extension String: ContextValue {
    /// Text.
    public var json: JSONValue { .string(self) }
}

extension Substring: ContextValue {
    /// Text.
    public var json: JSONValue { .string(String(self)) }
}

extension Bool: ContextValue {
    /// `true` or `false`.
    public var json: JSONValue { .bool(self) }
}

extension ContextValue where Self: BinaryInteger {
    /// A number; text where it is larger than JSON's readers agree on.
    public var json: JSONValue { Int64(exactly: self).map { .integer($0) } ?? .string(String(self)) }
}

extension Int: ContextValue {}
extension Int64: ContextValue {}
extension Int32: ContextValue {}
extension UInt: ContextValue {}
extension UInt64: ContextValue {}
extension UInt32: ContextValue {}
extension UInt16: ContextValue {}
extension UInt8: ContextValue {}

extension Double: ContextValue {
    /// A number; null where JSON has none for it.
    public var json: JSONValue { .number(self) }
}

extension Float: ContextValue {
    /// A number; null where JSON has none for it.
    public var json: JSONValue { .number(Double(self)) }
}

extension Optional: ContextValue where Wrapped: ContextValue {
    /// The value, or null.
    public var json: JSONValue { self?.json ?? .null }
}

extension Array: ContextValue where Element: ContextValue {
    /// An array.
    public var json: JSONValue { .array(map(\.json)) }
}

extension Dictionary: ContextValue where Key == String, Value: ContextValue {
    /// An object.
    public var json: JSONValue { .object(mapValues(\.json)) }
}

extension ContextValue where Self == JSONValue {
    /// An object of values of several types, for use within others.
    public static func values(_ values: [String: any ContextValue]) -> JSONValue { .object(values.mapValues(\.json)) }
}
