/// What may still be read of the things that are limited over all lines.
struct ReportBudget {
    private let limits: ReportLimits
    private var frames = 0
    private var symbols = 0

    init(_ limits: ReportLimits) { self.limits = limits }

    mutating func takeFrame(at offset: Int) throws(JSONError) {
        guard frames < limits.frames else { throw passed("frames", limits.frames, offset) }
        frames += 1
    }

    mutating func takeSymbol(at offset: Int) throws(JSONError) {
        guard symbols < limits.symbols else { throw passed("symbols", limits.symbols, offset) }
        symbols += 1
    }

    private func passed(_ what: String, _ limit: Int, _ offset: Int) -> JSONError {
        JSONError(.limit, at: offset, "more than \(limit) \(what) in the report")
    }
}

/// Puts a report together, line by line. A class: what copies a structure of this size would be 12 KB in every service.
final class ReportLineDecoder {
    var warnings: [String] = []
    private let limits: ReportLimits
    private var header: ReportHeader?
    private var crash: Crash?
    private var error: HandledError?
    private var message: String?
    private var threads: [ThreadStack] = []
    private var images: [Image] = []
    private var context: Context?
    private var breadcrumbs: [Breadcrumb] = []
    private var attachments: [AttachedFile] = []
    private var end: CaptureEnd?
    private var line = 0
    private var budget: ReportBudget
    private var valuesLeft: Int

    init(limits: ReportLimits) {
        self.limits = limits
        budget = ReportBudget(limits)
        valuesLeft = limits.values
    }

    /// The report, once all lines were decoded.
    func finish() throws(ReportDecodingError) -> DecodedReport {
        guard let header else { throw .noReport("the file ends within its first line") }
        var report = Report(header: header)
        report.crash = crash
        report.error = error
        report.message = message
        report.threads = threads
        report.images = images
        report.context = context
        report.breadcrumbs = breadcrumbs
        report.attachments = attachments
        report.end = end
        return DecodedReport(report: report, isComplete: report.end != nil, warnings: warnings)
    }

    /// Decodes the next line, without its newline.
    func decode(_ bytes: UnsafeBufferPointer<UInt8>) throws(ReportDecodingError) {
        let isFirst = line == 0
        line += 1
        guard line <= limits.lines else { throw .limitPassed("more than \(limits.lines) lines", line: line) }
        var reader: JSONReader
        let type: String
        var version: Int?
        do throws(JSONError) {
            reader = try JSONReader(bytes, values: valuesLeft)
            type = try reader.lineType()
            if isFirst {
                version = try reader.member("version") { value throws(JSONError) in try value.integer() }
            }
        } catch {
            throw .malformed(error, line: line, type: nil)
        }
        if isFirst {
            guard type == "report" else { throw .noReport("the first line is of another type") }
            if let version, version != ReportHeader.currentVersion { throw .version(version) }
        }
        do throws(JSONError) {
            try decode(type, from: &reader)
            try reader.end()
        } catch {
            throw .malformed(error, line: line, type: type)
        }
        valuesLeft = reader.remainingValues
    }

    private func decode(_ type: String, from reader: inout JSONReader) throws(JSONError) {
        switch type {
        case "report":
            guard header == nil else { throw secondLine(reader) }
            header = try ReportHeader(from: &reader)
        case "crash":
            guard crash == nil else { throw secondLine(reader) }
            crash = try Crash(from: &reader)
        case "error":
            guard error == nil else { throw secondLine(reader) }
            error = try HandledError(from: &reader)
        case "message":
            guard message == nil else { throw secondLine(reader) }
            message = try reader.messageLine()
        case "thread": threads.append(try ThreadStack(from: &reader, budget: &budget))
        case "image": images.append(try Image(from: &reader))
        case "context":
            context = (context ?? Context()).overlaid(by: try Context(from: &reader))
        case "breadcrumb": breadcrumbs.append(try Breadcrumb(from: &reader))
        case "attachment":
            attachments.attach(try AttachedFile(from: &reader))
            guard attachments.count <= limits.attachments else {
                throw JSONError(
                    .limit,
                    at: reader.position,
                    "more than \(limits.attachments) attachments in the report"
                )
            }
        case "end":
            guard end == nil else { throw secondLine(reader) }
            end = try CaptureEnd(from: &reader)
        default: try reader.skip()
        }
    }

    private func secondLine(_ reader: JSONReader) -> JSONError {
        JSONError(.mismatch, at: reader.position, "there must be only one such line")
    }
}

extension JSONReader {
    /// The `type` of the line that begins here. The reader does not move.
    fileprivate func lineType() throws(JSONError) -> String {
        var scout = self
        // Our writers put the type first, and then the line need not be searched for it.
        if isNext(#"{"type":"#) {
            scout.position = 8
            return try scout.string()
        }
        let type = try member("type") { value throws(JSONError) in try value.string() }
        return try required(type, "type")
    }

    /// A member of the object that begins here, or nil. The reader does not move.
    fileprivate func member<Value>(
        _ name: StaticString,
        _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value? {
        var scout = self
        var found: Value?
        try scout.members { key, reader throws(JSONError) in
            if name ~= key {
                found = try read(&reader)
            } else {
                try reader.skip()
            }
        }
        return found
    }
}
