#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A report as it was read, and what is to be known about the reading.
public struct DecodedReport: Sendable, Equatable {
    /// The report.
    public let report: Report
    /// True when the `end` line was there, false when the capture or the file was cut short.
    public let isComplete: Bool
    /// What a person should know: the file was cut short, a line was left out. Safe on a terminal.
    public let warnings: [String]

    /// A report with the outcome of its reading.
    public init(report: Report, isComplete: Bool, warnings: [String] = []) {
        self.report = report
        self.isComplete = isComplete
        self.warnings = warnings
    }
}

extension Report {
    /// Reads a report file.
    ///
    /// A file that was cut at any byte is read up to its last whole line, when the `report` line is among them.
    /// Line types and keys that are not known are ignored. Input may be hostile: memory and time are bounded by `limits`.
    ///
    /// - Parameter gzip: the file: gzip of JSON Lines; several gzip members after one another will do.
    /// - Throws: `ReportDecodingError` with the line and the field, when the bytes are not a report.
    public static func decode(
        gzip: [UInt8],
        limits: ReportLimits = .standard
    ) throws(ReportDecodingError) -> DecodedReport {
        guard !gzip.isEmpty else { throw .noReport("the file is empty") }
        var lines = LineSplitter(limit: limits.lineBytes)
        let decoder = ReportLineDecoder(limits: limits)
        let limit = limits.expandedBytes(of: gzip.count)
        var expander = GzipExpander(limit: limit)
        try gzip.withUnsafeBufferPointer { buffer throws(ReportDecodingError) in
            var input = UnsafeBufferPointer(rebasing: buffer[...])
            while true {
                let piece: UnsafeBufferPointer<UInt8>?
                do throws(GzipError) { piece = try expander.next(from: &input) } catch {
                    if error == .tooLarge(limit: limit), limit < limits.expandedBytes {
                        throw .ratioPassed(limits.ratio, gzip: gzip.count, expanded: limit)
                    }
                    throw .gzip(error)
                }
                guard let piece else { break }
                try lines.take(piece) { line throws(ReportDecodingError) in try decoder.decode(line) }
            }
        }
        if expander.isCutShort { decoder.warnings.append("The file was cut short.") }
        if lines.hasRest { decoder.warnings.append("Its last line was cut short and is left out.") }
        return try decoder.finish()
    }

    /// Reads a report's JSON Lines, each of which is whole.
    public static func decode(
        jsonLines: [UInt8],
        limits: ReportLimits = .standard
    ) throws(ReportDecodingError) -> DecodedReport {
        var lines = LineSplitter(limit: limits.lineBytes)
        let decoder = ReportLineDecoder(limits: limits)
        try jsonLines.withUnsafeBufferPointer { bytes throws(ReportDecodingError) in
            try lines.take(bytes) { line throws(ReportDecodingError) in try decoder.decode(line) }
        }
        return try decoder.finish()
    }
}

/// Cuts pieces of text into lines.
private struct LineSplitter {
    let limit: Int
    /// The beginning of a line whose end has not come yet.
    private var rest: [UInt8] = []
    private var finished = 0

    init(limit: Int) { self.limit = limit }

    var hasRest: Bool { !rest.isEmpty }

    mutating func take(
        _ piece: UnsafeBufferPointer<UInt8>,
        _ body: (UnsafeBufferPointer<UInt8>) throws(ReportDecodingError) -> Void
    ) throws(ReportDecodingError) {
        var start = 0
        while let newline = Self.newline(in: piece, from: start) {
            try check(rest.count + newline - start)
            let line = UnsafeBufferPointer(rebasing: piece[start..<newline])
            if rest.isEmpty {
                try body(line)
            } else {
                rest.append(contentsOf: line)
                try rest.withUnsafeBufferPointer(body)
                rest.removeAll(keepingCapacity: true)
            }
            finished += 1
            start = newline + 1
        }
        try check(rest.count + piece.count - start)
        rest.append(contentsOf: piece[start...])
    }

    private static func newline(in piece: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let base = piece.baseAddress, start < piece.count else { return nil }
        return memchr(base + start, 0x0a, piece.count - start).map { UnsafeRawPointer($0) - UnsafeRawPointer(base) }
    }

    private func check(_ count: Int) throws(ReportDecodingError) {
        guard count <= limit else { throw .limitPassed("longer than \(limit) bytes", line: finished + 1) }
    }
}
