internal import CrashReport
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Why a report was not sent. The words are those of the spool and of the collector's header; they stay.
public enum DiscardReason: String, Sendable, CaseIterable {
    /// It was not of the share that is reported, `ErrorLimits.sampling`.
    case sampled
    /// There were more errors than `ErrorLimits.reports` allows.
    case limited
    /// There were more errors at once than could be written.
    case overflow
    /// `beforeSend` dropped it.
    case beforeSend = "before_send"
    /// The spool was above its limits, and it was among the oldest.
    case spoolFull = "spool_full"
    /// The backend rejected it, or would have: it was set aside.
    case rejected
}

/// What was discarded for one uploader and not told to its backend yet: a file of lines `REASON COUNT` in the spool, each
/// added by one write.
///
/// Counts are told at most once: those of an upload whose process is killed are lost.
extension Spool {
    /// Adds to the counts. What cannot be written is lost.
    func note(_ counts: [DiscardReason: Int], discardedFor uploader: UploaderName) {
        let lines = counts.filter { $0.value > 0 }.map { "\($0.key.rawValue) \($0.value)\n" }.joined()
        guard !lines.isEmpty,
            let file = try? openOwn("\(uploader.fileName).discarded", O_WRONLY | O_APPEND | O_CREAT)
        else { return }
        // Where somebody takes them at this moment, they are added behind what is read, or lost with it.
        _ = file.lock()
        try? file.write(Array(lines.utf8))
    }

    /// Takes the counts out.
    func takeDiscards(of uploader: UploaderName) -> [DiscardReason: Int] {
        // Most uploaders never have any.
        guard let file = try? discards(of: uploader, O_RDWR), file.lock(),
            let bytes = try? file.read(limit: Spool.largestOwn), !bytes.isEmpty
        else { return [:] }
        try? remove("\(uploader.fileName).discarded")
        return [DiscardReason: Int](lines: bytes)
    }

    /// The counts, which stay.
    func discards(of uploader: UploaderName) -> [DiscardReason: Int] {
        let bytes = try? discards(of: uploader, O_RDONLY).read(limit: Spool.largestOwn)
        return [DiscardReason: Int](lines: bytes ?? [])
    }

    private func discards(of uploader: UploaderName, _ flags: Int32) throws(SystemError) -> FileDescriptor {
        try openRegular("\(uploader.fileName).discarded", flags)
    }
}

extension [DiscardReason: Int] {
    /// Reads lines `REASON COUNT`; what is none is left out.
    init(lines: [UInt8]) {
        self.init()
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard words.count == 2, let reason = DiscardReason(rawValue: String(words[0])), let count = Int(words[1]),
                count > 0
            else { continue }
            add(count, reason)
        }
    }

    /// Adds a count, up to the largest number there is.
    mutating func add(_ count: Int, _ reason: DiscardReason) {
        let (sum, isTooLarge) = self[reason, default: 0].addingReportingOverflow(count)
        self[reason] = isTooLarge ? .max : sum
    }

    mutating func add(_ other: [DiscardReason: Int]) {
        for (reason, count) in other { add(count, reason) }
    }

    /// `before_send=1, sampled=20`: in the order of the reasons.
    package var text: String {
        DiscardReason.allCases.compactMap { reason in self[reason].map { "\(reason.rawValue)=\($0)" } }
            .joined(separator: ", ")
    }
}

/// What this process discarded, for `Mayday.selfCheck()`.
enum DiscardTotals {
    private static let counts = Mutex<[DiscardReason: Int]>([:])

    static var all: [DiscardReason: Int] { counts.withLock { $0 } }

    static func add(_ counts: [DiscardReason: Int]) { self.counts.withLock { $0.add(counts) } }
}
