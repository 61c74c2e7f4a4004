package import CrashReport

extension Report {
    /// The functions of a thread, the innermost first, a line each: `Cart.item(at:) (Cart.swift:12)`, or `Checkout + 0x1a2b`
    /// where no function is known.
    package func stackLines(of thread: ThreadStack, limit: Int) -> [String] {
        var lines: [String] = []
        for frame in thread.frames {
            if frame.symbols.isEmpty { lines.append(place(of: frame)) }
            for symbol in frame.symbols { lines.append(symbol.label.madeVisible(limit: 300)) }
            guard lines.count < limit else { return lines.prefix(limit) + ["…"] }
        }
        return lines
    }

    private func place(of frame: Frame) -> String {
        guard let image = image(of: frame) else { return "0x\(String(frame.address, radix: 16))" }
        let offset = frame.offset ?? frame.address &- image.base
        return "\(image.name.madeVisible(limit: 300)) + 0x\(String(offset, radix: 16))"
    }
}
