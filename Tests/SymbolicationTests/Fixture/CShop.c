#include "CShop.h"

static inline int shop_mix(int sum, char next) {
    sum ^= next;
    return (sum << 5) + sum;
}

static inline int shop_fold(const char *text, int length) {
    int sum = 5381;
    for (int index = 0; index < length; index++) {
        sum = shop_mix(sum, text[index]);
    }
    return sum;
}

void shop_each(int count, void (*visit)(int, void *), void *context) {
    for (int index = 0; index < count; index++) {
        visit(index, context);
    }
}

int shop_checksum(const char *text, int length) {
    return length > 3 ? shop_fold(text + 1, length - 1) : shop_fold(text, length);
}
