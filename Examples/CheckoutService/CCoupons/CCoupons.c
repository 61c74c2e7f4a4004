#include "CCoupons.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct Coupon {
    int percent;
    int last_year;
};

static atomic_int open_coupons;

int coupon_count(void) {
    return open_coupons;
}

Coupon *coupon_parse(const char *code) {
    int percent, last_year;
    if (sscanf(code, "%*[A-Z]-%d-%d", &percent, &last_year) != 2) return NULL;
    if (percent < 0 || percent > 100) return NULL;
    Coupon *coupon = malloc(sizeof *coupon);
    if (!coupon) return NULL;
    coupon->percent = percent;
    coupon->last_year = last_year;
    open_coupons += 1;
    return coupon;
}

bool coupon_redeem(Coupon *coupon, int year, int64_t *total) {
    bool valid = year <= coupon->last_year;
    if (valid) *total -= *total * coupon->percent / 100;
    coupon_free(coupon);
    return valid;
}

void coupon_free(Coupon *coupon) {
    free(coupon);
    open_coupons -= 1;
}
