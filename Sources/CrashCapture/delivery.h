// The reporter: started by delivery.c in the dying process, told by two variables what to do.

#ifndef MAYDAY_DELIVERY_H
#define MAYDAY_DELIVERY_H

#if defined(__linux__)

#include "internal.h"

#pragma GCC visibility push(hidden)

/// Exit status of a child that did not become the reporter.
enum { MAYDAY_REPORTER_LOST = 127 };

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
    /// The handler failed in the middle, and ended it; `detail` is a `LeaveReason`.
    DELIVERY_LEFT,
} DeliveryOutcome;

typedef struct Delivery {
    DeliveryOutcome outcome;
    /// Exit status, signal or errno.
    int detail;
} Delivery;

extern Delivery mayday_delivery;

/// The child that becomes the reporter, as long as it works on the memory of the crashed process; else 0. Kept by the kernel.
extern _Atomic pid_t mayday_starting_reporter;

/// The first two variables of the reporter's environment, filled in at the crash.
extern char mayday_reporter_variable[64];
extern char mayday_report_variable[PATH_MAX + 32];

/// How long that takes at most.
uint64_t mayday_delivery_limit_ns(void);
/// Starts the reporter and waits for it, within its deadline. Async-signal-safe.
void mayday_deliver(void);
/// Puts back what a delivery changed, and ends the reporter of one that was left in the middle. Async-signal-safe.
void mayday_delivery_settle(LeaveReason left);

/// Waits for the end of a child and reaps it, until `limit` (monotonic, ns); `pidfd` may be -1. False when it still runs.
/// Async-signal-safe.
bool mayday_wait_for_child(pid_t child, int pidfd, uint64_t limit, int *status);
/// Closes every descriptor above standard error but `kept`, which may be -1. Async-signal-safe.
void mayday_close_others(int kept);

#pragma GCC visibility pop

#endif
#endif
