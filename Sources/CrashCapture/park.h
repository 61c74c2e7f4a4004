// Other threads during a capture. Async-signal-safe.

#ifndef MAYDAY_PARK_H
#define MAYDAY_PARK_H

#if defined(__linux__)

#include "internal.h"

#pragma GCC visibility push(hidden)

enum { MAX_THREADS = 1024 };

typedef struct ParkedThread {
    pid_t id;
    /// State letter of the kernel before it was stopped.
    char state;
    char name[16];
    /// The signal is blocked there: the thread goes on.
    bool unreachable;
    /// Where it was interrupted; NULL until it has stopped.
    _Atomic(const ucontext_t *) context;
} ParkedThread;

extern ParkedThread mayday_parked[MAX_THREADS];
extern uint32_t mayday_parked_count;

/// Stops every other thread, within a bound.
void mayday_stage_park(void);

#pragma GCC visibility pop

#endif
#endif
