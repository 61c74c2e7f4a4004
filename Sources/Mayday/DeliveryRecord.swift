internal import CrashReport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An uploader's name, and what the spool makes of it.
struct UploaderName: Sendable, Hashable {
    let text: String
    /// The name as part of a file's name.
    let fileName: String

    init(_ text: String) {
        self.text = text
        fileName = SpoolEntry.fileName(for: text)
    }

    /// The byte of a report's file whose lock this uploader holds while it delivers the report. Two names on one byte
    /// would wait for each other and do no harm.
    var lockByte: Int64 { Int64(fnv1a(text) >> 2) }

    var pauseFile: String { "\(fileName).pause" }

    func recordFile(of id: String) -> String { "\(id).\(fileName).delivery" }
}

/// What one uploader did about one report so far: a file of lines beside the report, each added by one write.
///
///     begun
///     later
///     begun
///     rejected line 3: frames must be an array
///
/// An attempt is written down **before** it is made: a report that kills whoever tries to deliver it is known by the
/// attempts that never came to an end. A delivery that was the last one leaves no file.
struct DeliveryRecord: Sendable, Equatable {
    enum Outcome: Sendable, Equatable {
        case delivered
        case rejected(reason: String)
    }

    enum Step: Sendable, Equatable {
        case begun
        case later
        case settled(Outcome)

        var line: String {
            switch self {
            case .begun: "begun\n"
            case .later: "later\n"
            case .settled(.delivered): "delivered\n"
            case .settled(.rejected(let reason)): "rejected \(reason)\n"
            }
        }
    }

    /// Attempts that were made.
    var begun = 0
    /// Those of them that ended with the report to be tried again later.
    var later = 0
    /// True when the last attempt has no end: it is under way, or its process ended under it.
    private(set) var isOpen = false
    /// How it ended; nil while the report waits.
    var outcome: Outcome?

    init() {}

    /// Reads a record; a line that was cut by a full disk, or is not ours, is left out.
    init(_ text: [UInt8]) {
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
            switch String(decoding: line, as: UTF8.self) {
            case "begun": (begun, isOpen) = (begun + 1, true)
            case "later": (later, isOpen) = (later + 1, false)
            case "delivered": outcome = .delivered
            case let line where line.hasPrefix("rejected "):
                outcome = .rejected(reason: String(line.dropFirst("rejected ".utf8.count)))
            default: break
            }
        }
    }

    /// Attempts that neither succeeded nor failed: their process ended under them.
    var unfinished: Int { max(0, begun - later) }

    /// After so many unfinished attempts a report is set aside: what kills every process that touches it must not do so for ever.
    static let unfinishedLimit = 10
}

extension Spool {
    /// What an uploader did about a report so far. A record that cannot be read counts as none.
    func record(of id: String, by uploader: UploaderName) -> DeliveryRecord {
        guard let file = try? openRegular(uploader.recordFile(of: id), O_RDONLY) else { return DeliveryRecord() }
        return (try? file.read(limit: Spool.largestOwn)).map { DeliveryRecord($0) } ?? DeliveryRecord()
    }

    /// Adds a line to an uploader's record of a report.
    func note(_ step: DeliveryRecord.Step, of id: String, by uploader: UploaderName) throws(SystemError) {
        let file = try openOwn(uploader.recordFile(of: id), O_WRONLY | O_APPEND | O_CREAT)
        try file.write(Array(step.line.utf8))
    }

    /// Writes down that an uploader is done with a report, and takes it out of the spool when all of them are.
    ///
    /// - Parameter isNoted: whether it was written down before.
    /// - Returns: where the report lies now, when it was set aside because a backend rejected it.
    @discardableResult
    func settle(
        _ id: String,
        by uploader: UploaderName,
        _ outcome: DeliveryRecord.Outcome,
        among uploaders: [UploaderName],
        isNoted: Bool = false
    ) throws(SystemError) -> String? {
        // Written before the others' records are read: of two that end at once, one sees that it was the last.
        if uploaders.count > 1 && !isNoted { try note(.settled(outcome), of: id, by: uploader) }
        var outcomes: [DeliveryRecord.Outcome] = []
        for other in uploaders {
            guard let outcome = other == uploader ? outcome : record(of: id, by: other).outcome else { return nil }
            outcomes.append(outcome)
        }
        let entry = SpoolEntry(id: id, isPart: false)
        var aside: String?
        let reasons = outcomes.compactMap { outcome -> String? in
            if case .rejected(let reason) = outcome { reason } else { nil }
        }
        if reasons.isEmpty {
            try remove(entry.fileName)
        } else {
            aside = try reject(entry, reason: reasons.joined(separator: "\n"))
        }
        // After the report, never before: without them it would be delivered again.
        for other in uploaders { try? remove(other.recordFile(of: id)) }
        return aside
    }

    /// Removes a record whose report is gone: its process was killed between the two, or its uploader is not configured any
    /// more. What else has this name stays.
    func removeOrphan(_ name: String) {
        let suffix = ".delivery"
        guard name.hasSuffix(suffix), name.utf8.count > 37 + suffix.utf8.count else { return }
        let id = String(name.utf8.prefix(36)) ?? ""
        guard ReportID.isValid(id) else { return }
        do throws(SystemError) {
            if try status(of: SpoolEntry(id: id, isPart: false).fileName) == nil { try remove(name) }
        } catch {}
    }

    // MARK: Pauses

    /// Until when the backend that an uploader sends to asked to be left alone; nil when that one did not, or the time has come.
    ///
    /// Kept on disk, so that a service that is started again and again does not forget it:
    ///
    ///     2026-03-01T12:00:00Z
    ///     http://127.0.0.1:7171/api/1/reports
    ///
    /// - Parameter scope: the second line. What another backend asked for does not count, nor what names none.
    func pause(of uploader: UploaderName, at scope: String, now: Timestamp) -> Timestamp? {
        guard let file = try? openRegular(uploader.pauseFile, O_RDONLY),
            let lines = (try? file.read(limit: Spool.largestOwn))?.split(separator: 0x0a, maxSplits: 2),
            lines.count > 1, lines[1].elementsEqual(Spool.line(scope).utf8),
            let until = Timestamp(String(decoding: lines[0], as: UTF8.self)),
            // Beyond every pause that is granted: a clock was set back.
            until > now, until.microseconds - now.microseconds <= RetryPolicy.longestAsked.microseconds
        else { return nil }
        return until
    }

    /// Remembers until when to leave a backend alone.
    func pause(_ uploader: UploaderName, at scope: String, until: Timestamp) throws(SystemError) {
        let file = try openOwn(uploader.pauseFile, O_WRONLY | O_CREAT | O_TRUNC)
        try file.write(Array("\(until)\n\(Spool.line(scope))\n".utf8))
    }

    /// A scope as it is written down, whatever an uploader says.
    private static func line(_ scope: String) -> String { scope.madeVisible(limit: 1_000) }
}

/// The FNV-1a hash of a text, 64 bits.
private func fnv1a(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
}
