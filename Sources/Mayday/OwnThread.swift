internal import CCurl

/// Runs what blocks on a thread of its own, which ends with it, and waits without holding a thread of Swift's pool.
///
/// - Returns: the result, or why no thread could be started.
package func onOwnThread<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
) async -> Result<Value, SystemError> {
    await withCheckedContinuation { continuation in
        let work = Unmanaged.passRetained(Work { continuation.resume(returning: .success(body())) })
        let code = mayday_run_on_own_thread(
            { context in
                guard let context else { return }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
            },
            work.toOpaque()
        )
        if code != 0 {
            work.release()
            continuation.resume(returning: .failure(SystemError(code: code)))
        }
    }
}

private final class Work: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
