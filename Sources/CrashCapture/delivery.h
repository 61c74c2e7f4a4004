// The reporter: started by delivery.c in the dying process, told by two variables what to do.

#ifndef MAYDAY_DELIVERY_H
#define MAYDAY_DELIVERY_H

#if defined(__linux__)

#include "internal.h"

#pragma GCC visibility push(hidden)

typedef enum DeliveryOutcome {
    /// No reporter, or no report.
    DELIVERY_NONE,
    /// It exited with status 0: the report is with its receiver.
    DELIVERY_DONE,
    /// It exited with another status.
    DELIVERY_EXITED,
    /// It was ended by a signal.
    DELIVERY_SIGNALLED,
    /// It was ended by us, at its deadline.
    DELIVERY_TIMED_OUT,
    /// It ended, and another thread, which waits for every child, took its exit status.
    DELIVERY_UNKNOWN,
    /// It could not be started; `detail` is errno.
    DELIVERY_NOT_STARTED,
} DeliveryOutcome;

typedef struct Delivery {
    DeliveryOutcome outcome;
    /// Exit status, signal or errno.
    int detail;
} Delivery;

extern Delivery mayday_delivery;

/// The first two variables of the reporter's environment, filled in at the crash.
extern char mayday_reporter_variable[64];
extern char mayday_report_variable[PATH_MAX + 32];

/// Starts the reporter and waits for it, within its deadline. Async-signal-safe.
void mayday_deliver(void);

/// Waits for the end of a child and reaps it, at most `limit_ns`; `pidfd` may be -1. False when it still runs.
/// Async-signal-safe.
bool mayday_wait_for_child(pid_t child, int pidfd, uint64_t limit_ns, int *status);
/// Closes every descriptor above standard error but `kept`, which may be -1. Async-signal-safe.
void mayday_close_others(int kept);

#pragma GCC visibility pop

#endif
#endif
