public import Testing

/// How long tests wait for what has no reason to be late. Only so that what hangs fails: a machine may be slow, and busy.
public enum Patience {
    /// For the end of a child, an answer, or a condition.
    public static let wait = Duration.seconds(900)
    /// For the end of a server, which lives for as long as its tests, whose turn may come late.
    public static let server = Duration.seconds(7_200)
    /// The longest deadline that `MAYDAY_DELIVERY_DEADLINE` takes, for what is delivered at a crash.
    public static let delivery = "60"
}

extension Trait where Self == TimeLimitTrait {
    /// For suites whose tests would hang if what they test did.
    public static var patience: Self { .timeLimit(.minutes(60)) }
}

/// Waits for a condition that nothing tells of; false when it did not come true.
public func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + Patience.wait
    while try await !condition() {
        guard .now < end else { return false }
        // Others need the processor for what is waited for.
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}
