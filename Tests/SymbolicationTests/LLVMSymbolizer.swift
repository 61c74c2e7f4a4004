import Foundation

@testable import Symbolication

/// The toolchain's own symbolizer, as the peer to agree with.
struct LLVMSymbolizer {
    let tool: Tool

    /// Nil when the toolchain has none.
    init?() {
        guard let tool = Tool.ofToolchain("llvm-symbolizer") else { return nil }
        self.tool = tool
    }

    private struct Answer: Decodable {
        struct Symbol: Decodable {
            var FunctionName: String
            var FileName: String
            var Line: Int
            var Column: Int
        }
        var Symbol: [Symbol]?
    }

    /// Functions at each address, the innermost inlined one first, in this project's terms.
    func answers(_ file: String, _ addresses: [UInt64]) throws -> [[Line]] {
        let input = addresses.map { "0x" + String($0, radix: 16) + "\n" }.joined()
        let arguments = ["--obj=\(file)", "--inlines", "--no-demangle", "--output-style=JSON"]
        return try tool.run(arguments, input: input).split(separator: "\n").map { line in
            try JSONDecoder().decode(Answer.self, from: Data(line.utf8)).Symbol ?? []
        }.map { $0.map(Self.line).filter { !$0.function.isEmpty } }
    }

    private static func line(_ symbol: Answer.Symbol) -> Line {
        // No version, as here; made-up files are none; line 0 is none; where no unit covers the address the "file" is the name of
        // the object file from the symbol table, without a directory.
        let isFile = symbol.FileName.hasPrefix("/") && !symbol.FileName.hasSuffix(">")
        let hasLine = isFile && symbol.Line > 0
        return Line(
            function: String(symbol.FunctionName.prefix { $0 != "@" }),
            file: isFile ? symbol.FileName : nil,
            line: hasLine ? symbol.Line : nil,
            column: hasLine && symbol.Column > 0 ? symbol.Column : nil
        )
    }
}

/// One function at an address, with its name as the linker knows it.
struct Line: Equatable, CustomStringConvertible {
    var function: String
    var file: String?
    var line: Int?
    var column: Int?

    /// File and line.
    var place: String { "\(file ?? "-"):\(line ?? 0)" }

    var description: String { "\(function) \(file ?? "-"):\(line ?? 0):\(column ?? 0)" }
}
