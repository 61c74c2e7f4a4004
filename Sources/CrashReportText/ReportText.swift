public import CrashReport

/// What is shown of a report.
public struct ReportTextOptions: Sendable, Equatable {
    /// Characters of a line; what must be longer (a message's long word) is. From 40 to 1,000.
    public var width: Int
    /// True for escape sequences that colour a terminal.
    public var color: Bool
    /// How much is shown.
    public var detail: Detail
    /// Kernel id of the one thread to show the stack of; nil for the crashed one, and what is known of the others.
    public var thread: Int?

    /// How much is shown.
    public enum Detail: Sendable, Equatable {
        /// What a person reads first: the service's own frames, the rest folded.
        case summary
        /// Everything: every frame, stacks of all threads, registers, images, whole paths and names.
        case full
        /// As `full`, with stacks as they were captured: addresses, offsets in images, and names as the linker has them.
        case raw
    }

    var isFull: Bool { detail != .summary }

    /// What a person sees first; say what is to be different.
    public init(width: Int = 80, color: Bool = false, detail: Detail = .summary, thread: Int? = nil) {
        self.width = min(max(width, 40), 1_000)
        self.color = color
        self.detail = detail
        self.thread = thread
    }
}

extension Report {
    /// The report as lines for a person who was called at night: what happened, where it ran, the stack, and what to know.
    ///
    /// Text from the report cannot reach the terminal as anything but text.
    ///
    /// - Parameters:
    ///   - explanation: the sentence that all begins with; without one it is the message or the signal.
    ///   - warnings: of the reading, from `DecodedReport`.
    ///   - imageNotes: why functions or lines of images are not known, by the index of the image; only those that matter
    ///     are shown.
    ///   - sources: finds lines of source files.
    public func text(
        _ options: ReportTextOptions = ReportTextOptions(),
        explanation: String? = nil,
        warnings: [String] = [],
        imageNotes: [Int: String] = [:],
        sources: SourceExcerpt.Lookup? = nil
    ) -> [String] {
        let text = ReportText(
            report: self,
            options: options,
            explanation: explanation,
            warnings: warnings,
            knownImageNotes: imageNotes,
            sources: sources
        )
        return text.lines.map { $0.rendered(color: options.color) }
    }
}

struct ReportText {
    let report: Report
    let options: ReportTextOptions
    let explanation: String?
    let warnings: [String]
    let knownImageNotes: [Int: String]
    let sources: SourceExcerpt.Lookup?

    private func stack(_ thread: ThreadStack, sources: SourceExcerpt.Lookup? = nil) -> [StyledLine] {
        StackText(thread, in: report, options, sources: sources).lines
    }

    var lines: [StyledLine] {
        let sections =
            if options.thread == nil {
                [
                    title, facts, signal, accesses, crashedStack, registers, otherThreads, context, breadcrumbs,
                    attachments, images, notes,
                ]
            } else {
                [title, facts, chosenThread, notes]
            }
        return Array(sections.filter { !$0.isEmpty }.joined(separator: [StyledLine()]))
    }

    // MARK: Title and facts

    private var title: [StyledLine] {
        var lines: [StyledLine] = []
        if let explanation {
            lines = explanation.madeVisible().wrapped(to: options.width).map { StyledLine($0, .failure) }
        } else {
            for (index, line) in shownLines(of: report.title).enumerated() {
                // The rest of a message is set in, so that it cannot pass for a line of ours.
                let indent = index == 0 ? "" : "  "
                lines += line.wrapped(to: options.width - indent.count).map {
                    StyledLine(indent + $0, index == 0 ? .failure : .plain)
                }
            }
        }
        lines += (report.error?.detail).map(detail) ?? []
        for error in report.error?.chain ?? [] {
            lines.append(StyledLine("  caused by \(error.typeName): \(error.text)"))
            lines += detail(error.detail)
        }
        return lines
    }

    /// The lines of a text that are not too many.
    private func shownLines(of text: String) -> [String] {
        let lines = text.split(whereSeparator: \.isNewline).map { String($0).madeVisible() }
        let limit = options.isFull ? Int.max : 12
        return lines.prefix(limit) + (lines.count > limit ? ["… \(lines.count - limit) more lines"] : [])
    }

    /// `NSURLErrorDomain -1001 {"sku":"tea"}`
    private func detail(_ detail: ErrorDetail) -> [StyledLine] {
        let values = detail.values.isEmpty ? nil : JSONValue.object(detail.values).text
        let text = [detail.label?.madeVisible(), values].compactMap(\.self).joined(separator: " ")
        guard !text.isEmpty else { return [] }
        return [StyledLine("    " + (options.isFull ? text : text.shortened(to: max(20, options.width - 4))), .faint)]
    }

    private var facts: [StyledLine] {
        message + row("Service", service) + row("Time", readableTime) + row("Occurred", occurrences)
            + row("Host", host) + row("Process", process) + row("Source", source) + row("Report", [report.header.id])
    }

    /// What the crash itself said, when a sentence stands in its place as the title.
    private var message: [StyledLine] {
        guard explanation != nil, report.crash?.message != nil || report.crash == nil else { return [] }
        let label = report.error == nil ? "Message" : "Error"
        let lines = shownLines(of: report.title).flatMap { $0.wrapped(to: options.width - 10) }
        return lines.enumerated().map { index, text in
            var line = StyledLine(index == 0 ? label : "", .faint)
            line.pad(to: 10)
            line.add(text, .strong)
            return line
        }
    }

    /// `2026-11-30 08:17:53.123456 UTC`. Not by `replacing`, which would link a megabyte of regular expressions into every
    /// static service.
    private var readableTime: String {
        report.header.time.reduce(into: "") { $0 += $1 == "T" ? " " : $1 == "Z" ? " UTC" : String($1) }
    }

    private var occurrences: [String] {
        guard let count = report.header.occurrences, count > 1 else { return [] }
        return ["\(grouped(count)) times since the report before, this time included"]
    }

    private var service: [String] {
        let name = report.header.service ?? report.header.process.name ?? "unknown"
        guard let release = report.header.release else { return [name, report.header.environment].compactMap(\.self) }
        let named = release.hasPrefix("\(name)@") ? release : "\(name) \(release)"
        return [named, report.header.environment].compactMap(\.self)
    }

    private var host: [String] {
        guard let host = report.header.host else { return [] }
        return [
            host.name, host.instance.map { "instance \($0)" }, pod(of: host), host.node.map { "node \($0)" },
            host.container.map { "container \(options.isFull ? $0 : String($0.prefix(12)))" }, host.os,
            options.isFull ? host.kernel : nil, host.arch, host.cpus.map { $0 == 1 ? "1 CPU" : "\($0) CPUs" },
            host.memory.map { memoryText($0) },
        ].compactMap(\.self)
    }

    private func pod(of host: HostFacts) -> String? {
        host.pod.map { pod in "pod \(host.namespace.map { "\($0)/" } ?? "")\(pod)" }
    }

    private var process: [String] {
        let process = report.header.process
        return [
            (process.name ?? process.path?.lastPathComponent ?? "process")
                + (process.pid > 0 ? " (pid \(process.pid))" : ""),
            process.uptimeMilliseconds.map { "up \(durationText(milliseconds: $0))" },
            process.forked ? "forked child" : nil, options.isFull ? process.path : nil,
        ].compactMap(\.self)
    }

    private var source: [String] { report.isOfSwiftBacktracer ? ["written by Swift's backtracer"] : [] }

    private func row(_ label: String, _ text: String) -> [StyledLine] { row(label, [text]) }

    private func row(_ label: String, _ parts: [String]) -> [StyledLine] {
        guard !parts.isEmpty else { return [] }
        var texts: [String] = []
        for part in parts.map({ $0.madeVisible() }) {
            if let last = texts.last, last.columns + 3 + part.columns <= options.width - 10 {
                texts[texts.count - 1] = "\(last) · \(part)"
            } else {
                texts.append(part)
            }
        }
        return texts.enumerated().map { index, text in
            var line = StyledLine(index == 0 ? label : "", .faint)
            line.pad(to: 10)
            line.add(text)
            return line
        }
    }

    // MARK: Signal and stacks

    private var signal: [StyledLine] {
        guard let crash = report.crash else { return [] }
        var line = StyledLine(crash.signal.label, .strong)
        if crash.signal.codeName == nil, crash.signal.code != 0 { line.add(" (code \(crash.signal.code))") }
        if let address = crash.faultAddress { line.add(" at \(hex(address))") }
        let name = report.crashedThread?.name.map { " \"\($0.madeVisible())\"" } ?? ""
        let place = "in thread \(crash.thread)\(name)\(report.crashedThread?.task.map { ", \($0.label)" } ?? "")"
        var lines = [line]
        if line.width + 1 + place.columns <= options.width {
            lines[0].add(" \(place)")
        } else {
            lines.append(StyledLine(place))
        }
        if let sender = crash.sender {
            let isOwn = sender.pid == report.header.process.pid
            let who = isOwn ? "raised by the process itself" : "sent by process \(sender.pid) of user \(sender.uid)"
            lines.append(StyledLine(who))
        }
        return lines
    }

    private var crashedStack: [StyledLine] {
        guard let thread = report.crashedThread else {
            return report.header.kind == .crash
                ? [StyledLine("No stack was written before the capture was cut short.", .notice)] : []
        }
        let isCrash = report.header.kind == .crash
        return [StyledLine(isCrash ? "Stack of the crashed thread" : "Stack", .strong)]
            + stack(thread, sources: sources)
    }

    private var chosenThread: [StyledLine] {
        let found = report.threads.first { $0.id == options.thread }
        return found.map { [ThreadGroup($0).heading] + stack($0, sources: sources) } ?? []
    }

    private var registers: [StyledLine] {
        guard options.isFull, let registers = report.crash?.registers, !registers.isEmpty else { return [] }
        var lines = [StyledLine("Registers", .strong)]
        let columns = max(1, (options.width - 4) / 28)
        for start in stride(from: 0, to: registers.count, by: columns) {
            var line = StyledLine()
            for (column, register) in registers[start..<min(start + columns, registers.count)].enumerated() {
                line.pad(to: 4 + column * 28)
                line.add(register.name, .faint)
                line.pad(to: 4 + column * 28 + 8)
                line.add(hex(register.value))
            }
            lines.append(line)
        }
        return lines
    }

    private var otherThreads: [StyledLine] {
        let crashed = report.crashedThread
        let groups = ThreadGroup.groups(of: report.threads.filter { $0 != crashed })
        guard !groups.isEmpty else { return [] }
        guard options.isFull else {
            return [StyledLine("Other threads", .strong)] + ThreadGroup.summary(groups, in: report, options)
        }
        return Array(groups.map { [$0.heading] + stack($0.thread) }.joined(separator: [StyledLine()]))
    }
}

private func memoryText(_ bytes: UInt64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var unit = 0
    var tenths = bytes > UInt64.max / 10 ? UInt64.max : bytes * 10
    while tenths >= 10_240, unit + 1 < units.count {
        tenths /= 1_024
        unit += 1
    }
    let fraction = tenths % 10 == 0 ? "" : ".\(tenths % 10)"
    return "\(tenths / 10)\(fraction) \(units[unit])"
}

func durationText(milliseconds: Int) -> String {
    let seconds = milliseconds / 1_000
    switch milliseconds {
    case ..<1_000: return "\(milliseconds) ms"
    case ..<60_000: return "\(seconds) s"
    case ..<3_600_000: return "\(seconds / 60) min \(seconds % 60) s"
    case ..<86_400_000: return "\(seconds / 3_600) h \(seconds / 60 % 60) min"
    default: return "\(grouped(seconds / 86_400)) d \(seconds / 3_600 % 24) h"
    }
}
