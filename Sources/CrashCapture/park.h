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
    /// It ended before it could be asked.
    bool gone;
    /// What stands above is what the kernel says.
    _Atomic bool is_known;
    /// It stands still, or is not waited for.
    _Atomic bool settled;
    /// Where it was interrupted; NULL until it has stopped.
    _Atomic(const ucontext_t *) context;
} ParkedThread;

extern ParkedThread mayday_parked[MAX_THREADS];
extern _Atomic uint32_t mayday_parked_count;

/// Asks the other threads to stop, until one of them goes on with that. They stop while the crashing thread goes on.
void mayday_stage_ask(void);
/// Waits until they stand still, and stops those that came meanwhile, within a bound.
void mayday_stage_park(void);

#pragma GCC visibility pop

#endif
#endif
