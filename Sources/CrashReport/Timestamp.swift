#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A point in time with the microseconds of the report format.
public struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Microseconds since 1970-01-01 00:00 UTC, leap seconds not counted.
    public var microseconds: Int64

    /// A point in time by its microseconds since 1970.
    public init(microseconds: Int64) { self.microseconds = microseconds }

    /// The time of the clock of the host.
    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }

    /// Earlier than.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }

    /// RFC 3339 in UTC with microseconds, `2026-11-30T08:17:53.123456Z`. Times outside the years 0 to 9999 are moved to their edge.
    public var description: String {
        let clamped = min(max(microseconds, -62_167_219_200_000_000), 253_402_300_799_999_999)
        let (days, inDay) = floorDivide(clamped, by: 86_400_000_000)
        let (year, month, day) = civilDate(daysSince1970: days)
        let seconds = inDay / 1_000_000
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T" + padded(seconds / 3600, 2) + ":"
            + padded(seconds / 60 % 60, 2) + ":" + padded(seconds % 60, 2) + "." + padded(inDay % 1_000_000, 6) + "Z"
    }

    /// Reads RFC 3339 with any offset and up to nine digits of a second; what is finer than a microsecond is dropped.
    public init?(_ text: String) {
        var fields = Digits(Array(text.utf8))
        guard let year = fields.number(4), fields.take("-"), let month = fields.number(2), fields.take("-"),
            let day = fields.number(2), fields.take("T") || fields.take("t") || fields.take(" "),
            let hour = fields.number(2), fields.take(":"), let minute = fields.number(2), fields.take(":"),
            let second = fields.number(2), let fraction = fields.fraction(), let offset = fields.offset(),
            fields.isAtEnd
        else { return nil }
        guard (1...12).contains(month), day >= 1, day <= daysInMonth(month, year), hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        microseconds = (days * 86_400 + hour * 3_600 + (minute - offset) * 60 + second) * 1_000_000 + fraction
    }
}

/// The fixed-width fields of a time.
private struct Digits {
    private let text: [UInt8]
    private var position = 0

    init(_ text: [UInt8]) { self.text = text }

    var isAtEnd: Bool { position == text.count }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    mutating func number(_ width: Int) -> Int64? {
        guard text.count - position >= width else { return nil }
        var value: Int64 = 0
        for _ in 0..<width {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Microseconds after the whole second; 0 when there is no fraction, nil when there is a bad one.
    mutating func fraction() -> Int64? {
        guard take(".") else { return 0 }
        var value: Int64 = 0
        var count = 0
        while let digit = digit() {
            if count < 6 { value = value * 10 + digit }
            count += 1
        }
        guard (1...9).contains(count) else { return nil }
        for _ in min(count, 6)..<6 { value *= 10 }
        return value
    }

    /// Minutes that the local time is ahead of UTC.
    mutating func offset() -> Int64? {
        if take("Z") || take("z") { return 0 }
        let isBehind = take("-")
        guard isBehind || take("+"), let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60
        else { return nil }
        return (isBehind ? -1 : 1) * (hours * 60 + minutes)
    }

    private mutating func digit() -> Int64? {
        guard position < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[position]) else {
            return nil
        }
        defer { position += 1 }
        return Int64(text[position] - UInt8(ascii: "0"))
    }
}

// The proleptic Gregorian calendar in eras of 400 years (146,097 days), the year counted from March, so that the leap day is
// the last of its year. Days are moved by 719,468, the distance from 0000-03-01 to 1970-01-01.

private func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
    let (era, yearOfEra) = floorDivide(month > 2 ? year : year - 1, by: 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

private func civilDate(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
}

private func daysInMonth(_ month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
}

private func floorDivide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}

private func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
