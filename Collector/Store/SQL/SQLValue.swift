import CrashReport

/// A value as both engines know it.
enum SQLValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])
}

/// What may stand for a `?` in a statement.
protocol SQLBindable: Sendable {
    var sqlValue: SQLValue { get }
}

extension Int: SQLBindable {
    var sqlValue: SQLValue { .integer(Int64(self)) }
}

extension Timestamp: SQLBindable {
    var sqlValue: SQLValue { .integer(microseconds) }
}

extension String: SQLBindable {
    /// Without NUL, which PostgreSQL's texts cannot hold: the report itself, which is bytes, has it still.
    var sqlValue: SQLValue { .text(utf8.contains(0) ? replacing("\0", with: "\u{fffd}") : self) }
}

extension [UInt8]: SQLBindable {
    var sqlValue: SQLValue { .blob(self) }
}

extension SecretHash: SQLBindable {
    var sqlValue: SQLValue { .blob(bytes) }
}

extension Optional: SQLBindable where Wrapped: SQLBindable {
    var sqlValue: SQLValue { self?.sqlValue ?? .null }
}

/// The columns of a row, from 0. A value of another type than asked for reads as if it were not there.
struct SQLRow: Sendable {
    let values: [SQLValue]

    func int(_ column: Int) -> Int { optionalInt(column) ?? 0 }
    func time(_ column: Int) -> Timestamp { Timestamp(microseconds: Int64(int(column))) }
    func text(_ column: Int) -> String { optionalText(column) ?? "" }
    func blob(_ column: Int) -> [UInt8] { optionalBlob(column) ?? [] }

    func optionalInt(_ column: Int) -> Int? {
        if case .integer(let value) = values[column] { Int(value) } else { nil }
    }

    func optionalTime(_ column: Int) -> Timestamp? {
        optionalInt(column).map { Timestamp(microseconds: Int64($0)) }
    }

    func optionalText(_ column: Int) -> String? {
        switch values[column] {
        case .text(let text): text
        case .blob(let bytes): String(decoding: bytes, as: UTF8.self)
        default: nil
        }
    }

    func optionalBlob(_ column: Int) -> [UInt8]? {
        if case .blob(let bytes) = values[column] { bytes } else { nil }
    }
}
