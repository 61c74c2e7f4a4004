/// What stands in a log before the backtracer's JSON: the runtime's last words, and the number of the signal.
///
///     Checkout/Cart.swift:41: Fatal error: the cart is gone
///
///     *** Signal 4: Backtracing from 0x7f903496df7f... done ***
struct BacktracerMessage: Equatable {
    var signal: Int
    /// The runtime's text; nil where it is not directly above.
    var message: String?

    /// Lines of a text that are looked at, so that what a service logged before is not taken for its message.
    private static let maximumLines = 16

    /// Nil unless the last such line of `before` is about a crash at `address`: logs of several processes are mixed.
    init?(before: [UInt8], address: UInt64?) {
        let lines = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard let address, let index = lines.lastIndex(where: { $0.contains(Self.words) }),
            let start = lines[index].firstRange(of: "Signal "), let words = lines[index].firstRange(of: Self.words),
            start.upperBound <= words.lowerBound,
            let number = Int(lines[index][start.upperBound..<words.lowerBound]),
            UInt64(lines[index][words.upperBound...].prefix(while: \.isHexDigit), radix: 16) == address
        else { return nil }
        signal = number
        // What a log adds to each line.
        let added = lines[index].firstRange(of: "***").map { lines[index][..<$0.lowerBound].count } ?? 0
        message = Self.message(lines[..<index], added: added)
    }

    private static let words = ": Backtracing from 0x"

    /// The text that ends above the empty line, from `Fatal error: ` on, with the place before it.
    private static func message(_ lines: ArraySlice<String>, added: Int) -> String? {
        var lines = lines
        while let last = lines.last, last.count <= added { lines.removeLast() }
        // Between the lines of a text a log may have others' lines; only the runtime's own output is all of one piece.
        let reach = added == 0 ? maximumLines : 1
        for (count, index) in lines.indices.reversed().prefix(reach).enumerated() {
            guard let range = lines[index].firstRange(of: "Fatal error") else { continue }
            let first = lines[index]
            let before = first[..<range.lowerBound]
            let place = before.hasSuffix(": ") ? before.dropLast(2).split(separator: " ").last : nil
            let isPlace = place.map { $0.last?.isNumber == true && $0.contains(":") } ?? false
            let start = isPlace ? place?.startIndex ?? range.lowerBound : range.lowerBound
            return ([String(first[start...])] + lines.suffix(count)).joined(separator: "\n")
        }
        return nil
    }
}
