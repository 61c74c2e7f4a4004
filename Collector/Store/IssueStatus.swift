public import CrashReport

/// What is to be done about an issue.
public enum IssueStatus: Sendable, Equatable {
    /// It waits for somebody.
    case open
    /// It was resolved, and happened again: in a release, if the report had one.
    case regressed(in: String?)
    /// It is fixed: in a release and those after it, or in all that it was not seen in yet.
    case resolved(in: String?)
    /// Nobody wants to hear of it: until a time, until it has so many reports, or for ever.
    case muted(until: Timestamp?, count: Int?)

    /// `open`, `regressed`, `resolved`, `muted`.
    public var name: String {
        switch self {
        case .open: "open"
        case .regressed: "regressed"
        case .resolved: "resolved"
        case .muted: "muted"
        }
    }

    /// All names, in the order in which a person should care.
    public static let names = ["regressed", "open", "muted", "resolved"]

    /// Names of what waits for somebody, new issues among them: `unresolved`.
    public static let unresolved = ["regressed", "open"]

    /// What a person may ask for.
    public static let choices = names + ["unresolved", "all"]

    /// The names that `open,muted`, `unresolved` or `all` means, each once, none standing for all; nil for other texts.
    public static func selection(_ text: String) -> [String]? {
        var found: [String] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            switch word {
            case "all": return text == "all" ? [] : nil
            case "unresolved": found += unresolved
            default:
                guard names.contains(String(word)) else { return nil }
                found.append(String(word))
            }
        }
        return names.filter(found.contains)
    }
}

/// What a person decides about an issue.
public enum IssueDecision: Sendable, Equatable {
    /// It is fixed, in a release or in the next one.
    case resolve(in: String?)
    /// No more of it, for ever, until a time, or until `more` further reports.
    case mute(until: Timestamp?, more: Int?)
    /// It is not fixed after all, or is of interest again.
    case reopen
    /// It is the same as the issue of this number of its project, and becomes part of that.
    case merge(into: Int)
}

/// What a report changed about its issue.
public enum IssueEvent: Sendable, Equatable {
    /// It is the first of it.
    case new
    /// The issue was resolved.
    case regressed
    /// The issue was muted, and its time or number is reached.
    case unmuted
}

/// A resolved issue, when another report of it comes.
struct Resolution {
    /// The release that was said to have the fix.
    var release: String?
    /// When that was said.
    var time: Timestamp
    /// Releases that the issue was seen in.
    var seenIn: [String]

    /// True when the report shows that it is not fixed. A release that is older than the fix, or was known to have the fault,
    /// shows nothing, whenever its report comes. Where releases cannot be compared, the time of the crash decides.
    ///
    /// - Parameter known: when each release of the project was seen first, with whatever; asked for only where it matters.
    func isRefuted(
        by reported: String?,
        at reportTime: Timestamp,
        known: () throws(StoreError) -> [String: Timestamp]
    ) throws(StoreError) -> Bool {
        let isLater = reportTime > time
        guard let reported else { return isLater }
        if let release {
            if reported == release { return true }
            if let isOlder = ReleaseVersion.precedes(reported, release) { return !isOlder }
            return isLater && !seenIn.contains(reported)
        }
        if seenIn.contains(reported) { return false }
        let comparable = seenIn.filter { ReleaseVersion.precedes(reported, $0) != nil }
        if comparable.isEmpty { return isLater }
        let above = comparable.filter { ReleaseVersion.precedes(reported, $0) == true }
        if above.isEmpty { return true }
        return isLater ? Self.isOutOfLine(above, reported, reportTime, try known()) : false
    }

    /// True for releases that are above another by version, but were there before it, such as a test build 999.0.0: they say nothing
    /// about what came first. One that is below all that the project had before is old, whenever it is heard of first.
    private static func isOutOfLine(
        _ above: [String],
        _ reported: String,
        _ reportTime: Timestamp,
        _ known: [String: Timestamp]
    ) -> Bool {
        let firstSeen = min(known[reported] ?? reportTime, reportTime)
        let others = known.keys.filter { $0 != reported }
        guard others.contains(where: { ReleaseVersion.precedes($0, reported) == true }) else { return false }
        return above.allSatisfy { known[$0].map { $0 < firstSeen } ?? false }
    }
}
