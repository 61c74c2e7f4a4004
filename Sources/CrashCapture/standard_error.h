// What the dying process says, and the report itself where it can go nowhere else: bounded writes to standard error.

#ifndef MAYDAY_STANDARD_ERROR_H
#define MAYDAY_STANDARD_ERROR_H

#if defined(__linux__)

#include "internal.h"

#pragma GCC visibility push(hidden)

/// Writes all of it by `limit_ns` on the monotonic clock: a pipe that nobody reads must not hold the process. False when
/// not all of it was taken. Async-signal-safe.
bool mayday_say(const char *bytes, size_t count, uint64_t limit_ns);

/// The time that `mayday_last_resort` takes at most.
enum { LAST_RESORT_NS = 1000 * 1000 * 1000 };

/// Writes the report as lines of base64 when it is neither in the spool nor delivered. Async-signal-safe.
void mayday_last_resort(void);

#pragma GCC visibility pop

#endif
#endif
