/// Rules of objects and memory that Swift checks at run time, or cannot.
let objectKinds: [CrashKind] = [
    CrashKind("force-cast", "SIGABRT", .both("Could not cast value of type"), in: "quantity(_:)") {
        _ = quantity($0 < 1000 ? "\($0)" : $0)
    },
    CrashKind("unowned", "SIGABRT", .both("Attempted to read an unowned reference"), in: "holder(of:)") {
        _ = holder(of: card($0))
    },
    CrashKind("exclusivity", "SIGABRT", .both("Fatal access conflict detected"), in: "Till.peek()") {
        count(Till($0))
    },
    CrashKind("wild-swift-pointer", "SIGSEGV", .none, in: "stamp(_:)") {
        stamp(UInt($0) * 8)
    },
    CrashKind("stack-overflow", "SIGSEGV", .none, in: "depth(of:)", mayHaveNoLine: true) {
        _ = depth(of: ring($0))
    },
]

class Vehicle {
    let wheels: Int
    init(wheels: Int) { self.wheels = wheels }
}

@inline(never)
func vehicle(_ wheels: Int) -> Vehicle {
    Vehicle(wheels: wheels)
}

@inline(never)
func quantity(_ field: Any) -> Int {
    // swift-format-ignore: NeverForceUnwrap
    field as! Int  // crash: force-cast
}

final class Card {
    unowned let owner: Vehicle
    init(owner: Vehicle) { self.owner = owner }
}

@inline(never)
func card(_ count: Int) -> Card {
    Card(owner: vehicle(count))
}

@inline(never)
func holder(of card: Card) -> Int {
    card.owner.wheels  // crash: unowned
}

final class Till {
    var total: Int
    init(_ total: Int) { self.total = total }

    @inline(never)
    func change(_ change: (inout Int) -> Void) {
        change(&total)  // crash: exclusivity, previous access
    }

    @inline(never)
    func peek() -> Int {
        total + 1  // crash: exclusivity
    }
}

@inline(never)
func count(_ till: Till) {
    till.change { total in total += till.peek() }
}

@inline(never)
func stamp(_ address: UInt) {
    UnsafeMutablePointer<Int>(bitPattern: address)?.pointee = 7  // crash: wild-swift-pointer
}

final class Box {
    var inside: Box?
    let label: Int
    init(label: Int) { self.label = label }
}

/// A box that, after a few others, contains itself.
@inline(never)
func ring(_ label: Int) -> Box {
    let outer = Box(label: label)
    let inner = Box(label: label + 1)
    outer.inside = inner
    inner.inside = outer
    return outer
}

@inline(never)
func depth(of box: Box) -> Int {  // crash: stack-overflow
    guard let inside = box.inside else { return box.label }  // crash: stack-overflow
    return depth(of: inside) + box.label  // crash: stack-overflow
}
