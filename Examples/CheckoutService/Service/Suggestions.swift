/// What else a customer may like.
struct Suggestions: Sendable {
    let catalogue: Catalogue

    /// Names of the first `count` products that are bought together with `sku`.
    func names(for sku: String, count: Int) async -> [String] {
        guard let product = try? await catalogue.product(sku) else { return [] }
        var names: [String] = []
        for sku in first(count, of: product.related) {
            guard let related = try? await catalogue.product(sku) else { continue }
            names.append(related.name)
        }
        return names
    }

    // Nobody asked for more than two, at first.
    private func first(_ count: Int, of skus: [String]) -> [String] {
        (0..<count).map { skus[$0] }
    }
}
