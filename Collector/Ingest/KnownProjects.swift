import Store
import Synchronization

/// What was read of projects a moment ago, so that a flood of reports does not read the same row for each.
///
/// Other nodes and commands change projects too. So what is known here is good for letting in alone: whoever it does not let in is
/// judged by what the store says, and the transaction that keeps a report asks for the key again. A key that was replaced
/// is refused from then on, and one that is new is taken; a limit that was lowered may be late by `maximumAge`.
final class KnownProjects: Sendable {
    /// How long a row is believed.
    static let maximumAge = Duration.seconds(1)

    private let store: any Store
    private let projects = Mutex<[Int: (project: Project, read: ContinuousClock.Instant)]>([:])

    init(store: any Store) { self.store = store }

    /// A project as it was less than `maximumAge` ago; nil when it was not read since.
    func known(_ id: Int, at now: ContinuousClock.Instant = .now) -> Project? {
        guard let known = projects.withLock({ $0[id] }), known.read.duration(to: now) < Self.maximumAge else {
            return nil
        }
        return known.project
    }

    /// A project as it is; nil when there is none of this id. Only those that are there are remembered.
    func read(_ id: Int) throws(StoreError) -> Project? {
        // Taken before: what is read may change while it is on its way.
        let now = ContinuousClock.now
        let project = try store.project(id)
        projects.withLock { $0[id] = project.map { ($0, now) } }
        return project
    }
}
