import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Stage {
    /// Runs `kind` here. Returns on the main stage only; elsewhere the caller waits for the end of the process.
    func run(_ kind: CrashKind, _ count: Int) {
        switch (kind.body, self) {
        case (.topLevel, _):
            return
        case (.suspending(let body), _):
            Task.detached(name: kind.name) {
                await body(count)
                survive(kind)
            }
        case (.plain(let body), .main):
            body(count)
            return
        case (.plain(let body), .thread):
            startThread {
                body(count)
                survive(kind)
            }
        case (.plain(let body), .dispatch):
            DispatchQueue.global().async {
                body(count)
                survive(kind)
            }
        case (.plain(let body), .task):
            Task.detached(name: kind.name) {
                body(count)
                survive(kind)
            }
        }
        while true { pause() }
    }
}

/// Says that nothing crashed, and ends the process.
@Sendable
func survive(_ kind: CrashKind) {
    print("\(kind.name) did not crash")
    exit(3)
}

private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(body: @escaping @Sendable () -> Void) { self.body = body }
}

/// Runs `body` on a thread of its own.
private func startThread(_ body: @escaping @Sendable () -> Void) {
    let work = Unmanaged.passRetained(Work(body: body)).toOpaque()
    #if canImport(Glibc)
        var thread = pthread_t()
        let made = pthread_create(&thread, nil, { runWork($0) }, work)
    #else
        var thread: pthread_t?
        let made = pthread_create(&thread, nil, { runWork($0) }, work)
    #endif
    guard made == 0 else {
        print("pthread_create: \(String(cString: strerror(made)))")
        exit(3)
    }
}

private func runWork(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let pointer else { return nil }
    Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
    return nil
}
