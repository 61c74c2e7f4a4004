import CrashReport
import Foundation
import SymbolStore
import Symbolication

/// `mayday symbolicate`.
enum SymbolicateCommand: Command {
    static let spec = CommandSpec(
        name: "symbolicate",
        summary: "Show the functions, files and lines of addresses in a binary",
        operands: "BINARY [ADDRESS…]",
        operandCount: 1...10_000,
        notes: [
            "ADDRESS is hexadecimal, as `nm` and `objdump` show it. Without any they are read from standard input, one a line, and "
                + "each is answered at once by lines that end with an empty one.",
            "Debug files are found as those of reports are; what was found is kept for the next time.",
        ],
        examples: ["mayday symbolicate .build/release/checkout 0x1a2b3c"]
    )

    static func run(_ arguments: Arguments, _ console: Console) throws(CommandError) -> ExitCode {
        let path = arguments.operands[0]
        let symbols = try arguments.symbols().path
        let lookup: AddressLookup
        do throws(BinaryFileError) {
            lookup = try AddressLookup(path: path, symbolStore: symbols, answers: "\(symbols)/answers")
        } catch {
            throw .nothingFound("\(path): \(error)")
        }
        defer { lookup.save() }
        guard arguments.operands.count > 1 else { return answerInput(lookup) }
        var output: [UInt8] = []
        var isFound = false
        for text in arguments.operands.dropFirst() {
            guard let address = address(Substring(text).utf8) else {
                throw arguments.usage("\(text): expected a hexadecimal address, such as 0x1a2b3c")
            }
            if answer(address, lookup, into: &output) { isFound = true }
        }
        write(output)
        return isFound ? .done : .nothingFound
    }

    private static func answerInput(_ lookup: AddressLookup) -> ExitCode {
        var (rest, output): ([UInt8], [UInt8]) = ([], [])
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            rest += buffer.prefix(max(0, count))
            if count <= 0, !rest.isEmpty { rest.append(UInt8(ascii: "\n")) }
            var start = 0
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                // A line that is no address has an answer too, so that answers stay in step.
                let address = address(rest[start..<end])
                if let address { _ = answer(address, lookup, into: &output) } else { output += "??\n\n".utf8 }
                start = end + 1
            }
            rest.removeFirst(start)
            guard write(output), count > 0 else { return .done }
            output.removeAll(keepingCapacity: true)
        }
    }

    /// Adds the lines of an address; false when nothing is known of it.
    private static func answer(_ address: UInt64, _ lookup: AddressLookup, into output: inout [UInt8]) -> Bool {
        let symbols = lookup.symbols(at: address)
        if symbols.isEmpty { output += "??\n".utf8 }
        for symbol in symbols {
            append(symbol.function, to: &output)
            if let file = symbol.file {
                output += " (".utf8
                append(file, to: &output)
                for number in [symbol.line, symbol.column] {
                    guard let number else { break }
                    output.append(UInt8(ascii: ":"))
                    output += String(number).utf8
                }
                output.append(UInt8(ascii: ")"))
            }
            if symbol.inlined { output += " [inlined]".utf8 }
            output.append(UInt8(ascii: "\n"))
        }
        output.append(UInt8(ascii: "\n"))
        return !symbols.isEmpty
    }

    /// Names come out of files: what would move the cursor is made visible.
    private static func append(_ text: String, to output: inout [UInt8]) {
        if text.utf8.contains(where: { $0 < 0x20 || $0 >= 0x7f }) {
            output += text.madeVisible().utf8
        } else {
            output += text.utf8
        }
    }

    private static func address(_ text: some Collection<UInt8>) -> UInt64? {
        var digits = Array(text.drop { $0 == UInt8(ascii: " ") })
        while digits.last.map({ $0 <= 0x20 }) == true { digits.removeLast() }
        if digits.starts(with: "0x".utf8) { digits.removeFirst(2) }
        return digits.first == UInt8(ascii: "+") || digits.first == UInt8(ascii: "-")
            ? nil : UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    /// False when nobody reads any more.
    @discardableResult
    private static func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
