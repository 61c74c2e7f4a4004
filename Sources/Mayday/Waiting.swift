#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

internal import Synchronization

/// Runs async work from a synchronous function that has nothing else to do, and blocks the thread until it is done.
///
/// - Returns: the result, or nil at the deadline; the work then goes on and its result is dropped.
func waitUntil<Result: Sendable>(
    _ deadline: ContinuousClock.Instant,
    _ work: @escaping @Sendable () async -> Result
) -> Result? {
    let box = Box<Result>()
    // The end of a pipe is something to wait for that has a timeout on every platform.
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    let read = FileDescriptor(owning: ends[0])
    let write = ends[1]
    Task.detached {
        let result = await work()
        box.value.withLock { $0 = result }
        close(write)
    }
    var poller = pollfd(fd: read.number, events: Int16(POLLIN), revents: 0)
    while true {
        let left = max(0, Int32((deadline - .now) / .milliseconds(1)))
        let ready = poll(&poller, 1, left)
        if ready < 0 && SystemError.last.code == EINTR { continue }
        return box.value.withLock { $0 }
    }
}

/// Waits for async work, but not beyond the timeout, whether or not the work can be cancelled.
///
/// - Returns: the result, or nil at the timeout; the work is then cancelled and its result is dropped.
package func firstResult<Result: Sendable>(
    within timeout: Duration,
    _ work: @escaping @Sendable () async -> Result
) async -> Result? {
    let result = Box<Result>()
    await wait(atMost: timeout) {
        let value = await work()
        result.value.withLock { $0 = value }
    }
    return result.value.withLock { $0 }
}

/// What waits is not generic: it would be compiled for each type of result.
private func wait(atMost timeout: Duration, for work: @escaping @Sendable () async -> Void) async {
    let continuation = Box<CheckedContinuation<Void, Never>>()
    @Sendable func finish() {
        let first = continuation.value.withLock { value in
            defer { value = nil }
            return value
        }
        first?.resume()
    }
    await withCheckedContinuation { waiting in
        continuation.value.withLock { $0 = waiting }
        let working = Task {
            await work()
            finish()
        }
        let timer = Task {
            // What sleeps is kept until its time even when it is cancelled: a thousand uploads a second would leave as many
            // behind for half a minute. So it sleeps in short steps, while somebody waits.
            let end = ContinuousClock.now.advanced(by: timeout)
            while end > .now {
                guard (try? await Task.sleep(for: min(end - .now, .seconds(1)))) != nil else { return }
            }
            finish()
            working.cancel()
        }
        Task {
            await working.value
            timer.cancel()
        }
    }
}

private final class Box<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
