#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Makes `count` threads, one after another and then so that all live at once, and prints what each took
/// of the processor.
public func printThreadTimes(_ count: Int) {
    // The first round fills caches.
    _ = nanosecondsInTurn(count)
    let inTurn = nanosecondsInTurn(count)
    let alive = Alive(count)
    print("in_turn_ns=\(inTurn) alive_ns=\(alive.nanoseconds) size_kb=\(alive.size) anonymous_kb=\(alive.anonymous)")
}

/// Made and joined, each before the next.
private func nanosecondsInTurn(_ count: Int) -> Int {
    let start = processorNanoseconds()
    for _ in 0..<count { join(makeThread({ _ in nil }, nil)) }
    return (processorNanoseconds() - start) / count
}

/// Threads that live at the same time.
private struct Alive {
    /// Processor time from the first `pthread_create` until all run, for each.
    var nanoseconds: Int
    /// Address space and anonymous memory that came with each, in kB.
    var size: Double
    var anonymous: Double

    init(_ count: Int) {
        let gate = Gate()
        let before = (size: kilobytes("VmSize:"), anonymous: kilobytes("RssAnon:"))
        let start = processorNanoseconds()
        let threads = (0..<count).map { _ in
            makeThread(
                { gate in
                    gate.map { Unmanaged<Gate>.fromOpaque($0).takeUnretainedValue().pass() }
                    return nil
                },
                Unmanaged.passUnretained(gate).toOpaque()
            )
        }
        gate.waitForArrivals(count)
        nanoseconds = (processorNanoseconds() - start) / count
        size = Double(kilobytes("VmSize:") - before.size) / Double(count)
        anonymous = Double(kilobytes("RssAnon:") - before.anonymous) / Double(count)
        gate.open()
        threads.forEach(join)
    }
}

/// Holds threads until it is opened, and counts those that came.
private final class Gate: @unchecked Sendable {
    // Two pipes, whose ends never change: what the threads do with them are system calls.
    private let arrivals: (read: Int32, write: Int32)
    private let opening: (read: Int32, write: Int32)

    init() { (arrivals, opening) = (makePipe(), makePipe()) }

    func pass() {
        var byte: UInt8 = 1
        guard write(arrivals.write, &byte, 1) == 1 else { fail("write") }
        // The end of the file comes when the gate is opened.
        _ = read(opening.read, &byte, 1)
    }

    func waitForArrivals(_ count: Int) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var left = count
        while left > 0 {
            let got = read(arrivals.read, &bytes, bytes.count)
            guard got > 0 else { fail("read") }
            left -= got
        }
    }

    func open() { close(opening.write) }
}

private func makePipe() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { fail("pipe") }
    return (ends[0], ends[1])
}

private func makeThread(
    _ body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
) -> pthread_t {
    var thread = pthread_t()
    guard pthread_create(&thread, nil, body, argument) == 0 else { fail("pthread_create") }
    return thread
}

private func join(_ thread: pthread_t) {
    guard pthread_join(thread, nil) == 0 else { fail("pthread_join") }
}

/// Processor time of all threads of the process so far: unlike the clock's, it says little of what else the machine does.
private func processorNanoseconds() -> Int {
    var time = timespec()
    guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { fail("clock_gettime") }
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// A field of the kernel's that begins with its name.
private func kilobytes(_ name: String) -> Int {
    guard let file = fopen("/proc/self/status", "r") else { fail("/proc/self/status") }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
        let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split {
            $0 == " " || $0 == "\t"
        }
        if words.first == name[...], words.count > 1, let value = Int(words[1]) { return value }
    }
    fail("no \(name) in /proc/self/status")
}

private func fail(_ what: String) -> Never {
    perror(what)
    exit(2)
}
