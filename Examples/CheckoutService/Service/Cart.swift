/// What a customer wants to buy.
struct Cart: Decodable, Sendable {
    struct Item: Decodable, Sendable {
        var sku: String
        var quantity: Int
    }

    var items: [Item]
    var coupon: String?
}

/// A cart on its way to somebody.
struct Order: Decodable, Sendable {
    struct Address: Decodable, Sendable {
        var street: String
        var country: String
    }

    var items: [Cart.Item]
    var address: Address?
}
