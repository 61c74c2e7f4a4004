public import CrashReport
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
    /// What the reading of the report said.
    public var warnings: [String]
    /// What the service had set, to filter by.
    public var tags: [String: String]
    /// What the report gets of it, as `DigestAdditions`.
    public var additions: [UInt8]

    /// The outcome of a report that was digested.
    ///
    /// - Parameter original: the report as it was read.
    public init(_ digested: DigestedReport, of original: DecodedReport) {
        self.init(digested, of: original, written: StackLines())
    }

    init(_ digested: DigestedReport, of original: DecodedReport, written: StackLines) {
        fingerprint = digested.fingerprint
        explanation = digested.explanation
        title = digested.title
        culprit = digested.culprit
        notes = digested.notes
        warnings = original.warnings
        tags = digested.report.context?.tags ?? [:]
        additions = DigestAdditions.encode(digested.report, of: original.report, written: written)
    }

    /// As the store writes it.
    func digestion(of report: PendingReport) -> Digestion {
        Digestion(
            key: report.key,
            receivedBytes: report.gzip.count,
            fingerprint: fingerprint,
            title: title,
            culprit: culprit,
            gzip: additions,
            rules: Digester.rules,
            remarks: DigestRemarks(warnings: warnings, grouping: explanation, notes: notes),
            tags: tags
        )
    }
}
