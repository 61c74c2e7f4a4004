// A small C library of coupons, as a shop may have had for years.

#ifndef C_COUPONS_H
#define C_COUPONS_H

#include <stdbool.h>
#include <stdint.h>

/// A coupon that a customer hands in. Made by `coupon_parse`; owned by whoever holds it.
typedef struct Coupon Coupon;

/// Reads a code such as `TEA-10-2027` (name, per cent, last year). The caller owns the coupon.
/// NULL when the code is not one.
Coupon *coupon_parse(const char *code);

/// Takes the coupon off a total, in cents, and stores the new total.
///
/// **Takes ownership** of the coupon, whether it could be redeemed or not: it can be used once.
/// False when it has expired; the total is then as before.
bool coupon_redeem(Coupon *coupon, int year, int64_t *total);

/// Gives up a coupon that was not redeemed.
void coupon_free(Coupon *coupon);

/// How many coupons were parsed and neither redeemed nor given up.
int coupon_count(void);

#endif
