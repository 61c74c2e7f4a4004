/// Mayday as one of the services of a group: what waits in the spool is delivered before the process ends.
///
/// `run` is what the `Service` protocol of swift-service-lifecycle asks for. Mayday does not depend on that package, so
/// the conformance is written where both are imported:
///
///     extension MaydayService: @retroactive Service {}
///     ServiceGroup(services: [mayday, server], cancellationSignals: [.sigterm], logger: logger)
///
/// With graceful shutdown, call `run` in `cancelWhenGracefulShutdown`. Stand first in the list: services are stopped in the
/// reverse order, so what the others report while they stop is delivered too.
public struct MaydayService: Sendable {
    private let flushTimeout: Duration

    /// - Parameter flushTimeout: how long the delivery may hold up the end.
    public init(flushTimeout: Duration = .seconds(5)) { self.flushTimeout = flushTimeout }

    /// Waits, without a timer or a thread, until its task is cancelled; then delivers what waits, and returns. Throws nothing.
    public func run() async throws {
        let (cancelled, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in cancelled {}
        continuation.finish()
        // Not cancelled itself: the upload runs in tasks of its own.
        await Mayday.shutdown(timeout: flushTimeout)
    }
}
