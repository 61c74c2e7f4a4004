/// What the shop sells. An actor, as it would be with a database behind it.
actor Catalogue {
    struct Product: Sendable {
        var name: String
        /// In cents.
        var price: Int64
        /// Products that are often bought with it.
        var related: [String] = []
        /// What a bundle is made of; empty for all else.
        var parts: [String] = []
    }

    private let products: [String: Product] = [
        "tea": Product(name: "Green tea", price: 590, related: ["pot", "honey", "cup"]),
        "pot": Product(name: "Tea pot", price: 2490, related: ["tea"]),
        "cup": Product(name: "Cup", price: 890),
        "honey": Product(name: "Heather honey", price: 740),
        "breakfast": Product(name: "Breakfast set", price: 0, parts: ["tea", "honey", "cup"]),
        "hamper": Product(name: "Hamper", price: 0, parts: ["breakfast", "picnic"]),
        "picnic": Product(name: "Picnic set", price: 0, parts: ["cup", "hamper"]),
    ]

    func product(_ sku: String) throws(UnknownProduct) -> Product {
        guard let product = products[sku] else { throw UnknownProduct(sku: sku) }
        return product
    }

    /// All bundles and what they are made of.
    func everything() -> [String: Product] { products }
}

/// The shop does not have it.
struct UnknownProduct: Error, CustomStringConvertible {
    var sku: String
    var description: String { "unknown product \(sku)" }
}
