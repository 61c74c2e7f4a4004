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

#pragma GCC visibility pop

#endif
#endif
