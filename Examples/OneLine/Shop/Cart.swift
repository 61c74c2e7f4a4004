/// The service, whatever its backend is.
public struct Cart: Sendable {
    private let prices: [Int]

    /// A cart with some prices.
    public init(prices: [Int]) { self.prices = prices }

    /// The sum of the first prices. Crashes when there are not so many: that is the bug.
    @inline(never) public func total(of count: Int) -> Int { (0..<count).reduce(0) { $0 + price(at: $1) } }

    @inline(never) private func price(at index: Int) -> Int { prices[index] }
}
