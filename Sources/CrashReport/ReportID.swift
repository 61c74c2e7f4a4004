/// Ids of reports: UUIDs of version 7 (RFC 9562) in lower case with dashes.
///
/// An id that is valid is also safe as a file name and in a URL.
public enum ReportID {
    /// True for `xxxxxxxx-xxxx-7xxx-[89ab]xxx-xxxxxxxxxxxx` in lower case.
    public static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8.prefix(37))
        guard bytes.count == 36 else { return false }
        for (index, byte) in bytes.enumerated() {
            switch index {
            case 8, 13, 18, 23: guard byte == UInt8(ascii: "-") else { return false }
            case 14: guard byte == UInt8(ascii: "7") else { return false }
            case 19: guard [0x38, 0x39, 0x61, 0x62].contains(byte) else { return false }
            default: guard isLowerHex(byte) else { return false }
            }
        }
        return true
    }

    /// When the id was made, to the millisecond; nil when it is not valid.
    public static func time(of text: String) -> Timestamp? {
        guard isValid(text) else { return nil }
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }.prefix(12)
        let milliseconds = digits.reduce(Int64(0)) { $0 << 4 | Int64(hexDigit($1) ?? 0) }
        return Timestamp(microseconds: milliseconds * 1_000)
    }
}

private func isLowerHex(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
}
