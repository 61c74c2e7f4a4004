import CCoupons

/// Coupons, by the shop's old C library.
struct Coupons: Sendable {
    let year: Int32

    /// The total less the coupon's part.
    func redeem(_ code: String, on total: Int64) throws -> Int64 {
        guard let coupon = coupon_parse(code) else { throw BadCoupon(code: code, reason: "is not a coupon") }
        var total = total
        guard coupon_redeem(coupon, year, &total) else {
            // It was not redeemed, so it is still ours to free. Or is it?
            coupon_free(coupon)
            throw BadCoupon(code: code, reason: "has expired")
        }
        return total
    }
}

/// A coupon that is not taken.
struct BadCoupon: Error, CustomStringConvertible {
    var code: String
    var reason: String
    var description: String { "coupon \(code) \(reason)" }
}
