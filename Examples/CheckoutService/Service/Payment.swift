/// How a customer pays.
struct Payment: Decodable, Sendable {
    var method: String

    /// What the payment costs us, in cents.
    func fee(on total: Int64) -> Int64 {
        total * perMille / 1000
    }

    private var perMille: Int64 {
        switch method {
        case "card": return 15
        case "transfer": return 2
        default: fatalError("no fee agreed for payment by \(method)")
        }
    }
}
