#if defined(__linux__)

#include "internal.h"
#include "runs_at_start.h"

#include <time.h>

static uint64_t now(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time) != 0) return 0;
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/// Time that never jumps. Async-signal-safe.
uint64_t mayday_monotonic_ns(void) { return now(CLOCK_MONOTONIC); }

/// Time since boot, suspension included. Async-signal-safe.
uint64_t mayday_boottime_ns(void) { return now(CLOCK_BOOTTIME); }

/// Time since 1970. Async-signal-safe.
uint64_t mayday_realtime_ns(void) { return now(CLOCK_REALTIME); }

#endif
