#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import Mayday

/// Which request goes where.
struct Routes: Sendable {
    let catalogue: Catalogue

    /// What is reported of a crash, or of an error, says which request it was.
    func answer(_ request: Request) async -> Response {
        let path = "/" + request.path.joined(separator: "/")
        return await Mayday.withContext(request: ["method": request.method, "path": path]) { await route(request) }
    }

    private func route(_ request: Request) async -> Response {
        switch (request.method, request.path.first, request.path.dropFirst().first) {
        case ("GET", "healthz", nil):
            .ok("ok")
        case ("POST", "checkout", nil):
            await checkout(request)
        case ("GET", "suggestions", let sku?):
            await suggestions(for: sku, request)
        case ("GET", "bundles", let sku?):
            await bundle(sku)
        case ("POST", "shipping", nil):
            await shipping(request)
        case ("POST", "payments", nil):
            payment(request)
        default:
            .notFound("\(request.method) /\(request.path.joined(separator: "/"))")
        }
    }

    private func checkout(_ request: Request) async -> Response {
        guard let cart = decode(Cart.self, request) else {
            return .badRequest("a cart has items, each with sku and quantity")
        }
        do {
            let total = try await Pricing(catalogue: catalogue).total(of: cart)
            return .ok("total \(euros(total))")
        } catch {
            return .badRequest("\(error)")
        }
    }

    private func suggestions(for sku: String, _ request: Request) async -> Response {
        let count = request.query["count"].flatMap { Int($0) } ?? 2
        Mayday.breadcrumb("suggestions asked for", category: "catalogue", data: ["sku": sku, "count": count])
        let names = await Suggestions(catalogue: catalogue).names(for: sku, count: count)
        return .ok(names.joined(separator: ", "))
    }

    private func bundle(_ sku: String) async -> Response {
        do {
            return .ok(euros(try await Pricing(catalogue: catalogue).bundlePrice(sku)))
        } catch {
            return .notFound("bundle \(sku)")
        }
    }

    private func shipping(_ request: Request) async -> Response {
        guard let order = decode(Order.self, request) else { return .badRequest("an order has items and an address") }
        return .ok(euros(Shipping().cost(of: order)))
    }

    private func payment(_ request: Request) -> Response {
        guard let payment = decode(Payment.self, request) else { return .badRequest("a payment has a method") }
        return .ok("fee \(euros(payment.fee(on: 1999)))")
    }

    private func decode<Body: Decodable>(_ type: Body.Type, _ request: Request) -> Body? {
        try? JSONDecoder().decode(type, from: Data(request.body))
    }

    private func euros(_ cents: Int64) -> String {
        "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
    }
}
