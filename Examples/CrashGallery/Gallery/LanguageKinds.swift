/// Checks of the language and of the standard library that fail.
let languageKinds: [CrashKind] = [
    CrashKind("fatal-error", trap, .both("no warehouse has item 2"), in: "warehouse(of:)") {
        _ = warehouse(of: $0)
    },
    CrashKind(
        "precondition",
        trap,
        .debug("a batch is at most 1 parcel", release: "precondition failure"),
        in: "batch(_:)"
    ) {
        batch($0)
    },
    CrashKind(
        "precondition-failure",
        trap,
        .debug("no rate for zone 2", release: "precondition failure"),
        in: "rate(zone:)"
    ) {
        _ = rate(zone: $0)
    },
    CrashKind("assertion", trap, .debug("weights are positive", release: nil), in: "weigh(_:)", inRelease: false) {
        weigh(-$0)
    },
    CrashKind(
        "index-out-of-range",
        trap,
        .both("Index out of range"),
        in: "shelf(_:at:)"
    ) {
        _ = shelf(["screws", "nails"], at: $0 + 3)
    },
    CrashKind(
        "force-unwrap",
        trap,
        .both("Unexpectedly found nil while unwrapping an Optional value"),
        in: "price(of:in:)"
    ) {
        _ = price(of: "item \($0)", in: ["screws": 3])
    },
    CrashKind("try", trap, .both("'try!' expression unexpectedly raised an error"), in: "mustOpen(_:)") {
        mustOpen($0)
    },
    CrashKind("integer-overflow", trap, .both("arithmetic overflow"), in: "cents(of:)") {
        _ = cents(of: .max / ($0 + 1))
    },
    CrashKind("divide-by-zero", trap, .both("Division by zero"), in: "perHead(_:of:)") {
        _ = perHead($0 - $0, of: 12)
    },
    CrashKind("narrowing", trap, .both("Not enough bits to represent the passed value"), in: "port(_:)") {
        _ = port(70_000 + $0)
    },
    CrashKind(
        "uncaught-error",
        trap,
        .both("Error raised at top level"),
        in: "main",
        on: [.main],
        mayHaveNoLine: true,
        body: .topLevel
    ),
]

@inline(never)
func warehouse(of item: Int) -> String {
    if item < 1000 {
        fatalError("no warehouse has item \(item)")  // crash: fatal-error
    }
    return "north"
}

@inline(never)
func batch(_ parcels: Int) {
    precondition(parcels <= 1, "a batch is at most 1 parcel")  // crash: precondition
}

@inline(never)
func rate(zone: Int) -> Int {
    switch zone {
    case 1001: return 5
    case 1002: return 9
    default: preconditionFailure("no rate for zone \(zone)")  // crash: precondition-failure
    }
}

@inline(never)
func weigh(_ grams: Int) {
    assert(grams > 0, "weights are positive")  // crash: assertion
}

@inline(never)
func shelf(_ names: [String], at index: Int) -> String {
    names[index]  // crash: index-out-of-range
}

@inline(never)
func price(of name: String, in prices: [String: Int]) -> Int {
    // swift-format-ignore: NeverForceUnwrap
    prices[name]!  // crash: force-unwrap
}

/// Why a door does not open.
enum Refusal: Error {
    case locked(Int)
}

@inline(never)
func open(_ door: Int) throws(Refusal) {
    if door < 1000 { throw .locked(door) }
}

@inline(never)
func mustOpen(_ door: Int) {
    // swift-format-ignore: NeverUseForceTry
    try! open(door)  // crash: try
}

@inline(never)
func cents(of euros: Int) -> Int {
    euros * 100  // crash: integer-overflow
}

@inline(never)
func perHead(_ heads: Int, of total: Int) -> Int {
    total / heads  // crash: divide-by-zero
}

@inline(never)
func port(_ number: Int) -> UInt16 {
    UInt16(number)  // crash: narrowing
}
