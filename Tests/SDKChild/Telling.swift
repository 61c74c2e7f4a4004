import Glibc
import Mayday
import Synchronization

/// Says what it does, and crashes.
enum Telling {
    static func run(_ scene: String) async {
        switch scene {
        case "process":
            Mayday.setTag("region", "eu-1")
            Mayday.setTag("canary", "yes")
            Mayday.setTag("canary", nil)
            Mayday.setUser(["id": "u-9", "plan": "old"])
            Mayday.setUser(["id": "u-7"])
            Mayday.setContext("queue", ["depth": 3])
            Mayday.setContext("cart", ["items": 3, "sku": "tea", "gift": .values(["to": "Ada", "wrapped": true])])
            Mayday.setContext("gone", "soon")
            Mayday.setContext("gone", nil)
            Mayday.setContext("note", String(repeating: "é\"", count: 400))
            for index in 0..<200 { Mayday.breadcrumb("step \(index)") }
            Mayday.breadcrumb("cart loaded", category: "cart", level: .warning, data: ["items": 3, "sku": "tea"])
            Mayday.breadcrumb(String(repeating: "é", count: 200), data: ["all": String(repeating: "x", count: 300)])
            fatalError("told")
        case "secret":
            Mayday.setTag("api_key", "k-1")
            fatalError("refused with token=abc")
        case "task":
            await Mayday.withContext(["tenant": "t-1", "attempt": 1], request: ["path": "/cart", "id": "r-1"]) {
                await Mayday.withContext(["attempt": 2]) { await Task { await child() }.value }
            }
        case "group":
            await Mayday.withContext(request: ["id": "r-2"]) {
                await withTaskGroup { group in group.addTask { await child() } }
            }
        case "synchronous":
            Mayday.withContext(["job": "nightly"]) { fatalError("told") }
        case "left":
            await Mayday.withContext(["tenant": "t-1"]) { await Task.yield() }
            fatalError("told")
        case "full":
            let all = (0..<1100).map { index in
                Task.detached { await Mayday.withContext(["n": index]) { await gate() } }
            }
            while waiting.load(ordering: .relaxed) < all.count { await Task.yield() }
            Mayday.withContext(["n": "too many"]) { fatalError("told") }
        case "storm":
            for writer in 0..<6 { Thread.start { storm(writer) } }
            while stormed.load(ordering: .relaxed) < 60_000 { sched_yield() }
            fatalError("told")
        case "fork", "fork-both":
            Mayday.setTag("region", "eu-1")
            Mayday.breadcrumb("before")
            let child = forkNow()
            if child == 0 {
                Mayday.setTag("forked", "yes")
                Mayday.breadcrumb("after")
                fatalError("told")
            }
            var status: Int32 = 0
            waitpid(child, &status, 0)
            print("child ended by \(status & 0x7f)")
            if scene == "fork-both" {
                fflush(nil)
                abort()
            }
        case "large":
            // Nothing that a compressor could make small.
            var random = SystemRandomNumberGenerator()
            func noise(_ count: Int) -> String {
                let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;!?#*+~^|")
                return String((0..<count).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] })
            }
            for index in 0..<96 { Mayday.setContext("value-\(index)", noise(390)) }
            for _ in 0..<128 { Mayday.breadcrumb(noise(230), data: ["more": noise(150)]) }
            for _ in 0..<600 {
                let name = noise(15)
                Thread.start {
                    let file = open("/proc/thread-self/comm", O_WRONLY)
                    _ = write(file, name, name.utf8.count)
                    close(file)
                    while true { pause() }
                }
            }
            fatalError("told")
        case "bounds":
            for index in 0..<200 { Mayday.setTag("tag-\(index)", "\(index)") }
            Mayday.setTag(String(repeating: "n", count: 65), "long")
            Mayday.setTag("", "empty")
            fatalError("told")
        default:
            print("unknown: \(scene)")
            exit(64)
        }
    }

    @inline(never) private static func child() async {
        await Task.yield()
        fatalError("told")
    }

    private static let waiting = Atomic<Int>(0)

    private static func gate() async {
        waiting.add(1, ordering: .relaxed)
        while true { try? await Task.sleep(for: .seconds(3600)) }
    }

    private static let stormed = Atomic<Int>(0)

    /// Values whose halves belong together, so that a torn one shows.
    private static func storm(_ writer: Int) {
        var count = 0
        while true {
            let half = String(repeating: Character(Unicode.Scalar(UInt8(97 + count % 26))), count: 40)
            Mayday.breadcrumb("\(half)|\(half)", category: "w\(writer)", data: ["half": half])
            Mayday.setTag("torn-\(writer)", "\(half)|\(half)")
            count += 1
            stormed.add(1, ordering: .relaxed)
        }
    }
}

/// `fork` is not offered to Swift, as what runs in the child may need a lock that another thread held; this child has one thread.
@_silgen_name("fork") private func forkNow() -> Int32

private enum Thread {
    static func start(_ body: @escaping @Sendable () -> Void) {
        final class Box: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        var thread = pthread_t()
        pthread_create(
            &thread,
            nil,
            { box in
                box.map { Unmanaged<Box>.fromOpaque($0).takeRetainedValue().body() }
                return nil
            },
            Unmanaged.passRetained(Box(body)).toOpaque()
        )
    }
}
