public import CrashReport

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
}
