public import CrashReport

/// What reports have in common that are meant; an issue is meant when one of its reports is.
public struct ReportFilter: Sendable, Equatable {
    /// A tag that the service set.
    public struct Tag: Sendable, Equatable {
        /// `region`.
        public var name: String
        /// `eu-1`.
        public var value: String

        /// A tag by its parts.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// `checkout@1.4.2`, whole.
    public var release: String?
    /// `production`.
    public var environment: String?
    /// `crash`, `error` or `message`.
    public var kind: String?
    /// `SIGSEGV`.
    public var signal: String?
    /// Host name.
    public var host: String?
    /// A tag that it has.
    public var tag: Tag?
    /// In its headline or its culprit, whatever the case of ASCII letters.
    public var text: String?
    /// Not before.
    public var since: Timestamp?
    /// Not after.
    public var until: Timestamp?

    /// All reports.
    public init() {}

    /// Tags as a column holds them: each between characters that no tag has.
    static func column(_ tags: [String: String]) -> String? {
        guard !tags.isEmpty else { return nil }
        return tags.sorted { $0.key < $1.key }.map { Tag(name: $0.key, value: $0.value).column }.joined()
    }

    /// The tags of a column.
    static func tags(ofColumn text: String) -> [String: String] {
        let pairs = text.split(separator: "\u{1e}").map {
            $0.split(separator: "\u{1f}", maxSplits: 1, omittingEmptySubsequences: false)
        }
        return Dictionary(pairs.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) }) { first, _ in first }
    }
}

extension ReportFilter.Tag {
    /// Between separators, so that no tag is found inside another one. Those of a tag's own are taken out.
    var column: String { Self.start(name) + Self.plain(value) + Self.end }

    /// What stands before the value.
    static func start(_ name: String) -> String { "\(end)\(plain(name))\u{1f}" }

    /// What stands behind it.
    static var end: String { "\u{1e}" }

    private static func plain(_ text: String) -> String {
        String(text.filter { $0 != "\u{1e}" && $0 != "\u{1f}" && $0 != "\0" })
    }
}

/// In which order issues are listed; the greatest first.
public enum IssueOrder: String, Sendable, CaseIterable {
    /// By the last report.
    case last
    /// By the first report: the newest issues.
    case first
    /// By the number of reports.
    case count
    /// By the number of hosts.
    case hosts
}
