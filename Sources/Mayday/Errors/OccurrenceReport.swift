internal import CrashCapture
internal import CrashReport

extension Occurrence {
    /// The report; nil when the capture is not installed.
    ///
    /// - Parameter count: how many times it happened since the last one.
    func report(count: Int) -> Report? {
        var lines = ReportLines()
        guard lines.add({ mayday_report_header(kind, id, UInt64(time.microseconds) * 1_000, $0, $1) }) else {
            return nil
        }
        var context = context
        while lines.add({ mayday_context_next(&context, $0, $1) }) {}
        guard var report = try? Report.decode(jsonLines: lines.bytes).report else { return nil }
        report.header.level = "\(level)"
        report.header.occurrences = count == 1 ? nil : count
        report.header.fingerprint = fingerprint
        switch subject {
        case .error(let error): report.error = HandledError(error)
        case .message(let text): report.message = text
        }
        for attachment in attachments { report.attach(attachment.file) }
        let images = LoadedImages.current()
        report.images = images
        report.threads = [thread(images)]
        let duration = Timestamp.now().microseconds - time.microseconds
        report.end = CaptureEnd(
            stages: ["header", "context", "images", "stack"],
            durationMicroseconds: max(0, Int(duration))
        )
        return report
    }

    private var kind: String {
        switch subject {
        case .error: "error"
        case .message: "message"
        }
    }

    /// Without the frames of Mayday itself, the innermost.
    private func thread(_ images: [Image]) -> ThreadStack {
        var frames: [Frame] = []
        for (index, address) in words(stack.addresses).prefix(Int(stack.count)).enumerated()
        where index >= Self.ownFrames {
            frames.append(frame(UInt64(address), .fp, images))
            guard index == Int(stack.async_index) else { continue }
            for entry in words(stack.callers).prefix(Int(stack.caller_count)) {
                let caller = frame(UInt64(entry), .await, images)
                // What looked like an async function was none.
                guard caller.image != nil else { break }
                frames.append(caller)
            }
        }
        let name = withUnsafeBytes(of: stack.thread_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return ThreadStack(
            id: Int(stack.thread),
            name: name.isEmpty ? nil : name,
            frames: frames,
            truncated: stack.is_cut ? "limit" : nil
        )
    }

    private func words<Tuple>(_ tuple: Tuple) -> [UInt] {
        withUnsafeBytes(of: tuple) { Array($0.bindMemory(to: UInt.self)) }
    }

    private func frame(_ address: UInt64, _ trust: FrameTrust, _ images: [Image]) -> Frame {
        // A return address behind a last call that never returns is past the end of its image.
        let inside = trust.isReturnAddress ? address &- 1 : address
        let image = images.firstIndex { inside &- $0.base < $0.size }
        return Frame(
            address: address,
            image: image,
            offset: image.map { address - images[$0].base },
            trust: trust
        )
    }

    /// `Mayday.capture`, which is never inlined.
    private static let ownFrames = 1
}

/// Lines that the capture writes into a buffer.
private struct ReportLines {
    var bytes: [UInt8] = []

    /// What holds every line.
    private static let capacity = 96 << 10

    /// Adds one line; false when `write` wrote none.
    mutating func add(_ write: (UnsafeMutablePointer<CChar>, Int) -> Int) -> Bool {
        let line = [UInt8](unsafeUninitializedCapacity: Self.capacity) { buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) { chars in
                chars.baseAddress.map { write($0, Self.capacity) } ?? 0
            }
        }
        bytes += line
        if !line.isEmpty { bytes.append(0x0a) }
        return !line.isEmpty
    }
}
