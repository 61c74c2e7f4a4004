public import CrashReport
import CrashReportText

/// Where text goes and when it is read.
public struct TextLayout: Sendable, Equatable {
    /// Columns of the terminal.
    public var width: Int
    /// True for escape sequences that colour a terminal.
    public var color: Bool
    /// True where lines that are too long are cut: not in a pipe, where somebody looks for what they say.
    public var cuts: Bool
    /// What "ago" is counted from.
    public var now: Timestamp

    /// Lines are padded to their width, and `COLUMNS` may be anything.
    private static let widest = 1_000

    /// A layout; 80 columns are assumed when nothing is known, and at least 60 are used: in less there is no table.
    public init(width: Int = 80, color: Bool = false, cuts: Bool = true, now: Timestamp) {
        self.width = min(max(60, width), Self.widest)
        self.color = color
        self.cuts = cuts
        self.now = now
    }

    /// `12 s ago`, `5 min ago`, `3 h ago`, `2 d ago`; the date when it is longer ago than 30 days.
    func ago(_ time: Timestamp) -> String {
        let seconds = (now.microseconds - time.microseconds) / 1_000_000
        switch seconds {
        case ..<1: return "now"
        case ..<60: return "\(seconds) s ago"
        case ..<3_600: return "\(seconds / 60) min ago"
        case ..<86_400: return "\(seconds / 3_600) h ago"
        case ..<2_592_000: return "\(seconds / 86_400) d ago"
        default: return String(time.description.prefix(10))
        }
    }

    /// `2026-11-30 08:17:53 UTC (5 min ago)`, without the latter when it is long ago.
    func moment(_ time: Timestamp) -> String {
        let text = time.description
        let ago = ago(time)
        let distance = text.hasPrefix(ago) ? "" : " (\(ago))"
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC\(distance)"
    }

    func rendered(_ lines: [StyledLine]) -> [String] { lines.map { $0.rendered(color: color) } }
}
