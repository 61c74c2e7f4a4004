public import CrashReport
public import Symbolication

/// Makes an issue's facts of a report: symbols, headline, culprit and the key it is grouped by.
///
/// Holds a symbolicator, so it is not `Sendable` either: one digester belongs to one thread, queue or actor.
public final class Digester {
    private let symbolicator: Symbolicator
    private let names = NameCache()

    /// A digester that finds functions with `symbolicator`.
    public init(symbolicator: Symbolicator = Symbolicator()) { self.symbolicator = symbolicator }

    /// Number of the rules that group; keys that others made are none of these.
    public static var rules: Int { Fingerprint.version }

    /// Symbolicates and groups one report.
    public func digest(_ report: Report) -> DigestedReport {
        let symbolicated = symbolicator.symbolicate(report)
        var digested = group(symbolicated.report)
        digested.notes = symbolicated.notes
        return digested
    }

    /// Groups a report that has its functions already.
    public func group(_ report: Report) -> DigestedReport {
        let calls = Call.calls(in: report, names: names)
        let headline = Headline(of: report, calls: calls)
        let fingerprint = Fingerprint(of: report, kind: headline.kind, calls: calls)
        return DigestedReport(
            report: report,
            fingerprint: fingerprint.key,
            explanation: fingerprint.explanation,
            title: headline.title,
            culprit: headline.culprit
        )
    }
}

/// What the collector knows of a report once it was symbolicated and grouped.
public struct DigestedReport: Sendable, Equatable {
    /// The report with symbols on its frames and, where the trap had no text, the message from debug information.
    public var report: Report
    /// Key of the issue: equal for the same bug in another process, on another host, in another release.
    public var fingerprint: String
    /// What the fingerprint was made of, a line each.
    public var explanation: [String]
    /// Headline: the message, else the signal.
    public var title: String
    /// Innermost function of the service's own code, with its place: `checkout(_:) (Cart.swift:41)`.
    public var culprit: String?
    /// Images whose functions or lines are not all known, and why.
    public var notes: [ImageNote]

    /// A digested report by its parts.
    public init(
        report: Report,
        fingerprint: String,
        explanation: [String] = [],
        title: String,
        culprit: String? = nil,
        notes: [ImageNote] = []
    ) {
        self.report = report
        self.fingerprint = fingerprint
        self.explanation = explanation
        self.title = title
        self.culprit = culprit
        self.notes = notes
    }
}
