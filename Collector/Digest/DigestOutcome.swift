import CrashReport
public import Grouping
import Store
public import Symbolication

/// What a digestion made of a report: what the store keeps of it.
public struct DigestOutcome: Sendable, Equatable {
    /// Key of the issue: equal for the same bug in another process, on another host, in another release.
    public var fingerprint: String
    /// What the fingerprint was made of, a line each.
    public var explanation: [String]
    /// Headline.
    public var title: String
    /// Innermost function of the service's own code, with its place.
    public var culprit: String?
    /// Images whose functions or lines are not all known, and why.
    public var notes: [ImageNote]
    /// What the reading of the report said, from `DecodedReport`.
    public var warnings: [String]
    /// What the service had set, to filter by.
    public var tags: [String: String]
    /// The report with symbols, as a report file.
    public var gzip: [UInt8]

    /// The outcome of a report that was digested.
    ///
    /// - Parameter warnings: of the reading, from `DecodedReport`.
    public init(_ digested: DigestedReport, warnings: [String]) {
        // Every report is written once and few are ever read: time is worth more than a fifth of the size.
        self.init(DigestFacts(digested, warnings: warnings), gzip: digested.report.encode(level: 1))
    }

    init(_ facts: DigestFacts, gzip: [UInt8]) {
        fingerprint = facts.fingerprint
        explanation = facts.explanation
        title = facts.title
        culprit = facts.culprit
        notes = facts.notes
        warnings = facts.warnings
        tags = facts.tags
        self.gzip = gzip
    }

    /// As the store writes it.
    func digestion(of report: ReportKey) -> Digestion {
        Digestion(
            key: report,
            fingerprint: fingerprint,
            title: title,
            culprit: culprit,
            gzip: gzip,
            remarks: DigestRemarks(warnings: warnings, grouping: explanation, notes: notes),
            tags: tags
        )
    }
}
