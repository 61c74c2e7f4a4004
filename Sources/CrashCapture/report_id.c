// UUIDv7 (RFC 9562, section 5.7): 48 bits of Unix milliseconds, then random bits.

#include "CrashCapture.h"

#include <time.h>

#if defined(__linux__)
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <stdlib.h>
#endif

static _Atomic uint64_t made;

/// One round of SplitMix64, to spread what little there is when the kernel has no random bytes yet.
/// Async-signal-safe; pure.
static uint64_t spread(uint64_t value) {
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

/// Async-signal-safe.
static void fill_random(uint8_t bytes[16], uint64_t seed) {
#if defined(__linux__)
    const unsigned non_blocking = 1;
    if (syscall(SYS_getrandom, bytes, 16, non_blocking) == 16) return;
    seed ^= (uint64_t)syscall(SYS_gettid) << 40;
    for (int half = 0; half < 2; half++) {
        seed = spread(seed + (uint64_t)half);
        for (int index = 0; index < 8; index++) bytes[half * 8 + index] = (uint8_t)(seed >> (8 * index));
    }
#else
    (void)seed;
    (void)spread;
    arc4random_buf(bytes, 16);
#endif
}

/// Async-signal-safe.
void mayday_make_report_id(char out[37]) {
    struct timespec time = {0, 0};
    clock_gettime(CLOCK_REALTIME, &time);
    uint64_t milliseconds = (uint64_t)time.tv_sec * 1000u + (uint64_t)time.tv_nsec / 1000000u;

    uint8_t bytes[16];
    fill_random(bytes, (uint64_t)time.tv_nsec ^ (milliseconds << 20) ^ (made++ << 52));
    for (int index = 0; index < 6; index++) bytes[index] = (uint8_t)(milliseconds >> (8 * (5 - index)));
    bytes[6] = (uint8_t)(0x70 | (bytes[6] & 0x0f));
    bytes[8] = (uint8_t)(0x80 | (bytes[8] & 0x3f));

    static const char digits[] = "0123456789abcdef";
    char *next = out;
    for (int index = 0; index < 16; index++) {
        if (index == 4 || index == 6 || index == 8 || index == 10) *next++ = '-';
        *next++ = digits[bytes[index] >> 4];
        *next++ = digits[bytes[index] & 15];
    }
    *next = '\0';
}
