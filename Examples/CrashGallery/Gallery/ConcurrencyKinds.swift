import Dispatch

/// Rules of tasks, actors and queues.
let concurrencyKinds: [CrashKind] = [
    CrashKind(
        "continuation-resumed-twice",
        trap,
        .both("tried to resume its continuation more than once"),
        in: "closure #1 in answerTwice(_:)",
        on: [.task],
        body: .suspending { await _ = answerTwice($0) }
    ),
    CrashKind(
        "after-suspension",
        trap,
        .both("Index out of range"),
        in: "last(of:)",
        on: [.task],
        body: .suspending { _ = await summary($0) }
    ),
    CrashKind(
        "awaited",
        trap,
        .both("Index out of range"),
        in: "stow(_:)",
        on: [.task],
        awaitedBy: ["route(_:)", "Courier.carry(_:)", "deliver(_:)"],
        body: .suspending { _ = await deliver($0) }
    ),
    CrashKind(
        "with-stack-arguments",
        trap,
        .both("Index out of range"),
        in: "restock(_:)",
        on: [.task],
        awaitedBy: ["refill(_:)"],
        body: .suspending { _ = await refill($0) }
    ),
    CrashKind(
        "main-actor-assumed",
        trap,
        .none,
        in: "refreshDashboard(_:)",
        on: [.thread, .dispatch, .task]
    ) {
        refreshDashboard($0)
    },
    CrashKind("dispatch-precondition", trap, .none, in: "book(_:)") {
        book($0)
    },
    CrashKind("dispatch-sync-on-own-queue", trap, .none, in: "closure #1 in transfer(_:)") {
        transfer($0)
    },
]

@inline(never)
func answerTwice(_ answer: Int) async -> Int {
    await withCheckedContinuation { continuation in
        continuation.resume(returning: answer)
        continuation.resume(returning: answer + 1)  // crash: continuation-resumed-twice
    }
}

@inline(never)
func refill(_ count: Int) async -> Int {
    await restock(count) + 1
}

/// Room for the arguments that go on the stack is made before the frame.
@inline(never)
func restock(_ count: Int) async -> Int {
    let shelves = [1, 2, 3]
    if count > 1000 { return await shelve(count, shelves, 1, 2, 3, 4, 5, 6) + 1 }
    return shelves[count + 1]  // crash: with-stack-arguments
}

@inline(never)
func shelve(_ count: Int, _ on: [Int], _ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int, _ f: Int) async -> Int {
    await Task.yield()
    return on.count + count + a + b + c + d + e + f
}

@inline(never)
func summary(_ count: Int) async -> Int {
    let entries = await entries(count)
    return last(of: entries) + 1
}

@inline(never)
func entries(_ count: Int) async -> [Int] {
    await Task.yield()
    return Array(repeating: 1, count: count)
}

@inline(never)
func last(of entries: [Int]) -> Int {
    entries[entries.count]  // crash: after-suspension
}

@inline(never)
func deliver(_ count: Int) async -> Int {
    await Courier().carry(count) + 1
}

actor Courier {
    var carried = 0

    @inline(never)
    func carry(_ count: Int) async -> Int {
        carried += await route(count)
        return carried
    }
}

@inline(never)
func route(_ count: Int) async -> Int {
    await stow(count) * 2
}

@inline(never)
func stow(_ count: Int) async -> Int {
    let entries = await entries(count)
    return entries[count]  // crash: awaited
}

@MainActor var refreshes = 0

@inline(never)
func refreshDashboard(_ count: Int) {
    MainActor.assumeIsolated {  // crash: main-actor-assumed
        refreshes += count
    }
}

let ledgerQueue = DispatchQueue(label: "ledger")

@inline(never)
func book(_ amount: Int) {
    dispatchPrecondition(condition: .onQueue(ledgerQueue))  // crash: dispatch-precondition
}

@inline(never)
func transfer(_ amount: Int) {
    ledgerQueue.sync {
        ledgerQueue.sync { ledger += amount }  // crash: dispatch-sync-on-own-queue
    }
}

nonisolated(unsafe) var ledger = 0
