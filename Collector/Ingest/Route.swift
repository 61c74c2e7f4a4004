public import CrashReport

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
        case 2 where parts[0] == "api" && Self.lists.union(["projects"]).contains(parts[1]):
            self = .read(ReadRequest(path: [String(parts[1])]))
        case 4 where parts[0] == "api" && parts[2] == "symbols":
            guard let project = Self.number(parts[1]) else { return nil }
            self = .symbols(project: project, buildID: String(parts[3]))
        case 3...5 where parts[0] == "api":
            guard let project = Self.number(parts[1]), Self.lists.contains(parts[2]) else { return nil }
            let isUpload = parts.count == 3 && parts[2] == "reports"
            self = isUpload ? .reports(project: project) : .read(ReadRequest(path: parts.dropFirst().map(String.init)))
        default: return nil
        }
    }

    /// What can be read of one project, or of all.
    private static let lists: Set<Substring> = ["issues", "reports", "statistics"]

    /// Methods that it takes.
    var methods: [String] {
        switch self {
        case .reports: ["POST"]
        case .symbols: ["GET", "PUT"]
        case .read(let request) where request.isChange: ["POST"]
        default: ["GET", "HEAD"]
        }
    }

    /// Decimal digits only: no sign, no spaces.
    private static func number(_ text: Substring) -> Int? {
        text.allSatisfy { ("0"..."9").contains($0) } ? Int(text) : nil
    }
}

/// What the holder of a token asks for, or decides.
public struct ReadRequest: Sendable, Equatable {
    /// What stands behind `/api`: `["1", "issues", "3"]`.
    public var path: [String]
    /// Parameters, percent-decoded.
    public var query: [String: String] = [:]

    /// True for what changes something.
    public var isChange: Bool { path.last == "status" }

    /// Has it ask for one project where it asks for all.
    ///
    /// - Returns: why it may not be answered, when it asks for another.
    mutating func confine(to project: Int) -> String? {
        let named = path.first.flatMap { Int($0) }
        if named == nil { path.insert("\(project)", at: 0) }
        let isOther = (named ?? project) != project || query["project"].map { $0 != "\(project)" } ?? false
        return isOther ? "this token reads project \(project) only" : nil
    }
}

/// What such a request is answered.
public enum ReadAnswer: Sendable {
    /// 200 with JSON.
    case json(JSONValue)
    /// 200 with a report file.
    case file([UInt8])
    /// 404: what is not there.
    case missing(String)
    /// 400: which parameter is wrong, and what it takes.
    case wrong(String)
}
