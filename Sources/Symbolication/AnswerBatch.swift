import CrashReport

/// Answers as bytes: texts once each, then for every address the functions by the numbers of their texts.
///
/// All numbers have their lowest byte first. What is not one of these is refused as a whole.
enum AnswerBatch {
    private static let origins: [FrameOrigin?] = [nil, .service, .runtime, .system]

    static func encode(_ answers: [(key: UInt64, answer: DebugModule.Answer)]) -> [UInt8] {
        var numbers: [String: UInt32] = [:]
        var texts: [String] = []
        func number(_ text: String?) -> UInt32 {
            guard let text else { return 0 }
            if let known = numbers[text] { return known }
            texts.append(text)
            numbers[text] = UInt32(texts.count)
            return UInt32(texts.count)
        }
        var entries: [UInt8] = []
        for (key, answer) in answers {
            entries.append(key)
            entries.append(UInt8(origins.firstIndex(of: answer.origin) ?? 0))
            entries.append(UInt32(answer.symbols.count))
            for symbol in answer.symbols {
                entries.append(number(symbol.function))
                entries.append(number(symbol.mangled))
                entries.append(number(symbol.file))
                entries.append(UInt32(clamping: symbol.line ?? 0))
                entries.append(UInt32(clamping: symbol.column ?? 0))
                entries.append(UInt8(symbol.inlined ? 1 : 0))
            }
        }
        var bytes: [UInt8] = []
        bytes.append(UInt32(texts.count))
        for text in texts {
            bytes.append(UInt32(text.utf8.count))
            bytes += text.utf8
        }
        bytes.append(UInt32(answers.count))
        return bytes + entries
    }

    /// Adds the answers to what is known; false when the bytes are not such a batch, of which nothing is to be believed then.
    static func decode(_ bytes: UnsafeRawBufferPointer, into answers: inout [UInt64: DebugModule.Answer]) -> Bool {
        var reader = Reader(rest: bytes)
        guard let textCount: UInt32 = reader.next() else { return false }
        var texts: [String] = []
        for _ in 0..<textCount {
            guard let length: UInt32 = reader.next(), let text = reader.text(Int(length)) else { return false }
            texts.append(text)
        }
        guard let count: UInt32 = reader.next() else { return false }
        answers.reserveCapacity(answers.count + min(Int(count), bytes.count / 13))
        for _ in 0..<count {
            guard let key: UInt64 = reader.next(), let origin: UInt8 = reader.next(), origin < origins.count,
                let symbolCount: UInt32 = reader.next()
            else { return false }
            var symbols: [FrameSymbol] = []
            for _ in 0..<symbolCount {
                guard let symbol = reader.symbol(texts) else { return false }
                symbols.append(symbol)
            }
            answers[key] = DebugModule.Answer(symbols: symbols, origin: origins[Int(origin)])
        }
        return reader.rest.isEmpty
    }

    private struct Reader {
        var rest: UnsafeRawBufferPointer

        mutating func next<Number: FixedWidthInteger & BitwiseCopyable>() -> Number? {
            let size = MemoryLayout<Number>.size
            guard rest.count >= size else { return nil }
            defer { rest = UnsafeRawBufferPointer(rebasing: rest[size...]) }
            return Number(littleEndian: rest.loadUnaligned(as: Number.self))
        }

        mutating func text(_ length: Int) -> String? {
            guard rest.count >= length else { return nil }
            defer { rest = UnsafeRawBufferPointer(rebasing: rest[length...]) }
            return String(decoding: rest[..<length], as: UTF8.self)
        }

        mutating func symbol(_ texts: [String]) -> FrameSymbol? {
            guard let function: UInt32 = next(), let mangled: UInt32 = next(), let file: UInt32 = next(),
                let line: UInt32 = next(), let column: UInt32 = next(), let inlined: UInt8 = next(),
                function > 0, max(function, mangled, file) <= texts.count
            else { return nil }
            func text(_ number: UInt32) -> String? { number > 0 ? texts[Int(number) - 1] : nil }
            return FrameSymbol(
                function: texts[Int(function) - 1],
                mangled: text(mangled),
                file: text(file),
                line: line > 0 ? Int(line) : nil,
                column: column > 0 ? Int(column) : nil,
                inlined: inlined != 0
            )
        }
    }
}

extension [UInt8] {
    /// Adds a number, its lowest byte first.
    mutating func append(_ number: some FixedWidthInteger & BitwiseCopyable) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
