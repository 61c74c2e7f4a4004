/// Address ranges with a value each, answering which range holds an address.
///
/// Ranges may nest or overlap (aliases, nested functions, hostile files): the one that starts last wins, and of those that start
/// together the first added. A lookup looks at a bounded number of ranges, so overlapping ones cannot make it slow.
struct RangeTable {
    private struct Entry {
        var low: UInt64
        var high: UInt64
        /// Highest `high` of this entry and all before it: where walking back may stop.
        var reach: UInt64
        var value: Int32
    }

    private var entries: [Entry] = []

    /// Ranges looked at before an address is said to have none.
    private static let walkLimit = 64

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// Adds `low ..< high`; an empty range is ignored. Call `seal` after the last one.
    mutating func add(_ low: UInt64, _ high: UInt64, value: Int32) {
        guard low < high else { return }
        entries.append(Entry(low: low, high: high, reach: high, value: value))
    }

    /// Sorts what was added.
    mutating func seal() {
        // Reversed first, because the sort is stable and a lookup walks from the end: the first added is then the first met.
        entries.reverse()
        entries.sort { $0.low < $1.low }
        var reach: UInt64 = 0
        for index in entries.indices {
            reach = max(reach, entries[index].high)
            entries[index].reach = reach
        }
    }

    /// Value of the range that holds `address`.
    func value(at address: UInt64) -> Int32? {
        var index = entries.partitioningIndex { $0.low > address }
        var steps = 0
        while index > 0, steps < Self.walkLimit {
            index -= 1
            steps += 1
            let entry = entries[index]
            if address < entry.high { return entry.value }
            if entry.reach <= address { return nil }
        }
        return nil
    }
}

extension Array {
    /// First index whose element satisfies `predicate`, which must be false up to some index and true from there on.
    func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
