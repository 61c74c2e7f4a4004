import CShop
import Foundation

/// Code with what makes symbolication hard: nesting, inlining, generics, closures, protocols, async.
protocol Priced {
    var price: Int { get }
}

struct Item: Priced, Codable, Hashable {
    var name: String
    var price: Int
}

enum Shop {
    struct Cart<Entry: Priced> {
        var entries: [Entry] = []

        @inline(__always)
        func total() -> Int { entries.reduce(0) { $0 + $1.price } }

        subscript(position: Int) -> Entry { entries[position] }

        func cheapest(below limit: Int) -> Entry? {
            func isCheap(_ entry: Entry) -> Bool {
                defer { Shop.visits += 1 }
                return entry.price < limit
            }
            return entries.filter { entry in isCheap(entry) }.min { $0.price < $1.price }
        }
    }

    enum Failure: Error {
        case empty(reason: String)

        var text: String {
            switch self {
            case .empty(let reason): "empty: \(reason)"
            }
        }
    }

    nonisolated(unsafe) static var visits = 0
}

final class Register: @unchecked Sendable {
    private var totals: [String: Int] = [:]
    lazy var name: String = { "register \(totals.count)" }()

    func add(_ cart: Shop.Cart<Item>, for customer: String) throws {
        guard !cart.entries.isEmpty else { throw Shop.Failure.empty(reason: customer) }
        totals[customer, default: 0] += cart.total()
    }

    func report() -> [String] {
        totals.sorted { $0.value > $1.value }.map { entry in "\(entry.key): \(entry.value)" }
    }
}

extension Array where Element == Item {
    func expensive() -> [String] { lazy.filter { $0.price > 10 }.map(\.name).sorted() }
}

actor Warehouse {
    private var stock: [Item: Int] = [:]

    func take(_ item: Item) async throws -> Int {
        await Task.yield()
        guard let left = stock[item], left > 0 else { throw Shop.Failure.empty(reason: item.name) }
        stock[item] = left - 1
        return left - 1
    }

    func fill(_ items: [Item]) async -> Int {
        for item in items { stock[item, default: 0] += 1 }
        return await withTaskGroup(of: Int.self) { group in
            for item in items {
                group.addTask { [self] in (try? await take(item)) ?? 0 }
            }
            var sum = 0
            for await left in group { sum += left }
            return sum
        }
    }
}

@inline(never)
func checksums(_ items: [Item]) -> [Int32] {
    var sums: [Int32] = []
    for item in items {
        let name = Array(item.name.utf8CString)
        sums.append(name.withUnsafeBufferPointer { shop_checksum($0.baseAddress, Int32($0.count)) })
    }
    withUnsafeMutablePointer(to: &sums) { pointer in
        shop_each(
            Int32(items.count),
            { index, context in
                context?.assumingMemoryBound(to: [Int32].self).pointee[Int(index)] &+= 1
            },
            pointer
        )
    }
    return sums
}

@inline(never)
func cents(of euros: Int) -> Int { euros * 100 }

final class Till {
    var total = 0
    var limit = 0

    @inline(never)
    func change(_ change: (inout Int) -> Void) { change(&total) }
}

/// The accesses in the closure are checked at run time, by calls that the compiler gives no line.
@inline(never)
func nested(_ till: Till) -> Int {
    till.change { total in
        total += till.total
        till.limit += total
    }
    return till.limit
}
