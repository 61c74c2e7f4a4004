/// What things cost, in cents.
struct Pricing: Sendable {
    let catalogue: Catalogue

    /// Total of a cart, less its coupon.
    func total(of cart: Cart) async throws -> Int64 {
        var total: Int64 = 0
        for item in cart.items {
            total += try await catalogue.product(item.sku).price * Int64(item.quantity)
        }
        guard let code = cart.coupon else { return total }
        return try Coupons(year: 2026).redeem(code, on: total)
    }

    /// Price of a bundle: the sum of its parts, which may be bundles themselves.
    func bundlePrice(_ sku: String) async throws -> Int64 {
        let products = await catalogue.everything()
        guard products[sku] != nil else { throw UnknownProduct(sku: sku) }
        return priceOfParts(sku, products)
    }

    // Someone put a hamper into the picnic set that is in the hamper.
    private func priceOfParts(_ sku: String, _ products: [String: Catalogue.Product]) -> Int64 {
        guard let product = products[sku] else { return 0 }
        return product.parts.reduce(product.price) { sum, part in
            sum + priceOfParts(part, products)
        }
    }
}
