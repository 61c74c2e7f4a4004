#ifndef CCoupons_H
#define CCoupons_H
#endif
