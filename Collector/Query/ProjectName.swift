import Store

/// A project as everybody may know it who reads.
public struct ProjectName: Sendable, Equatable {
    /// From 1.
    public var id: Int
    /// Unique name.
    public var name: String

    /// A project by its parts.
    public init(id: Int, name: String) {
        self.id = id
        self.name = name
    }
}

extension [ProjectName] {
    /// `17`, or `2/17` as soon as the store has a second project, whatever else is printed beside it.
    func text(_ issue: IssueKey) -> String { count > 1 ? "\(issue.project)/\(issue.number)" : "\(issue.number)" }

    /// Its name, or its id where that is all that is known.
    func name(of project: Int) -> String { first { $0.id == project }?.name ?? "\(project)" }
}
