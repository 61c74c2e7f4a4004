/// What a path names.
enum Route: Sendable, Equatable {
    case health
    case metrics
    case reports(project: Int)
    case read(ReadRequest)
    case symbols(project: Int, buildID: String)

    /// The route of a percent-decoded path, a slash at its end or not; nil when there is none.
    init?(path: String) {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.first == "" else { return nil }
        parts.removeFirst()
        if parts.count > 1, parts.last == "" { parts.removeLast() }
        switch parts.count {
        case 1 where parts[0] == "healthz": self = .health
        case 1 where parts[0] == "metrics": self = .metrics
        case 3...4 where parts[0] == "api":
            guard let project = Self.number(parts[1]) else { return nil }
            switch (parts[2], parts.count == 4 ? parts[3] : nil) {
            case ("reports", nil): self = .reports(project: project)
            case ("reports", let id?): self = .read(.report(project: project, id: String(id)))
            case ("symbols", let id?): self = .symbols(project: project, buildID: String(id))
            case ("issues", nil): self = .read(.issues(project: project, limit: ReadRequest.defaultLimit))
            case ("issues", let text?):
                guard let number = Self.number(text) else { return nil }
                self = .read(.issue(project: project, number: number))
            default: return nil
            }
        default: return nil
        }
    }

    /// Methods that it takes.
    var methods: [String] {
        switch self {
        case .reports: ["POST"]
        case .symbols: ["GET", "PUT"]
        default: ["GET", "HEAD"]
        }
    }

    /// Decimal digits only: no sign, no spaces.
    private static func number(_ text: Substring) -> Int? {
        text.allSatisfy { ("0"..."9").contains($0) } ? Int(text) : nil
    }
}

/// What a holder of the admin token may read.
public enum ReadRequest: Sendable, Equatable {
    /// Issues of a project, last seen first.
    case issues(project: Int, limit: Int)
    /// One issue with its releases and newest reports.
    case issue(project: Int, number: Int)
    /// One report with its symbols.
    case report(project: Int, id: String)

    static let defaultLimit = 100
    static let maximumLimit = 1_000
}
