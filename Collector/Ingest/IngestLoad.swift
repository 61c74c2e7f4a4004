import Synchronization

/// How many reports are being read and written at this moment. What can wait gives way where they are many.
public final class IngestLoad: Sendable {
    private let reports = Atomic(0)

    /// From here on the processors do not keep up, and each further report waits for those before it.
    private static let high = 16

    /// Nothing is taken yet.
    public init() {}

    /// Reports that are neither refused nor answered yet. From any thread.
    public var count: Int { reports.load(ordering: .relaxed) }

    /// True while many come at once. From any thread.
    public var isHigh: Bool { count >= Self.high }

    /// Counts a report in, for as long as `body` runs.
    func counting<Value>(_ body: () -> Value) -> Value {
        reports.add(1, ordering: .relaxed)
        defer { reports.subtract(1, ordering: .relaxed) }
        return body()
    }
}
