// The runner's bookkeeping, for the handler and the `end` line. Async-signal-safe.

#ifndef MAYDAY_RUNNER_H
#define MAYDAY_RUNNER_H

#if defined(__linux__)

#include "internal.h"

#pragma GCC visibility push(hidden)

void mayday_runner_reset(void);
/// The members `stages` and `cut` of the `end` line.
void mayday_runner_members(Line *line);

/// Notes a stage that ran to its end, unless it was cut short.
void mayday_note_completed(const char *stage);

/// The signal of a capture (capture_signal.c), and the watchdog: a timer that exists only during the capture and signals the
/// crashing thread alone. May be called again.
void mayday_capture_signal_start(void);
/// The signal's handler stands: it can be sent to other threads.
bool mayday_capture_signal_ready(void);
void mayday_watchdog_stop(void);
/// True when SIGALRM ticks, which the crashing thread then leaves open.
bool mayday_watchdog_is_alarm(void);
/// The process lives on: the actions before ours are put back.
void mayday_capture_signal_restore(void);

#pragma GCC visibility pop

#endif
#endif
